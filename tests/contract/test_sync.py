"""Sync: from an upstream repository to what a contract is built of, over ``file://``."""

from __future__ import annotations

import hashlib
import json

import pytest
from tests.repositories import Origin

from wmap.contract.framework import CoreType, Framework, Layout, Module, TermRule
from wmap.contract.globs import matching
from wmap.contract.model import TermKind
from wmap.contract.sync import Sync, Wanted, choose
from wmap.errors import CallError, EnvironmentFailure, InputError
from wmap.gitio import GitLimits

CRD = "kind: CustomResourceDefinition\n"
TYPES = 'package v1\n\ntype DemoConditionType string\n\nconst (\n\tDemoReady DemoConditionType = "Ready"\n)\n'
LABELS = 'package util\n\nimport "example.org/demo/api/v1"\n\nconst NameLabel = v1.Group + "/name"\n'
GO_MOD = "module example.org/demo\n"


class Recorder:
    """A builder that writes down what it is given, one file a release."""

    def __call__(self, framework, release, *, crds, terms, repository, commit, date, read, store, core_types):
        store.mkdir(exist_ok=True)
        found = {
            "crds": {k: v.decode() for k, v in crds.items()},
            "terms": [[t.file, t.line, t.name, t.value, t.kind] for t in terms],
            "from": [repository, commit, date],
            "core": [c.path for c in core_types],
            "read": dict(read),
        }
        (store / f"{framework}-{release}.json").write_text(json.dumps(found))


@pytest.fixture
def origin(tmp_path):
    """An operator that moved its CRDs between v0.9.0 and v1.0.0."""
    made = Origin(tmp_path / "origin")
    made.commit({"crds/demo.yaml": CRD + "old: 1\n", "api/v1/types.go": TYPES}, "v0.9.0")
    made.commit(
        {
            "config/crd/bases/demo.yaml": CRD, "config/crd/README.md": "x", "api/v1/types.go": TYPES, "go.mod": GO_MOD,
            "api/v1/group.go": 'package v1\nconst Group = "demo.io"\n', "api/v1/types_test.go": "package {", "pkg/util/labels.go": LABELS,
        },
        "v1.0.0",
    )  # fmt: skip
    made.commit({"config/crd/bases/demo.yaml": CRD, "api/v1/types.go": TYPES}, "v1.1.0-rc.1")
    made.git("tag", "chart-9.0")
    return made


def _framework(origin, **changes):
    fields = {
        "name": "demo", "display_name": "Demo", "licence": "Apache-2.0", "tag_pattern": "v*", "repository": origin.url,
        "layout": (
            Layout(("config/crd/bases/*.yaml",), ("api/**/*.go", "pkg/**/*.go"), ">=v1.0.0-0"),
            Layout(("crds/*.yaml",), ("api/**/*.go",)),
        ),
    }  # fmt: skip
    return Framework(**{**fields, **changes})


@pytest.fixture
def sync(tmp_path):
    """A sync with a cache and a store of its own."""
    return Sync(cache=tmp_path / "cache", store=tmp_path / "store", build=Recorder())


def _built(sync, framework, wanted):
    outcomes = list(sync.run(framework, wanted))
    assert [o.problem for o in outcomes] == [None] * len(outcomes)
    return {o.release: json.loads((sync.store / f"demo-{o.release}.json").read_text()) for o in outcomes}


def test_the_newest_full_release_is_built(sync, origin):
    """With its CRDs, its constants across packages, its commit and its date; tests and other files are left out."""
    built = _built(sync, _framework(origin), Wanted())
    assert built == {
        "v1.0.0": {
            "crds": {"config/crd/bases/demo.yaml": CRD},
            "terms": [
                ["api/v1/group.go", 2, "Group", "demo.io", "other"],
                ["api/v1/types.go", 6, "DemoReady", "Ready", "condition"],
                ["pkg/util/labels.go", 5, "NameLabel", "demo.io/name", "label"],
            ],
            "from": [origin.url, origin.git("rev-parse", "v1.0.0"), "2026-03-05"],
            "core": [],
            "read": {
                path: hashlib.sha256(origin.git_bytes("show", f"v1.0.0:{path}")).hexdigest()
                for path in ("api/v1/group.go", "api/v1/types.go", "go.mod", "pkg/util/labels.go")
            },
        }
    }


