"""Which languages there are: the one place that knows ``expr/jq``."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from wmap.errors import CallError

if TYPE_CHECKING:
    from wmap.expr.protocol import Expression


@lru_cache(maxsize=4096)
def parse(text: str, language: str = "jq") -> Expression:
    """Parse an expression and check it against the policy of its language.

    Raises:
        ExpressionError: the text does not parse, is too large or too deep, or uses what the policy refuses.
        CallError: no such language.
    """
    if language == "jq":
        from wmap.expr.jq import parse as parse_jq  # noqa: PLC0415  # lark is loaded when first needed

        return parse_jq(text)
    raise CallError(f"no expression language is called {language!r}", hint="the format has one: jq")


def forget_parsed() -> None:
    """Parse anew from now on; for measuring."""
    parse.cache_clear()
