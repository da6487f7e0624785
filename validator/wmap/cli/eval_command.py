"""``wmap eval``."""

from __future__ import annotations

import click

from wmap.cli.options import file_option, write_bytes


@click.command()
@file_option
@click.argument("expression")
def command(files: tuple[str, ...], expression: str) -> None:
    """Evaluate EXPRESSION on each object, as a definition would; one JSON value a line."""
    from wmap.errors import CallError, InputError  # noqa: PLC0415  # loaded when the command runs
    from wmap.expr import EvaluationError, ExpressionError, parse  # noqa: PLC0415  # loads lark
    from wmap.reading.objects import read_objects  # noqa: PLC0415  # loaded when the command runs
    from wmap.report.data import dump  # noqa: PLC0415  # loaded when the command runs

    try:
        parsed = parse(expression)
    except ExpressionError as error:
        marker = " " * error.part.start + "^" * max(1, error.part.end - error.part.start)
        shown = f"\n  {expression}\n  {marker}" if len(expression) < 200 and "\n" not in expression else ""
        raise CallError(f"column {error.part.start + 1}: {error.message}{shown}", hint=error.hint) from error
    for found in read_objects(files):
        try:
            results = parsed.evaluate(found.value)
        except EvaluationError as error:
            for result in error.results:
                write_bytes(dump(result, "jsonl"))
            raise InputError(
                f"{found.where}: {error.message}", hint="`?` suppresses an error, `//` gives a default"
            ) from error
        for result in results:
            write_bytes(dump(result, "jsonl"))