def test_all_releases_are_built_from_where_their_things_lie(sync, origin):
    """The CRDs moved; each release is read by the layout of its range."""
    built = _built(sync, _framework(origin), Wanted(every=True))
    assert {r: list(b["crds"]) for r, b in built.items()} == {
        "v0.9.0": ["crds/demo.yaml"],
        "v1.0.0": ["config/crd/bases/demo.yaml"],
        "v1.1.0-rc.1": ["config/crd/bases/demo.yaml"],
    }


def test_one_release_is_built_with_the_rules_of_the_framework(sync, origin):
    """What a constant is, and which places are core types, is passed on."""
    framework = _framework(
        origin,
        vocabulary=(TermRule(TermKind.PHASE, name="DemoReady"),),
        core_types=(
            CoreType("Demo", ".spec.pod", "PodSpec", "x", "<v1.0.0"),
            CoreType("Demo", ".spec.x", "PodSpec", "x", ">v1"),
        ),
    )
    built = _built(sync, framework, Wanted("v0.9.0"))["v0.9.0"]
    assert [t[4] for t in built["terms"]] == ["phase"]
    assert built["core"] == [".spec.pod"]


@pytest.mark.parametrize("by_commit", [False, True])
def test_constants_of_modules_come_at_the_version_of_go_mod(sync, origin, tmp_path, by_commit):
    """By tag or by commit; the term says of which module it is."""
    pkg = Origin(tmp_path / "pkg")
    first = pkg.commit(
        {"apis/c.go": 'package apis\nconst ConditionReady ConditionType = "Ready"\n', "x.go": "package"}, "v0.4.6"
    )
    pkg.commit({"apis/c.go": 'package apis\nconst ConditionReady ConditionType = "Later"\n'})
    version = f"v0.0.0-20260305013000-{first[:12]}" if by_commit else "v0.4.6"
    files = {
        "crds/d.yaml": CRD,
        "op/api/t.go": TYPES,
        "op/go.mod": f"module example.org/op\nrequire knative.dev/pkg {version}\n",
    }
    origin.commit(files, "v0.8.0")
    framework = _framework(
        origin,
        layout=(Layout(("crds/*",), ("op/**",)),),
        modules=(
            Module("knative.dev/pkg", pkg.url, ("apis/**/*.go",), "<v1.0.0"),
            Module("a/b", pkg.url, ("x",), ">=v1.0.0"),
        ),
    )
    built = _built(sync, framework, Wanted("v0.8.0"))["v0.8.0"]
    assert [f"knative.dev/pkg@{version}/apis/c.go", 2, "ConditionReady", "Ready", "condition"] in built["terms"]
    assert f"knative.dev/pkg@{version}/apis/c.go" in built["read"]


def _problem(sync, framework, wanted=Wanted("v1.0.0")):  # noqa: B008  # a value
    (outcome,) = sync.run(framework, wanted)
    assert not sync.store.exists()
    return outcome.problem


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"layout": ()}, InputError, "demo v1.0.0: catalog/demo/framework.yaml has no layout for this release"),
        ({"layout": (Layout(("crd/*",), ("api/**",)),)}, InputError, "demo v1.0.0: no CRD lies at crd/*"),
        ({"layout": (Layout(("config/**",), ("src/**",)),)}, InputError, "demo v1.0.0: no Go source lies at src/**"),
        (
            {"modules": (Module("knative.dev/pkg", "file:///x", ("a",)),)},
            InputError,
            "demo v1.0.0: its go.mod does not require knative.dev/pkg",
        ),
    ],
)
def test_what_framework_yaml_says_wrong_is_named(sync, origin, changes, kind, message):
    """The store is as it was."""
    problem = _problem(sync, _framework(origin, **changes))
    assert type(problem) is kind
    assert problem.message == message


def test_source_that_does_not_parse_is_named_with_its_release(sync, origin):
    """File and line, and nothing is built."""
    origin.commit({"config/crd/bases/d.yaml": CRD, "api/a.go": "package a\nfunc {\n"}, "v1.2.0")
    problem = _problem(sync, _framework(origin), Wanted("v1.2.0"))
    assert problem.message == "demo v1.2.0: api/a.go:2: the Go source does not parse"


