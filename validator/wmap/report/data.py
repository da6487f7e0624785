"""Documents as JSON, JSON Lines or YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def dump(document: Any, form: str) -> bytes:
    """A document as ``json`` (indented), ``jsonl`` (one line) or ``yaml``."""
    if form == "yaml":
        return _yaml(document)
    import orjson  # noqa: PLC0415  # loaded when something is written

    options = orjson.OPT_APPEND_NEWLINE | (0 if form == "jsonl" else orjson.OPT_INDENT_2)
    return orjson.dumps(document, option=options)


def dump_list(documents: Iterable[Any], form: str) -> Iterator[bytes]:
    """The bytes of ``dump(list(documents), form)`` (``json`` or ``yaml``), piece by piece, so that one is kept at a time.

    Where making a document raises, the pieces so far are no whole JSON list, and so cannot be taken for one.
    """
    empty = True
    for document in documents:
        piece = dump([document], form)
        if form == "json":
            piece = (b"[" if empty else b",") + piece[1:-3]
        empty = False
        yield piece
    if empty:
        yield b"[]\n"
    elif form == "json":
        yield b"\n]\n"


def dump_change(old: Any, new: Any, form: str) -> bytes:
    """A changed object: whole (``yaml``, ``json``), or as ``merge-patch`` or ``json-patch``."""
    from wmap.reading.patch import json_patch, merge_patch  # noqa: PLC0415  # only for changes

    if form == "merge-patch":
        return dump(merge_patch(old, new), "json")
    if form == "json-patch":
        return dump(json_patch(old, new), "json")
    return dump(new, form)


def _yaml(document: Any) -> bytes:
    import yaml  # noqa: PLC0415  # only for YAML

    from wmap.definition.scalars import ScalarError, resolve  # noqa: PLC0415  # only for YAML

    class Dumper(yaml.SafeDumper):
        """Quotes what kubectl would read as something else than a text, and writes no aliases."""

        def ignore_aliases(self, _: Any) -> bool:
            return True

    def text(dumper: Dumper, value: str) -> Any:
        try:
            plain = isinstance(resolve(value), str)
        except ScalarError:
            plain = False
        style = "|" if "\n" in value.strip("\n") else None if plain else '"'
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    dumped: str = yaml.dump(document, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=120)
    return dumped.encode()
