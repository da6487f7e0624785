"""The vocabulary of a release: read from ``constants.tsv``, and what each constant is, by its Go type and name.

CRDs do not carry these words, and definitions break when they change. What a constant is follows from how Go programs of
this field name things; where a framework does not, its ``framework.yaml`` says so, and that wins.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from wmap.contract.model import Term, TermKind
from wmap.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wmap.contract.framework import TermRule

HEADER = ("name", "type", "value", "file")
MAX_VALUE = 4096
"""Longer constants are templates and scripts, no words of a vocabulary."""

_KEY = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?/[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?", re.ASCII)
"""A qualified key of a label or annotation: ``ray.io/cluster``."""
_BARE_KEY = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?", re.ASCII)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*", re.ASCII)
_FUNCTIONS = frozenset(
    {
        "New", "Errorf", "Sprintf", "Sprint", "MustParse", "MustCompile", "WithName", "WithKind", "NewPath", "ViaField",
        "ErrMissingField", "Getenv", "Child", "FromString", "With", "String", "append", "return",
    }
)  # fmt: skip
"""The last part of a "type" that is a function: a variable with its result, no constant."""
_NO_KEY = re.compile(
    r"[fF]inalizer|Taint|^(?!.*Key$).*(?:Resource|Controller|Image|Path|Prefix|Suffix|Domain|Gate(?!way)|Gateway|GPU|Dir(?:ectory)?"
    r"|File|Endpoint|Message|Format|Profile|Audience|scopeName|ApplicationName|LeaderElection|^Group|Attr|Processor)"
)
"""Names of things that are written like a key and are none."""
_ANNOTATION = re.compile(r"Annotations?(?=[A-Z_]|$)|^annotations?(?=[A-Z]|$)|^(?:legacy)?[aA]nn(?=[A-Z])")
_LABEL = re.compile(r"Labels?(?=[A-Z_]|$)|^labels?(?=[A-Z]|$)")
_VALUE = re.compile(
    r"Value|ComponentName|True|False|Enabled|Disabled|OptOut|Prefix|Postfix|Suffix|^Err|^err|Message|Format$|Attr|Controller"
    r"|File|Path|Argument",
)
"""Names of what stands beside a key: its values, a part of it, or a message about it."""
_BARE_LABEL = re.compile(r"Label(?:Key|Name|Deprecated)?$|^[lL]abel[A-Z]|Label(?=[A-Z])")
_BARE_ANNOTATION = re.compile(r"Annotation(?:Key|Name)?$")
_REASON = re.compile(r"[rR]eason(?=[A-Z]|$)")
_CONDITION = re.compile(r"Conditions?(?=[A-Z]|$)|^condition(?=[A-Z]|$)")
_PHASE = re.compile(r"(?:Status|State|Phase)(?=[A-Z]|$)|^(?:status|state|phase)(?=[A-Z]|$)")
_TEXT = re.compile(
    r"Message|Msg|Format|Fmt|Error|Severity|Token|Path|File(?:name)?$|Endpoint|URL|Key$|^[eE]nv(?=[A-Z])|EnvVar|Name$|Prefix$"
)
_PLAIN_TYPES = ("", "string")
_STATES = frozenset(
    {
        "Available", "Complete", "Completed", "Created", "Degraded", "Failed", "Progressing", "Ready", "Restarting", "Running",
        "Succeeded", "Suspended",
    }
)  # fmt: skip
"""What conditions are commonly called: in a file of API types, ``TrainJobComplete = "Complete"`` is a condition type."""


def read_constants(text: str, *, file: str | None = None) -> tuple[Term, ...]:
    """The terms of a ``constants.tsv`` (columns name, type, value, file), each with what it is; variables with the result
    of a function are left out. Sorted by file, name and value, without doubles.

    Raises:
        InputError: a line has other columns; names the file and the line.
    """
    where = file or "constants.tsv"
    rows: list[tuple[str, str, str, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        columns = tuple(line.removesuffix("\r").split("\t"))
        if columns in (("",), HEADER):
            continue
        if len(columns) != len(HEADER) or not columns[0] or not columns[3]:
            raise InputError(
                f"{where}:{number}: {len(columns)} columns; a constant has name, type, value and file",
                hint="separate the columns by tabs; an untyped constant has an empty type",
            )
        name, go_type, value, source = columns
        if value and len(value) <= MAX_VALUE and not is_function(go_type):
            rows.append((name, go_type, value, source))
    wrong = _foreign_prefixes(rows)
    found = []
    for name, go_type, value, source in rows:
        text = value.replace(*wrong[source]) if source in wrong else value
        found.append(Term(text, classify(name, go_type, text, source), name, go_type, source))
    return sorted_terms(found)


def _foreign_prefixes(rows: Iterable[tuple[str, str, str, str]]) -> dict[str, tuple[str, str]]:
    """By file the prefix of keys that is of another package, and the right one.

    The tables of Knative Serving were made by looking names up across packages: in ``pkg/apis/serving/register.go`` the
    constant GroupNamePrefix (``GroupName + "/"``) has the GroupName of ``pkg/apis/autoscaling``, and so have all its labels. The file's
    own GroupName stands beside it.
    """
    named = {(source, name): value for name, _, value, source in rows if name in ("GroupName", "GroupNamePrefix")}
    return {
        source: (prefix, f"{named[source, 'GroupName']}/")
        for (source, name), prefix in named.items()
        if name == "GroupNamePrefix" and named.get((source, "GroupName"), prefix[:-1]) != prefix[:-1]
    }


def sorted_terms(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Terms in the order in which they are stored: by file, name, value and type; doubles left out."""
    best: dict[tuple[str, str, str, str], Term] = {}
    for term in terms:
        key = (term.file, term.name, term.value, term.type)
        known = best.get(key)
        if known is None or term.line < known.line:
            best[key] = term
    return tuple(best[key] for key in sorted(best))


