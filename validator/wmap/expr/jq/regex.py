"""Regular expressions: the subset on which Oniguruma and Go's RE2 agree, matched in linear time.

Literals, ``.``, classes, groups, ``|``, ``^ $``, ``* + ?`` and ``{n,m}``; flags ``i`` and ``x`` are not taken, ``g`` and ``n`` do
not change a test. The pattern becomes a set of states that is walked once over the text, so nothing backtracks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

MAX_PATTERN = 500
MAX_STATES = 2_000
_MAX_REPEAT = 100
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}


class RegexError(ValueError):
    """The pattern is not of the subset; the text says why."""


@dataclass(slots=True)
class _State:
    """``ranges`` are what it takes (with ``negated``), ``next`` where it goes; without ranges it goes on freely."""

    ranges: tuple[tuple[str, str], ...] | None = None
    negated: bool = False
    anchor: str = ""
    next: list[int] = field(default_factory=list)

    def takes(self, character: str) -> bool:
        ranges = self.ranges or ()
        return any(low <= character <= high for low, high in ranges) is not self.negated


class Regex:
    """A compiled pattern. ``test`` says whether it occurs anywhere in the text."""

    def __init__(self, pattern: str) -> None:
        if len(pattern) > MAX_PATTERN:
            raise RegexError(f"it has {len(pattern)} characters, at most {MAX_PATTERN} are read")
        self._pattern = pattern
        self._position = 0
        self._depth = 0
        self._states: list[_State] = []
        self._entry, out = self._alternatives()
        if self._position < len(pattern):
            raise RegexError("a ) closes nothing")
        self._accept = self._state(_State(anchor="accept"))
        self._patch(out, self._accept)
        self._moves: dict[tuple[frozenset[int], str], frozenset[int]] = {}

    def test(self, text: str) -> bool:
        """Whether the pattern occurs in the text. Takes time in proportion to its length."""
        last = len(text)
        current = self._closure({self._entry}, first=True, last=last == 0)
        if self._accept in current:
            return True
        restart_middle = self._closure({self._entry}, first=False, last=False)
        for i, character in enumerate(text):
            at_end = i + 1 == last
            reached = self._moves.get((current, character)) if not at_end else None
            if reached is None:
                targets = {n for s in current if self._states[s].ranges is not None and self._states[s].takes(character)
                           for n in self._states[s].next}  # fmt: skip
                reached = self._closure(targets, first=False, last=at_end)
                restart = self._closure({self._entry}, first=False, last=True) if at_end else restart_middle
                reached |= restart
                if not at_end and len(self._moves) < 10_000:
                    self._moves[current, character] = reached
            current = reached
            if self._accept in current:
                return True
        return False

    def _closure(self, states: set[int], *, first: bool, last: bool) -> frozenset[int]:
        seen: set[int] = set()
        pending = list(states)
        while pending:
            i = pending.pop()
            if i in seen:
                continue
            seen.add(i)
            state = self._states[i]
            if state.ranges is not None or state.anchor == "accept":
                continue
            if (state.anchor == "^" and not first) or (state.anchor == "$" and not last):
                continue
            pending.extend(state.next)
        return frozenset(seen)

    # --- the parser: each gives (entry state, states whose next is still open) ----------------------------------------

    def _state(self, state: _State) -> int:
        if len(self._states) >= MAX_STATES:
            raise RegexError("it is too large")
        self._states.append(state)
        return len(self._states) - 1

    def _patch(self, out: list[int], target: int) -> None:
        for i in out:
            self._states[i].next.append(target)

    def _peek(self) -> str:
        return self._pattern[self._position : self._position + 1]

    def _alternatives(self) -> tuple[int, list[int]]:
        entry, out = self._sequence()
        while self._peek() == "|":
            self._position += 1
            other, other_out = self._sequence()
            entry = self._state(_State(next=[entry, other]))
            out = out + other_out
        return entry, out

    def _sequence(self) -> tuple[int, list[int]]:
        entry = self._state(_State())
        out = [entry]
        while self._peek() not in ("", "|", ")"):
            begin = self._position
            item, item_out = self._atom()
            item, item_out = self._repeated(begin, item, item_out)
            self._patch(out, item)
            out = item_out
        return entry, out

    def _repeated(self, begin: int, item: int, out: list[int]) -> tuple[int, list[int]]:
        end = self._position
        quantifier = self._peek()
        low, high = 1, 1
        if quantifier in ("*", "+", "?") and quantifier:
            self._position += 1
            low, high = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}[quantifier]
        elif quantifier == "{":
            low, high = self._bounds()
        else:
            return item, out
        if self._peek() in ("*", "+", "?", "{") and self._peek():
            raise RegexError("lazy, possessive and repeated quantifiers are not taken")
        after = self._position
        entry = self._state(_State())
        result = [entry]
        for _ in range(low):
            item, out = self._again(begin, end)
            self._patch(result, item)
            result = out
        if high < 0:
            item, out = self._again(begin, end)
            loop = self._state(_State(next=[item]))
            self._patch(result, loop)
            self._patch(out, loop)
            result = [loop]
        else:
            exits = list(result)
            for _ in range(high - low):
                item, out = self._again(begin, end)
                self._patch(result, item)
                result = out
                exits += [o for o in out if o not in exits]
            result = exits
        self._position = after
        return entry, result

    def _again(self, begin: int, end: int) -> tuple[int, list[int]]:
        self._position = begin
        item, out = self._atom()
        self._position = end
        return item, out

    def _bounds(self) -> tuple[int, int]:
        close = self._pattern.find("}", self._position)
        low, comma, high = self._pattern[self._position + 1 : close if close > 0 else None].partition(",")
        if close < 0 or not low.isdecimal() or not (high.isdecimal() or not high) or not f"{low}{high}".isascii():
            raise RegexError("a { begins no {n}, {n,} or {n,m}; write \\{ for the brace")
        self._position = close + 1
        most = int(low) if not comma else (int(high) if high else -1)
        if int(low) > _MAX_REPEAT or most > _MAX_REPEAT:
            raise RegexError(f"more than {_MAX_REPEAT} repetitions")
        if 0 <= most < int(low):
            raise RegexError("the bounds of {n,m} are the wrong way round")
        return int(low), most

    def _atom(self) -> tuple[int, list[int]]:
        character = self._peek()
        self._position += 1
        if character == "(":
            return self._group()
        if character == "[":
            return self._taking(*self._class())
        if character == ".":
            return self._taking((("\n", "\n"),), negated=True)
        if character in "^$":
            state = self._state(_State(anchor=character))
            return state, [state]
        if character == "\\":
            return self._taking(*self._escape())
        if character in "*+?{}])":
            raise RegexError(f"the {character} stands alone; write \\{character} for the character")
        return self._taking(((character, character),), negated=False)

    def _taking(self, ranges: tuple[tuple[str, str], ...], negated: bool) -> tuple[int, list[int]]:
        state = self._state(_State(ranges=ranges, negated=negated))
        return state, [state]

    def _group(self) -> tuple[int, list[int]]:
        if self._pattern.startswith("?:", self._position):
            self._position += 2
        elif self._peek() == "?":
            raise RegexError("look-around, named groups and inline flags are not taken")
        self._depth += 1
        if self._depth > 20:
            raise RegexError("groups are nested more than 20 deep")
        result = self._alternatives()
        self._depth -= 1
        if self._peek() != ")":
            raise RegexError("a ( is not closed")
        self._position += 1
        return result

    def _escape(self) -> tuple[tuple[tuple[str, str], ...], bool]:
        character = self._peek()
        self._position += 1
        if character in ("d", "D"):
            raise RegexError(f"\\{character} is Unicode in one reader and ASCII in another; write [0-9]")
        if character in ("w", "W", "s", "S", "b", "B"):
            raise RegexError(f"\\{character} is Unicode in one reader and ASCII in another; write a class")
        if character in _CONTROL and character:
            character = _CONTROL[character]
        elif not character or character.isalnum() or not character.isascii():
            raise RegexError(f"the escape \\{character} is not taken")
        return ((character, character),), False

    def _class(self) -> tuple[tuple[tuple[str, str], ...], bool]:
        negated = self._peek() == "^"
        self._position += negated
        ranges: list[tuple[str, str]] = []
        while True:
            character = self._peek()
            if not character:
                raise RegexError("a [ is not closed")
            if character == "]" and ranges:
                self._position += 1
                return tuple(ranges), negated
            if character in "[]&":
                raise RegexError(f"{character} in a class is read differently; write \\{character}")
            low = self._class_character()
            if self._peek() == "-" and self._pattern[self._position + 1 : self._position + 2] not in ("]", ""):
                self._position += 1
                high = self._class_character()
                if high < low:
                    raise RegexError(f"the range {low}-{high} is the wrong way round")
                ranges.append((low, high))
            else:
                ranges.append((low, low))

    def _class_character(self) -> str:
        character = self._peek()
        self._position += 1
        if character == "\\":
            (((low, _),), _) = self._escape()
            return low
        return character


@lru_cache(maxsize=256)
def compile_regex(pattern: str, flags: str = "") -> Regex:
    """Compile a pattern.

    Raises:
        RegexError: it is not of the subset.
    """
    for flag in flags:
        if flag not in "gn":
            raise RegexError(f"the flag {flag} is not taken")
    return Regex(pattern)
