"""Text of strangers made harmless: what a definition or an object holds goes into terminals, logs, pages and reports."""

from __future__ import annotations

import re

MOST = 2_000
"""Characters of one message that are shown."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LINES = re.compile(r"[\r\n\u0085\u2028\u2029]+")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~])")
_MENTION = re.compile(r"@(?=[A-Za-z0-9])")


def plain(text: str, most: int = MOST) -> str:
    r"""One line without escapes and controls that turn text around; what is too long is cut.

    Control characters are written out (``\x1b``), so that a reader sees that they were there.
    """
    text = _LINES.sub(" ", text[: most + 1] if len(text) > most else text)
    text = _CONTROL.sub(lambda m: f"\\x{ord(m[0]):02x}", text)
    text = _BIDI.sub(lambda m: f"\\u{ord(m[0]):04x}", text)
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= most else text[: most - 3] + "..."


def lines(text: str, most: int = MOST) -> str:
    """As ``plain``, with the line breaks kept."""
    return "\n".join(plain(line, most) for line in text.split("\n"))


def command(text: str) -> str:
    """The data of a workflow command: no line of it can begin another."""
    return plain(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def command_property(text: str) -> str:
    """A property of a workflow command."""
    return command(text).replace(":", "%3A").replace(",", "%2C")


def markdown(text: str) -> str:
    """Text in Markdown: nothing of it is markup, HTML, a link, or calls anybody."""
    return _MENTION.sub("@\u200b", _MARKDOWN.sub(r"\\\1", plain(text))).replace("&", "&amp;")


def code(text: str) -> str:
    """A piece of code within a line of Markdown, also in a table."""
    text = plain(text, 300)
    longest = max((len(m) for m in re.findall(r"`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")


def xml(text: str, most: int = MOST) -> str:
    """Text that XML 1.0 can hold."""
    return re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", lines(text, most))
