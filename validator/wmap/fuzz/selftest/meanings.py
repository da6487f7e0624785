"""The ways to break what a definition says of statuses, suspension and gangs, and its expressions."""

from __future__ import annotations

import json
from itertools import combinations
from typing import TYPE_CHECKING, Any

from wmap.fuzz.selftest.operators import (
    OPERATORS,
    Document,
    Operator,
    components,
    edited,
    in_expressions,
    misspelt,
    operator,
    replaced,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def _status(document: Document) -> dict[str, Any]:
    found: dict[str, Any] = components(document)[0].get("statusDefinition") or {}
    return found


def _mappings(document: Document) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = _status(document).get("statusMappings") or {}
    return found


def _matchers(document: Document) -> Iterator[tuple[str, int]]:
    for status, matchers in _mappings(document).items():
        for i in range(len(matchers)):
            yield status, i


def _conditions(document: Document) -> Iterator[tuple[str, int, int]]:
    for status, i in _matchers(document):
        for k in range(len(_mappings(document)[status][i].get("byConditions") or ())):
            yield status, i, k


@operator("dropped status", "a status has no mapping")
def _dropped_status(document: Document) -> Iterator[tuple[str, Document]]:
    for status in _mappings(document):
        yield status, edited(document, lambda d, s: _mappings(d).pop(s), status)


@operator("dropped matcher", "one of several alternatives of a status is left out")
def _dropped_matcher(document: Document) -> Iterator[tuple[str, Document]]:
    for status, i in _matchers(document):
        if len(_mappings(document)[status]) > 1:
            yield f"{status}[{i}]", edited(document, lambda d, s, i: _mappings(d)[s].pop(i), status, i)


@operator("wrong status", "a mapping stands under another status")
def _wrong_status(document: Document) -> Iterator[tuple[str, Document]]:
    for status in _mappings(document):
        for other in ("failed", "running", "initializing", "completed", "degraded"):
            if other not in _mappings(document):

                def edit(d: Document, s: str, o: str) -> None:
                    _mappings(d)[o] = _mappings(d).pop(s)

                yield f"{status} as {other}", edited(document, edit, status, other)


@operator("swapped statuses", "two statuses have each other's mapping")
def _swapped_statuses(document: Document) -> Iterator[tuple[str, Document]]:
    for a, b in combinations(_mappings(document), 2):
        yield f"{a} and {b}", edited(document, lambda d, a, b: exchange_keys(_mappings(d), a, b), a, b)


def exchange_keys(mapping: dict[str, Any], a: str, b: str) -> None:
    """Exchange the values of two keys."""
    mapping[a], mapping[b] = mapping[b], mapping[a]


@operator("misspelt condition", "the type of a condition has a wrong letter")
def _misspelt_condition(document: Document) -> Iterator[tuple[str, Document]]:
    for status, i, k in _conditions(document):

        def edit(d: Document, s: str, i: int, k: int) -> None:
            condition = _mappings(d)[s][i]["byConditions"][k]
            condition["type"] = misspelt(condition["type"])

        yield f"{status}[{i}]", edited(document, edit, status, i, k)


@operator("condition turned round", "True is read as False, or the other way")
def _turned_condition(document: Document) -> Iterator[tuple[str, Document]]:
    for status, i, k in _conditions(document):

        def edit(d: Document, s: str, i: int, k: int) -> None:
            condition = _mappings(d)[s][i]["byConditions"][k]
            condition["status"] = "False" if condition.get("status") == "True" else "True"

        yield f"{status}[{i}]", edited(document, edit, status, i, k)


@operator("condition status in wrong case", "a condition is asked for as true")
def _case_of_condition(document: Document) -> Iterator[tuple[str, Document]]:
    for status, i, k in _conditions(document):
        if _mappings(document)[status][i]["byConditions"][k].get("status"):

            def edit(d: Document, s: str, i: int, k: int) -> None:
                condition = _mappings(d)[s][i]["byConditions"][k]
                condition["status"] = condition["status"].lower()

            yield f"{status}[{i}]", edited(document, edit, status, i, k)


@operator("dropped condition status", "a condition need only be there, whatever it says")
def _any_condition(document: Document) -> Iterator[tuple[str, Document]]:
    for status, i, k in _conditions(document):
        if "status" in _mappings(document)[status][i]["byConditions"][k]:
            yield (
                f"{status}[{i}]",
                edited(document, lambda d, s, i, k: _mappings(d)[s][i]["byConditions"][k].pop("status"), status, i, k),
            )


@operator("reason that nobody writes", "a condition is asked for with a reason that no source has")
def _wrong_reason(document: Document) -> Iterator[tuple[str, Document]]:
    for status, i, k in _conditions(document):

        def edit(d: Document, s: str, i: int, k: int) -> None:
            condition = _mappings(d)[s][i]["byConditions"][k]
            condition["reason"] = misspelt(condition.get("reason", "Because"))

        yield f"{status}[{i}]", edited(document, edit, status, i, k)


@operator("dropped kind of matcher", "of a condition and an expression that must both hold one is left out")
def _half_matcher(document: Document) -> Iterator[tuple[str, Document]]:
    for status, i in _matchers(document):
        matcher = _mappings(document)[status][i]
        for key in matcher if len(matcher) > 1 else ():
            yield f"{status}[{i}].{key}", edited(document, lambda d, s, i, k: _mappings(d)[s][i].pop(k), status, i, key)


@operator("misspelt phase", "the word of a phase has a wrong letter")
def _misspelt_phase(document: Document) -> Iterator[tuple[str, Document]]:
    for status, i in _matchers(document):
        if "byPhase" in _mappings(document)[status][i]:

            def edit(d: Document, s: str, i: int) -> None:
                _mappings(d)[s][i]["byPhase"] = misspelt(_mappings(d)[s][i]["byPhase"])

            yield f"{status}[{i}]", edited(document, edit, status, i)


@operator("misspelt result", "the result that an expression must have has a wrong letter")
def _misspelt_result(document: Document) -> Iterator[tuple[str, Document]]:
    for status, i in _matchers(document):
        if "byExpression" in _mappings(document)[status][i]:

            def edit(d: Document, s: str, i: int) -> None:
                by = _mappings(d)[s][i]["byExpression"]
                by["expectedResult"] = misspelt(by["expectedResult"])

            yield f"{status}[{i}]", edited(document, edit, status, i)


@operator("result in quotes", "the result that an expression must have stands in quotes")
def _quoted_result(document: Document) -> Iterator[tuple[str, Document]]:
    for status, i in _matchers(document):
        if "byExpression" in _mappings(document)[status][i]:

            def edit(d: Document, s: str, i: int) -> None:
                by = _mappings(d)[s][i]["byExpression"]
                by["expectedResult"] = json.dumps(by["expectedResult"])

            yield f"{status}[{i}]", edited(document, edit, status, i)


@operator("swapped names of fields", "the type of a condition is read as its reason")
def _field_names(document: Document) -> Iterator[tuple[str, Document]]:
    if "conditionsDefinition" in _status(document):

        def edit(d: Document) -> None:
            _status(d)["conditionsDefinition"].update(typeFieldName="reason", reasonFieldName="type")

        yield "conditions", edited(document, edit)


@operator("dropped definition of conditions", "conditions are asked for, and nothing says where they are")
def _dropped_conditions(document: Document) -> Iterator[tuple[str, Document]]:
    for key in ("conditionsDefinition", "phaseDefinition"):
        if key in _status(document):
            yield key, edited(document, lambda d, k: _status(d).pop(k), key)


def _actions(document: Document) -> Iterator[tuple[int, str, int]]:
    for i, c in enumerate(components(document)):
        for key, actions in (c.get("suspendDefinition") or {}).items():
            for k in range(len(actions)):
                yield i, key, k


@operator("suspend and resume swapped", "suspending writes what resuming should")
def _swapped_actions(document: Document) -> Iterator[tuple[str, Document]]:
    for i, c in enumerate(components(document)):
        if "suspendDefinition" in c:
            yield (
                c["name"],
                edited(
                    document,
                    lambda d, i: exchange_keys(
                        components(d)[i]["suspendDefinition"], "suspendActions", "resumeActions"
                    ),
                    i,
                ),
            )


@operator("wrong value of an action", "an action writes a text where the kind has a boolean, or the other way")
def _action_value(document: Document) -> Iterator[tuple[str, Document]]:
    for i, key, k in _actions(document):

        def edit(d: Document, i: int, key: str, k: int) -> None:
            action = components(d)[i]["suspendDefinition"][key][k]
            value = json.loads(action["value"])
            action["value"] = (
                value if isinstance(value, str) and value in ("true", "false") else json.dumps(str(value).lower())
            )

        yield f"{key}[{k}]", edited(document, edit, i, key, k)


@operator("value of an action that is no JSON", "a text is written without its quotes")
def _bare_value(document: Document) -> Iterator[tuple[str, Document]]:
    for i, key, k in _actions(document):
        yield (
            f"{key}[{k}]",
            edited(
                document,
                lambda d, i, key, k: components(d)[i]["suspendDefinition"][key][k].update(value="yes!"),
                i,
                key,
                k,
            ),
        )


@operator("dropped action", "nothing is written to suspend, or to resume")
def _dropped_action(document: Document) -> Iterator[tuple[str, Document]]:
    for i, key, k in _actions(document):
        yield (
            f"{key}[{k}]",
            edited(document, lambda d, i, key, k: components(d)[i]["suspendDefinition"][key].pop(k), i, key, k),
        )


def _groups(document: Document) -> list[dict[str, Any]]:
    gang = document["spec"].get("optimizationInstructions", {}).get("gangScheduling", {})
    found: list[dict[str, Any]] = gang.get("podGroups") or []
    return found


def _members(document: Document) -> Iterator[tuple[int, int, dict[str, Any]]]:
    for i, group in enumerate(_groups(document)):
        for k, member in enumerate(group["members"]):
            yield i, k, member


@operator("dropped gang", "a gang is left out")
def _dropped_gang(document: Document) -> Iterator[tuple[str, Document]]:
    for i, group in enumerate(_groups(document)):
        yield group["name"], edited(document, lambda d, i: _groups(d).pop(i), i)


@operator("wrong member", "the member of a gang is another component")
def _wrong_member(document: Document) -> Iterator[tuple[str, Document]]:
    names = [c["name"] for c in components(document)]
    for i, k, member in _members(document):
        for name in [n for n in names if n != member["componentName"]]:
            yield (
                name,
                edited(document, lambda d, i, k, n: _groups(d)[i]["members"][k].update(componentName=n), i, k, name),
            )


@operator("unknown member", "the member of a gang is no component")
def _unknown_member(document: Document) -> Iterator[tuple[str, Document]]:
    for i, k, member in _members(document):
        name = misspelt(member["componentName"])
        yield name, edited(document, lambda d, i, k, n: _groups(d)[i]["members"][k].update(componentName=n), i, k, name)


@operator("dropped key of a gang", "gangs of different keys become one")
def _dropped_key(document: Document) -> Iterator[tuple[str, Document]]:
    for i, k, member in _members(document):
        if member.get("groupByKeyPaths"):
            yield (
                member["componentName"],
                edited(document, lambda d, i, k: _groups(d)[i]["members"][k].pop("groupByKeyPaths"), i, k),
            )


@operator("key too many", "each pod is a gang of its own")
def _key_too_many(document: Document) -> Iterator[tuple[str, Document]]:
    for i, k, member in _members(document):

        def edit(d: Document, i: int, k: int) -> None:
            _groups(d)[i]["members"][k].setdefault("groupByKeyPaths", []).append(".metadata.name")

        yield member["componentName"], edited(document, edit, i, k)


@operator("dropped filter of a gang", "pods that belong elsewhere are in the gang")
def _dropped_filter(document: Document) -> Iterator[tuple[str, Document]]:
    for i, k, member in _members(document):
        if member.get("filters"):
            yield (
                member["componentName"],
                edited(document, lambda d, i, k: _groups(d)[i]["members"][k].pop("filters"), i, k),
            )


@operator("member twice", "two members are alike")
def _member_twice(document: Document) -> Iterator[tuple[str, Document]]:
    for i, k, member in _members(document):
        yield (
            member["componentName"],
            edited(document, lambda d, i, k: _groups(d)[i]["members"].append(dict(_groups(d)[i]["members"][k])), i, k),
        )


@operator("swapped expressions", "the conditions are read from where the phase is")
def _conditions_elsewhere(document: Document) -> Iterator[tuple[str, Document]]:
    path = _status(document).get("conditionsDefinition", {}).get("path")
    if path is not None:
        for other in (".status", ".spec.conditions", f"{path}[0]"):
            yield other, replaced(document, path, other)


_IN_EXPRESSIONS = {
    "wrong field": "a field has a wrong name",
    "field left out": "a step of a path is left out",
    "wrong index": "the entry behind is read",
    "first entry only": "of a list only the first entry is read",
    "missing ?": "what may be absent is iterated without ?",
    "dropped default": "a default is left out",
    "default outside the iteration": "a default stands outside of the iteration, and drops entries",
    "wrong comparison": "a comparison is turned round, or off at its edge",
    "wrong operator": "another operator",
    "dropped factor": "a factor is left out",
    "dropped term": "a term is left out",
    "dropped condition": "a condition is left out",
    "dropped select": "what should be selected is all",
    "inverted select": "what should be left out is selected",
    "swapped branches": "then and else are exchanged",
    "dropped branch": "a branch is left out",
    "wrong boolean": "true for false",
    "off by one": "a number is one off",
    "misspelt word": "a word in an expression has a wrong letter",
    "word in wrong case": "a word in an expression is in lower case",
}
_CALLS = ("min for max", "max for min", "any for all", "all for any", "first for last", "last for first")


def _by_kind(kinds: Callable[[str], bool]) -> Callable[[Document], Iterator[tuple[str, Document]]]:
    return lambda document: in_expressions(document, kinds)


OPERATORS.extend(Operator(name, breaks, _by_kind(name.__eq__)) for name, breaks in _IN_EXPRESSIONS.items())
OPERATORS.append(
    Operator("wrong function", "min for max, any for all, or the other way", _by_kind(lambda kind: kind in _CALLS))
)
OPERATORS.append(
    Operator(
        "dropped conversion",
        "not, length, tonumber and the like are left out",
        _by_kind(lambda kind: kind.startswith("dropped ") and kind not in _IN_EXPRESSIONS),
    )
)
