"""``go.mod``: versions of modules, replaced ones too."""

from __future__ import annotations

import pytest

from wmap.contract.gomod import Version, parse_go_mod
from wmap.errors import InputError

TEXT = """\
module example.org/demo // the operator

go 1.22

require github.com/kubeflow/common v0.4.6
require (
\tknative.dev/pkg v0.0.0-20221011175852-714b7630a836
\t"k8s.io/api" v0.29.0 // indirect
\texample.org/old v2.0.0+incompatible
\texample.org/local v1.0.0
\texample.org/moved v1.0.0
\texample.org/other v1.1.0
)

replace (
\texample.org/local => ../local
\texample.org/moved v1.0.0 => example.org/new v1.2.3
\texample.org/other v1.0.0 => example.org/never v9.9.9
)

exclude k8s.io/api v0.28.0
retract [v0.1.0, v0.2.0]
"""


@pytest.mark.parametrize(
    ("module", "version"),
    [
        ("github.com/kubeflow/common", Version("github.com/kubeflow/common", "v0.4.6")),
        ("k8s.io/api", Version("k8s.io/api", "v0.29.0")),
        ("example.org/moved", Version("example.org/new", "v1.2.3")),
        ("example.org/other", Version("example.org/other", "v1.1.0")),
        ("example.org/local", None),
        ("example.org/absent", None),
    ],
)
def test_the_version_is_the_one_that_a_build_uses(module, version):
    """Required, unless replaced at that version or at any; a folder has no version."""
    assert parse_go_mod(TEXT).version(module) == version


def test_the_path_of_the_module_itself_is_read():
    """A comment behind it is none of it."""
    assert parse_go_mod(TEXT).module == "example.org/demo"


def test_a_version_is_a_tag_or_a_commit():
    """A pseudo-version names a commit; the mark of an old module is no part of the tag."""
    mod = parse_go_mod(TEXT)
    pseudo, old = mod.version("knative.dev/pkg"), mod.version("example.org/old")
    assert pseudo is not None
    assert (pseudo.tag, pseudo.commit) == (None, "714b7630a836")
    assert old is not None
    assert (old.tag, old.commit) == ("v2.0.0", None)
    later = Version("x", "v1.2.4-0.20191109021931-daa7c04131f5")
    assert (later.tag, later.commit) == (None, "daa7c04131f5")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"x:1: there is no module"),
        ("module a\nrequire b\n", r"x:2: the require directive is not complete"),
        ("module a\nrequire (\n b v1\n c\n)\n", r"x:4: the require"),
        ("module a b\n", r"x:1: the module"),
        ("module a\nreplace b v1 c\n", r"x:2: the replace"),
        ("module a\nreplace => c v1\n", r"x:2: the replace"),
    ],
)
def test_what_is_not_complete_is_named_with_its_line(text, message):
    """A go.mod that is cut off is no go.mod."""
    with pytest.raises(InputError, match=message):
        parse_go_mod(text, file="x")