def apply_rules(terms: Iterable[Term], rules: Iterable[TermRule]) -> tuple[Term, ...]:
    """The terms, each that a rule of ``framework.yaml`` names (by name, value, or both) being what the rule says; the first counts."""
    rules = tuple(rules)
    result = []
    for term in terms:
        rule = next((r for r in rules if r.name in (None, term.name) and r.value in (None, term.value)), None)
        result.append(term if rule is None or rule.kind is term.kind else replace(term, kind=rule.kind))
    return tuple(result)


def is_function(go_type: str) -> bool:
    """Whether what stands where the type should is the function that made the value (``errors.New``)."""
    return go_type.rpartition(".")[2] in _FUNCTIONS


def classify(name: str, type: str, value: str, file: str) -> TermKind:  # noqa: A002  # the columns of the table
    """What a constant is.

    By its Go type, where it has one of its own: a name that ends in Reason, ConditionType, or in State, Status or Phase. Else a key
    with a slash is a label or an annotation, by what its name says (a key whose name says neither is a label); else by
    the name: a reason, a condition type, a phase. In a file of API types a state after the name of a kind is a condition type.
    """
    own = type.rpartition(".")[2]
    if own not in _PLAIN_TYPES:
        return _by_type(own, name, value)
    if "/" in value:
        return _key(name, value)
    if _REASON.search(name):
        return TermKind.REASON if _WORD.fullmatch(value) and not _TEXT.search(name) else TermKind.OTHER
    bare = _bare_key(name, value)
    if bare is not None:
        return bare
    if _TEXT.search(name) or not _WORD.fullmatch(value):
        return TermKind.OTHER
    if _CONDITION.search(name) or (value in _STATES and file.endswith("_types.go") and _named_after(name, value)):
        return TermKind.CONDITION
    return TermKind.PHASE if _PHASE.search(name) else TermKind.OTHER


def _named_after(name: str, value: str) -> bool:
    """Whether a name is that of a kind and the value, and says nothing of a state, which a phase would."""
    return name.endswith(value) and name != value and not _PHASE.search(name)


def _by_type(own: str, name: str, value: str) -> TermKind:
    if own.endswith("Reason"):
        return TermKind.REASON
    if own.endswith("ConditionType"):
        return TermKind.CONDITION
    if re.search(r"(?:State|Status|Phase)(?:Type)?$", own):
        return TermKind.PHASE
    if "/" in value and (_LABEL.search(own + name) or _ANNOTATION.search(own + name)):
        return _key(f"{own}{name}", value)
    return TermKind.OTHER


def _key(name: str, value: str) -> TermKind:
    if not _KEY.fullmatch(value) or len(value) > 317:  # a prefix of 253, a slash, a name of 63
        return TermKind.OTHER
    if _ANNOTATION.search(name):
        return TermKind.OTHER if _VALUE.search(name) and "." not in value.partition("/")[0] else TermKind.ANNOTATION
    if _LABEL.search(name):
        return TermKind.LABEL
    return TermKind.OTHER if _NO_KEY.search(name) or "." not in value.partition("/")[0] else TermKind.LABEL


def _bare_key(name: str, value: str) -> TermKind | None:
    """A key without a slash, where the name says that it is one; None where it says nothing of labels."""
    if not (_LABEL.search(name) or _ANNOTATION.search(name)):
        return None
    if _VALUE.search(name) or not _BARE_KEY.fullmatch(value):
        return TermKind.OTHER
    if _BARE_ANNOTATION.search(name):
        return TermKind.ANNOTATION
    if not _BARE_LABEL.search(name):
        return TermKind.OTHER
    # `LabelWorker = "worker"` is a value; a key has several words, or its name ends as that of a key
    several = re.search(r"[-._]", value) is not None or value == "app"
    return TermKind.LABEL if several or re.search(r"Label(?:Key|Name)?$", name) else TermKind.OTHER
