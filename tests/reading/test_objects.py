"""Where objects come from: files of every form, folders, standard input; and what is refused."""

from __future__ import annotations

import io
import socket
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from wmap.errors import CallError, EnvironmentFailure, InputError
from wmap.reading import objects
from wmap.reading.objects import read_objects, read_pods

A = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}'


def _names(path):
    return [(o.value["metadata"]["name"], o.line) for o in read_objects([path])]


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("x.json", A, [("a", 1)]),
        ("x.json", f"[{A},\n {A}]", [("a", 1), ("a", 1)]),
        ("x.json", '{\n "apiVersion": "v1",\n "kind": "Pod", "metadata": {"name": "b"}}', [("b", 1)]),
        ("x.jsonl", f"\n{A}\n\n{A}\n", [("a", 2), ("a", 4)]),
        ("x.yaml", f"# a comment\n\n{A}\n", [("a", 3)]),
        ("x.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: c}\n---\n---\n" + A, [("c", 1), ("a", 6)]),
        ("x.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: d}}", [("d", 1)]),
        ("x.yaml", "kind: List\napiVersion: v1\nitems:\n- " + A, [("a", 1)]),
        ("x.yaml", "kind: PodList\napiVersion: v1\nitems:\n- {metadata: {name: e}}", [("e", 1)]),
    ],
)  # fmt: skip
def test_objects_are_read_from_every_form(tmp_path, name, text, found):
    """YAML and JSON, one or several, Lists and JSON Lines give their objects with the lines they begin at."""
    file = tmp_path / name
    file.write_text(text)
    assert _names(file) == found


def test_a_folder_is_read_whole(tmp_path):
    """The files below a folder are read in the order of their names; others are passed over."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.json").write_text(A)
    (tmp_path / "a.yaml").write_text(A.replace('"a"', '"first"'))
    (tmp_path / "readme.md").write_text("no object")
    assert [n for n, _ in _names(tmp_path)] == ["first", "a"]


def test_standard_input_is_read(monkeypatch):
    """``-`` is standard input."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(A.encode())))
    (found,) = read_objects(["-"])
    assert found.where == "standard input:1"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("x.yaml", "", "is empty"),
        ("x.yaml", "# nothing\n", "is empty"),
        ("x.yaml", "- 1\n", "a list is no object"),
        ("x.yaml", "5\n", "5 is no object"),
        ("x.json", "{\n", "it is not JSON"),
        ("x.jsonl", f"{A}\n{{\n", "x.jsonl:2"),
        ("x.jsonl", f"{A}\n5\n", "5 is no object"),
        ("x.json", '{"kind": "Pod"}', "has no apiVersion"),
        ("x.json", '{"apiVersion": "v1", "kind": 5}', "has no kind"),
        ("x.json", '{"apiVersion": "v1", "kind": "List", "items": [5]}', "items[0] of the List is no object"),
    ],
)
def test_what_is_no_object_is_refused(tmp_path, name, text, words):
    """A file that holds something else is an error that says what and where."""
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        list(read_objects([file]))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("limit", "text", "words"), [("MAX_LINE", f"{A}\n{A}{' ' * 200}\n", ":2: the line"), ("MAX_FILE", A + "\n" * 90 + "- x", "more than")]
)  # fmt: skip
def test_what_is_too_large_is_refused(tmp_path, monkeypatch, limit, text, words):
    """A line, or a file that must be read whole, beyond the limit is refused before it fills the memory."""
    monkeypatch.setattr(objects, limit, 100)
    file = tmp_path / "x.jsonl"
    file.write_text(text if limit == "MAX_LINE" else "apiVersion: v1\n" * 20)
    with pytest.raises(InputError, match=words):
        list(read_objects([file]))


def test_a_path_that_does_not_exist_is_refused(tmp_path):
    """A path that is not there, and a folder without files of objects, are errors of the call."""
    with pytest.raises(CallError, match="does not exist"):
        list(read_objects([tmp_path / "none"]))
    with pytest.raises(CallError, match="holds no file of objects"):
        list(read_objects([tmp_path]))


def test_what_cannot_be_read_is_the_environment(tmp_path):
    """A file that the system does not let us read fails the environment, not the data."""
    looped = tmp_path / "loop.yaml"
    looped.symlink_to(tmp_path / "loop.yaml")
    with pytest.raises((CallError, EnvironmentFailure)):
        list(read_objects([looped]))
    pipe = tmp_path / "folder.yaml"
    pipe.mkdir()
    (pipe / "x.yaml").symlink_to("/proc/self/mem")
    with pytest.raises(EnvironmentFailure, match="cannot be read"):
        list(read_objects([pipe / "x.yaml"]))


def test_something_else_among_the_pods_is_refused(tmp_path):
    """A file of pods holds pods only."""
    file = tmp_path / "pods.jsonl"
    file.write_text(A + "\n" + A.replace('"Pod"', '"Job"'))
    with pytest.raises(InputError, match="a Job is among the pods"):
        list(read_pods([file]))


def test_a_file_that_breaks_off_while_it_is_read_is_an_environment_failure():
    """An error of the system while reading names the file; a process's memory opens, but cannot be read at 0."""
    if not Path("/proc/self/mem").exists():
        pytest.skip("not run: there is no /proc/self/mem")
    with pytest.raises(EnvironmentFailure, match="cannot be read"):
        list(read_objects(["/proc/self/mem"]))


def test_a_file_that_cannot_be_opened_is_an_environment_failure(tmp_path):
    """What cannot be opened (here a socket) is named; it is no fault of the object."""
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(tmp_path / "s"))
        with pytest.raises(EnvironmentFailure, match=r"s cannot be read"):
            list(read_objects([tmp_path / "s"]))