def test_a_release_that_is_not_there_is_named(sync, origin):
    """With the nearest."""
    problem = _problem(sync, _framework(origin), Wanted("v1.0.1"))
    assert isinstance(problem, EnvironmentFailure)
    assert (problem.message, problem.exit_code) == (f"{origin.url} has no tag v1.0.1", 3)
    assert "v1.0.0" in problem.hint


def test_a_hostile_release_is_a_wrong_call(sync, origin, tmp_path):
    """It never reaches git."""
    problem = _problem(sync, _framework(origin), Wanted(f"--upload-pack=touch {tmp_path}/marker"))
    assert isinstance(problem, CallError)
    assert not (tmp_path / "marker").exists()


def test_a_repository_that_is_too_large_or_gone_is_named(origin, tmp_path):
    """The environment is at fault; the store is as it was."""
    small = Sync(cache=tmp_path / "c", store=tmp_path / "s", build=Recorder(), limits=GitLimits(size=100))
    problem = _problem(small, _framework(origin))
    assert isinstance(problem, EnvironmentFailure)
    assert "larger than the limit" in problem.message
    gone = _framework(origin, repository=f"file://{tmp_path}/gone")
    assert f"file://{tmp_path}/gone: its tags cannot be listed" in _problem(small, gone).message


def test_a_problem_of_one_release_does_not_stop_the_others(sync, origin):
    """Each has its own outcome."""
    framework = _framework(origin, layout=(Layout(("config/crd/bases/*.yaml",), ("api/**/*.go",)),))
    outcomes = {o.release: o.problem is None for o in sync.run(framework, Wanted(every=True))}
    assert outcomes == {"v0.9.0": False, "v1.0.0": True, "v1.1.0-rc.1": True}


def test_a_server_that_does_not_filter_gives_the_same(tmp_path, origin):
    """And it is said."""
    origin.git("config", "uploadpack.allowFilter", "false")
    sync = Sync(cache=tmp_path / "c2", store=tmp_path / "s2", build=Recorder())
    (outcome,) = sync.run(_framework(origin), Wanted())
    assert outcome.built is not None
    assert outcome.built.unfiltered
    assert list(outcome.built.crds) == ["config/crd/bases/demo.yaml"]


@pytest.mark.parametrize(
    ("tags", "wanted", "chosen"),
    [
        (["v1.0.0", "v1.10.0", "v1.9.0", "v2.0.0-rc.1"], Wanted(), ("v1.10.0",)),
        (["v0.1.0-alpha.3", "v0.1.0-alpha.10"], Wanted(), ("v0.1.0-alpha.10",)),
        (["v1.10.0", "v1.9.0", "other"], Wanted(every=True), ("v1.9.0", "v1.10.0")),
        (["v1.10.0", "other"], Wanted("other"), ("other",)),
    ],
)
def test_the_releases_are_chosen_by_their_order(origin, tags, wanted, chosen):
    """The newest is a full release where there is one; a tag by name need match no pattern."""
    assert choose(_framework(origin), dict.fromkeys(tags, "0" * 40), wanted) == chosen


def test_a_repository_without_releases_is_named(origin):
    """No tag matches."""
    with pytest.raises(EnvironmentFailure, match=r"has no tag that matches v\*"):
        choose(_framework(origin), {"x": "0" * 40}, Wanted())


def test_globs_keep_to_folders():
    """A star does not leave its folder, two of them do."""
    paths = ["a.go", "x/a.go", "x/y/a.go", "x/y/a.yaml", "x.y/a.go"]
    assert matching(paths, ["*.go"]) == ["a.go"]
    assert matching(paths, ["**/*.go"]) == ["a.go", "x.y/a.go", "x/a.go", "x/y/a.go"]
    assert matching(paths, ["x/**/*.go", "x/?/a.yaml"]) == ["x/a.go", "x/y/a.go", "x/y/a.yaml"]
    assert matching(paths, ["x/**"]) == ["x/a.go", "x/y/a.go", "x/y/a.yaml"]
