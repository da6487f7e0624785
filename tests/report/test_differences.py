"""How the semantic diff is shown to people."""

from __future__ import annotations

import pytest

from wmap.registry.diff import Diff
from wmap.registry.differences import Change, Differences, EntryChanges, Semantic, Status, What
from wmap.report.differences import as_text, differing

WORDS = " ".join(f"word{n}" for n in range(40))


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("short", "other", ("short", "other")),
        (None, WORDS, (None, WORDS)),
        (
            WORDS,
            WORDS.replace("word20", "changed"),
            (
                "... word15 word16 word17 word18 word19 word20 word21 word22 word23 word24 word25 ...",
                "... word15 word16 word17 word18 word19 changed word21 word22 word23 word24 word25 ...",
            ),
        ),
        (
            WORDS,
            f"{WORDS} more",
            ("... word35 word36 word37 word38 word39", "... word35 word36 word37 word38 word39 more"),
        ),
        (WORDS, WORDS[6:], ("word0 word1 word2 word3 word4 word5 ...", "word1 word2 word3 word4 word5 ...")),
        ("a " * 100, "a " * 101, ("... a a a a a", "... a a a a a a")),
    ],
)
def test_of_long_texts_only_what_differs_is_shown(
    before: str | None, after: str | None, shown: tuple[str, str]
) -> None:
    """Of two long texts the words that differ stand there, with a few around them; short ones are whole."""
    assert differing(before, after) == shown


def test_what_changed_alike_at_several_places_is_told_once() -> None:
    """An expression that several mappings share is shown once, under the places that it stands at."""
    pairs = [
        (f"{WORDS} gives {r}", f"{WORDS.replace('word20', 'changed')} gives {r}", f"spec.{r}") for r in ("a", "b", "b")
    ]
    changes = tuple(Change(What.CHANGED, Semantic.MAJOR, path, old, new, "why") for old, new, path in pairs)
    entry = EntryChanges("one", Status.CHANGED, changes, None, "one.yaml", "one.yaml")
    text = as_text(Diff(Differences("A", "B", (entry,), ()), None))
    assert text.count("word20") == 1
    assert [line.strip() for line in text.splitlines() if "spec." in line] == [
        "! changed spec.a",
        "! changed spec.b: why",
    ]
