"""Go source to terms: constants as the Go compiler works them out, and nothing else."""

from __future__ import annotations

import builtins
import sys

import pytest

from wmap.contract.gosource import is_source, read_source
from wmap.contract.model import Term, TermKind
from wmap.errors import EnvironmentFailure, InputError


def _values(*files, modules=None):
    """Name -> value of what is read from files a.go, b.go, ..., or from (path, text) pairs."""
    named = {
        f"{'abcdef'[i]}.go" if isinstance(f, str) else f[0]: f if isinstance(f, str) else f[1]
        for i, f in enumerate(files)
    }
    return {t.name: t.value for t in read_source({k: v.encode() for k, v in named.items()}, modules=modules)}


def _one(expression, before=""):
    return _values(f"package a\n{before}\nconst X = {expression}\n").get("X")


def test_a_constant_keeps_its_type_its_file_and_its_line():
    """What a term says of where it comes from is where the name stands."""
    text = 'package v1\n\ntype JobStatus string\n\nconst (\n\t// waits\n\tJobStatusNew JobStatus = "New"\n)\n'
    assert read_source({"api/v1/types.go": text.encode()}) == (
        Term("New", TermKind.PHASE, "JobStatusNew", "JobStatus", "api/v1/types.go", 7),
    )


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('"a"', "a"),
        ('"a" + "b" + `c`', "abc"),
        ('("a" + ("b"))', "ab"),
        ('P + "/name"', "ray.io/name"),
        ('Type("x")', "x"),
        ('Type("x" + P)', "xray.io"),
        ('corev1.PodConditionType("Ready")', "Ready"),
        ('(Type)("x")', "x"),
        ("`raw \\n text`", "raw \\n text"),
        ('"tab\\tquote\\" slash\\\\"', 'tab\tquote" slash\\'),
        ('"\\x41\\101\\u00e4\\U0001F600"', "AA\u00e4\U0001f600"),
        ('"" /* none */ + "z"', "z"),
        ('"caf\u00e9"', "caf\u00e9"),
    ],
)
def test_texts_are_worked_out_as_go_does(expression, value):
    """Literals, escapes, concatenations, conversions and names."""
    assert _one(expression, 'const P = "ray.io"') == value


@pytest.mark.parametrize(
    "expression",
    [
        "1",
        "iota",
        "true",
        "'c'",
        "1 << iota",
        'len("abc")',
        'other.Name + "x"',
        "Unknown",
        '"a" == "b"',
        '""',
        '"\\xff"',
        "X",
    ],
)
def test_what_is_no_text_or_not_there_is_left_out(expression):
    """Numbers, names of packages that are not in the tree, circles, bytes that are no text."""
    assert _one(expression) is None


def test_iota_blocks_hold_no_texts_and_do_not_hide_those_beside_them():
    """A block may mix numbers and texts."""
    block = 'const (\n A Kind = iota\n B\n _\n C = "c"\n D\n E, F = "e", 2\n G, H\n)'
    assert _values(f"package a\n{block}\n") == {"C": "c", "D": "c", "E": "e", "G": "e"}


def test_a_repeated_expression_repeats_its_type():
    """A name without an expression has the type of the last one that has one."""
    terms = read_source({"a.go": b'package a\nconst (\n A T = "x"\n B\n)\n'})
    assert [(t.name, t.type, t.line) for t in terms] == [("A", "T", 3), ("B", "T", 4)]


def test_names_of_other_files_of_the_package_are_found():
    """A package is all files of a folder, in any order."""
    assert _values('package a\nconst X = Prefix + "/x"\n', 'package a\nconst Prefix = "demo.io"\n')["X"] == "demo.io/x"


def test_a_typed_constant_gives_its_type_to_those_that_refer_to_it():
    """As in Go, a constant without a type of its own has that of its expression."""
    terms = read_source({"a.go": b'package a\nconst A T = "x"\nconst B = A + "y"\n'})
    assert {t.name: t.type for t in terms} == {"A": "T", "B": "T"}


@pytest.mark.parametrize(
    ("imported", "used", "modules"),
    [
        ('"example.org/demo/api/v1"', "v1", None),
        ('v2 "example.org/demo/api/v1"', "v2", None),
        ('. "example.org/demo/api/v1"', "", None),
        ('"example.org/demo/api/v1"', "v1", {"": "example.org/demo"}),
    ],
)
def test_names_of_imported_packages_of_the_tree_are_found(imported, used, modules):
    """By the end of the import path, or by the module path where it is known; under any name."""
    prefix = f"{used}.Prefix" if used else "Prefix"
    text = f'package util\nimport {imported}\nconst X = {prefix} + "/x"\n'
    files = (("pkg/util/a.go", text), ("api/v1/t.go", 'package v1\nconst Prefix = "demo.io"\n'))
    assert _values(*files, modules=modules)["X"] == "demo.io/x"


def test_a_package_is_called_by_its_own_name_not_by_its_folder():
    """The folder `api` may hold the package `demo`."""
    text = 'package util\nimport "example.org/x/api"\nconst X = demo.P + "x"\n'
    assert _values(("util/a.go", text), ("api/t.go", 'package demo\nconst P = "p"\n'))["X"] == "px"


