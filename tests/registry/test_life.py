"""An entry has a life: what framework.yaml says of it is listed, and warned of by readings, of a folder and of a git ref."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from tests.bundles import LWS, of_lws
from tests.repositories import Origin

from wmap import Catalog
from wmap.check.run import validate_catalog, validate_paths
from wmap.cli.main import cli
from wmap.errors import CallError
from wmap.findings import Level
from wmap.registry.bundle import BundleError, build
from wmap.registry.since import validate_since

NAME = "jobset-x-k8s-io-jobset-v1alpha2"
PATH, FRAMEWORK = f"catalog/jobset/{NAME}.yaml", "catalog/jobset/framework.yaml"
OBJECT = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "metadata": {"name": "a"},
    "spec": {"replicatedJobs": []},
}
LIFE = "definitions:\n  %s: {%s}\n"


@pytest.fixture
def origin(tmp_path, repository):
    """A repository whose tag alive says nothing of its entry, and whose main says what a test wants."""
    made = Origin(tmp_path / "origin")
    made.commit({PATH: (repository / PATH).read_text(), FRAMEWORK: (repository / FRAMEWORK).read_text()}, "alive")
    return made


def _say(origin, life):
    text = (origin.folder / FRAMEWORK).read_text()
    origin.write({FRAMEWORK: text + LIFE % (NAME, life)})
    origin.git("commit", "--quiet", "--all", "--message", "life")


@pytest.mark.parametrize(
    ("life", "warnings"),
    [
        ("deprecated: it is old", [("deprecated-definition", f"the definition {NAME} is deprecated: it is old")]),
        (
            "yanked: it counts wrong, deprecated: it is old, replacedBy: b",
            [
                ("yanked-definition", f"the definition {NAME} is yanked: it counts wrong; it is replaced by b"),
                ("deprecated-definition", f"the definition {NAME} is deprecated: it is old; it is replaced by b"),
            ],
        ),
        ("replacedBy: b", [("deprecated-definition", f"the definition {NAME} is deprecated: there is a newer one; it is replaced by b")]),
    ],
)  # fmt: skip
def test_a_reading_warns_of_a_definition_that_is_no_more_to_be_used(origin, life, warnings):
    """Of the folder and of the ref alike; an entry of which nothing is said is read without a word."""
    _say(origin, life)
    for catalog in (Catalog.load(origin.folder / "catalog"), Catalog.load(git=origin.folder)):
        found = catalog.warned(catalog.read(OBJECT)).warnings
        assert [(w.code, w.message) for w in found if w.code.endswith("-definition")] == warnings
    alive = Catalog.load(git=origin.folder, ref="alive")
    assert alive.life(NAME) is None
    reading = alive.read(OBJECT)
    assert alive.warned(reading) == reading


def test_a_life_that_cannot_be_read_is_none(origin):
    """A framework.yaml that is absent or broken says nothing; wmap validate says that it is. An unknown name is a wrong call."""
    origin.write({FRAMEWORK: "definitions: ["})
    catalog = Catalog.load(origin.folder / "catalog")
    assert catalog.life(NAME) is None
    (origin.folder / FRAMEWORK).unlink()
    assert catalog.life(NAME) is None
    with pytest.raises(CallError, match="no definition is called other"):
        catalog.life("other")


@pytest.mark.parametrize(
    ("lives", "said", "hint"),
    [
        (LIFE % (NAME, "replacedBy: jobset-x-k8s-io-jobset-v1alpha3"), f"{NAME} is replaced by jobset-x-k8s-io-jobset-v1alpha3, which is no definition of the catalog", f"did you mean {NAME}?"),
        (LIFE % ("other", "yanked: wrong"), "other is no definition of the catalog", "name a definition by its metadata.name"),
    ],
)  # fmt: skip
def test_a_life_is_of_a_definition_that_there_is(origin, lives, said, hint):
    """A name that no entry has is a finding of lint at its place, of the catalog, of one file and of what changed, and no bundle is built."""
    text = (origin.folder / FRAMEWORK).read_text()
    origin.commit(
        {
            **{n: (origin.folder / n).read_text() for n in (PATH, FRAMEWORK)},
            "LICENSE": "x",
            "schemas/definition.schema.json": "{}",
        },
        "v1.0.0",
    )
    origin.write({FRAMEWORK: text + lives})
    catalog = origin.folder / "catalog"
    for result in (
        validate_catalog(catalog, level=Level.LINT),
        validate_paths([origin.folder / PATH], catalog=catalog, level=Level.LINT),
        validate_since(origin.folder, "v1.0.0", level=Level.LINT),
    ):
        (found,) = [f for f in result.findings if f.code == "L804"]
        assert (found.message, found.hint, found.old) == (said, hint, False)
        assert (found.file or "").endswith(FRAMEWORK)
        assert found.span is not None
        assert found.span.line == text.count("\n") + 2
    origin.git("commit", "--quiet", "--all", "--message", "life")
    with pytest.raises(BundleError, match=f"{FRAMEWORK}: {said}"):
        build(origin.folder, following=True)


def test_show_marks_what_is_no_more_to_be_used(tmp_path, monkeypatch):
    """What is deprecated or yanked stands behind the entry of a bundle."""
    files = of_lws()
    name = LWS.rpartition("/")[2].removesuffix(".yaml")
    life = LIFE % (name, "deprecated: it is old, yanked: it counts wrong")
    made = Origin(tmp_path / "lws")
    made.commit({**files, "catalog/lws/framework.yaml": files["catalog/lws/framework.yaml"] + life.encode()}, "v1.0.0")
    (tmp_path / "b.tar").write_bytes(build(made.folder).data)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["bundle", "show", "b.tar"], standalone_mode=False)
    assert done.stdout.rstrip().endswith("  (yanked: it counts wrong; deprecated: it is old)")


def test_the_commands_show_it(origin, repository, monkeypatch):
    """List says it behind the kind, describe as a warning line and in JSON that satisfies its schema; no escape survives."""
    _say(origin, 'deprecated: "it is \\e[31mold", replacedBy: b')
    monkeypatch.chdir(origin.folder)
    (origin.folder / "a.json").write_text(json.dumps(OBJECT))

    def run(*arguments):
        done = CliRunner().invoke(cli, ["--catalog", "catalog", *arguments], standalone_mode=False)
        assert done.exception is None
        return done.stdout

    listed = run("catalog", "list")
    assert listed == f"{NAME}  jobset.x-k8s.io/v1alpha2 JobSet  (deprecated: it is \\x1b[31mold; replaced by b)\n"
    document = json.loads(run("describe", "-f", "a.json", "-o", "json"))
    Draft202012Validator(json.loads((repository / "schemas/describe.schema.json").read_text())).validate(document)
    assert document["warnings"][0]["code"] == "deprecated-definition"
    tree = " ".join(run("describe", "-f", "a.json").split())
    assert "[deprecated-definition]" in tree
    assert "\x1b[31mold" not in tree
