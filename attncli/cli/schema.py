"""`attn schema`: the JSON Schema of scenario files, or of what is written as JSON."""

import json
from typing import Annotated, Any

import typer

from attncli.cli import options
from attncli.cli.arguments import Text, acting
from attncli.writing import OutputError

WHAT = ("scenario", "output")
_LINE = 120
"""Characters: what fits in a line has no more of them."""


@acting
def command(
    which: Annotated[
        str,
        typer.Argument(
            metavar="[scenario|output]",
            help="Of scenario files, or of what `--format json` writes.",
            autocompletion=options.beginning(lambda: WHAT),
        ),
    ] = WHAT[0],
) -> Text:
    """Print the JSON Schema of scenario files, for editors.

    Or that of what is written as JSON.

    Examples:

      attn schema > attn.schema.json

      attn schema output
    """
    if which not in WHAT:
        raise OutputError.of(which, "there is no such schema", f"say {' or '.join(WHAT)}")
    return Text(_laid_out(_schema_of(which)) + "\n")


def _schema_of(which: str) -> dict[str, Any]:
    if which == "output":
        from attncli.render.output_schema import output_schema

        return output_schema()
    from attncli.steps.schema import json_schema

    return json_schema()


def _laid_out(value: Any, indent: str = "") -> str:  # noqa: ANN401
    """JSON in which only what is too long for a line has a line for each of its parts."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= _LINE or not isinstance(value, dict | list):
        return line
    deeper = indent + "  "
    if isinstance(value, list):
        parts, brackets = [_laid_out(part, deeper) for part in value], "[]"
    else:
        parts = [f"{json.dumps(key)}: {_laid_out(part, deeper)}" for key, part in value.items()]
        brackets = "{}"
    inside = f",\n{deeper}".join(parts)
    return f"{brackets[0]}\n{deeper}{inside}\n{indent}{brackets[1]}"