def test_modules_below_a_folder_are_found_and_foreign_ones_are_not():
    """With module paths known, a path of another module is never taken for one of the tree."""
    files = (
        ("op/util/a.go", 'package util\nimport (\n  "example.org/demo/op/api"\n  k "k8s.io/api"\n)\nconst X = api.P + "x"\nconst Y = k.P + "y"\n'),
        ("op/api/t.go", 'package api\nconst P = "p"\n'),
    )  # fmt: skip
    assert _values(*files, modules={"op": "example.org/demo/op"}) == {"P": "p", "X": "px"}


def test_names_of_two_packages_are_kept_apart():
    """The same name in another package of the tree is another constant."""
    files = (
        ("a/r.go", 'package a\nconst GroupName = "a.io"\nconst Key = GroupName + "/k"\n'),
        ("b/r.go", 'package b\nconst GroupName = "b.io"\nconst KeyB = GroupName + "/k"\n'),
    )
    values = _values(*files)
    assert (values["Key"], values["KeyB"]) == ("a.io/k", "b.io/k")


def test_constants_in_functions_are_read_in_their_function():
    """A name of a function hides that of the package there, and only there."""
    text = 'package a\nconst p = "out"\nfunc f() {\n const p = "in"\n const X = p + "!"\n}\nfunc g() {\n const Y = p + "!"\n}\n'
    values = _values(text)
    assert (values["X"], values["Y"]) == ("in!", "out!")


@pytest.mark.parametrize(
    ("declaration", "found"),
    [
        ('var JobNameLabel = "training.example/job-name"', {"JobNameLabel": "training.example/job-name"}),
        ('var JobNameLabel string = Prefix + "/job-name"', {"JobNameLabel": "demo.io/job-name"}),
        ('var JobNameLabel = Key("demo.io/job-name")', {"JobNameLabel": "demo.io/job-name"}),
        ('var StateAnnotation = string("demo.io/state")', {"StateAnnotation": "demo.io/state"}),
        ('var Version = "v0.0.0"', {}),
        ('var ErrLabel = errors.New("demo.io/label")', {}),
        ('var JobNameLabel = prefix() + "/x"', {}),
        ('func f() { var JobNameLabel = "demo.io/x" }', {}),
    ],
)
def test_variables_count_where_they_are_plain_keys_of_labels_or_annotations(declaration, found):
    """A package variable may be set anew; only the keys that operators declare so are taken."""
    values = _values(f'package a\ntype Key string\nconst Prefix = "demo.io"\n{declaration}\n')
    values.pop("Prefix")
    assert values == found


def test_a_text_that_is_assigned_to_a_reason_is_one():
    """Some operators name their reasons nowhere else; other variables in functions do not count."""
    text = 'package a\nfunc f() {\n reason, message := "Started", "it runs"\n reason = `Ended`\n name = "x"\n failReason := g("Lost")\n}\n'
    terms = read_source({"a.go": text.encode()})
    assert [(t.value, t.kind, t.line) for t in terms] == [
        ("Ended", TermKind.REASON, 4),
        ("Started", TermKind.REASON, 3),
    ]


@pytest.mark.parametrize(
    "path",
    [
        "a_test.go",
        "vendor/x/a.go",
        "pkg/vendor/a.go",
        "api/zz_generated.deepcopy.go",
        "a.txt",
        "testdata/a.go",
        "_a.go",
    ],
)
def test_tests_vendored_and_generated_files_are_left_out(path):
    """They may even be no Go."""
    assert not is_source(path)
    assert read_source({path: b"package a\nconst X = {{{"}) == ()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("package a\n\nconst X = \nfunc {", 1),
        ('package a\nconst X = "x\nconst Y = 1\n', 2),
        ("this is not go", 1),
        ('package a\nfunc f() {\n\tif {\n\t}\n}\n\nconst A = "a"\n', 3),
    ],
)
def test_go_that_does_not_parse_names_file_and_line(text, line):
    """Nothing is read from half of a file."""
    with pytest.raises(InputError, match=r"pkg/a\.go:\d+: the Go source does not parse") as caught:
        read_source({"pkg/a.go": text.encode()})
    assert abs(int(caught.value.message.split(":")[1]) - line) <= 2


def test_hostile_source_costs_little():
    """Doubling texts, deep nesting and circles are left out, not worked out."""
    doubling = "".join(f"const C{i} = C{i + 1} + C{i + 1}\n" for i in range(60)) + 'const C60 = "0123456789"\n'
    deep = f'const D = {"(" * 3000}"d"{")" * 3000}\nconst L = ' + '"l" + ' * 3000 + '"l"\n'
    circle = 'const E = F + "e"\nconst F = E + "f"\n'
    values = _values(f'package a\n{doubling}{deep}{circle}const OK = "ok"\n')
    assert values["OK"] == "ok"
    assert not {"C0", "D", "L", "E", "F"} & set(values)


def test_a_file_that_is_too_large_is_refused():
    """Eight mebibytes are no source."""
    with pytest.raises(InputError, match="at most"):
        read_source({"a.go": b"package a\n" + b"//" * 2**22})


def test_without_the_parser_the_environment_is_at_fault(monkeypatch):
    """The parser comes with an extra."""
    monkeypatch.delitem(sys.modules, "tree_sitter_go", raising=False)
    real = builtins.__import__

    def absent(name, *args, **keywords):
        if name == "tree_sitter_go":
            raise ImportError(name)
        return real(name, *args, **keywords)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(EnvironmentFailure, match="not installed"):
        read_source({})
