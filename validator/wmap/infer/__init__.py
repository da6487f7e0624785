"""Static typing of expressions over contracts, as rules see it."""

from wmap.expr.static import Place, Remembered, Shape
from wmap.expr.typing import (
    Compared,
    Defaulted,
    Link,
    Position,
    Raises,
    Typing,
    UnknownField,
    UnknownPlace,
)
from wmap.infer.alignment import Alignment, Verdict, aligned
from wmap.infer.typing import nearest, typing

__all__ = [
    "Alignment",
    "Compared",
    "Defaulted",
    "Link",
    "Place",
    "Position",
    "Raises",
    "Remembered",
    "Shape",
    "Typing",
    "UnknownField",
    "UnknownPlace",
    "Verdict",
    "aligned",
    "nearest",
    "typing",
]
