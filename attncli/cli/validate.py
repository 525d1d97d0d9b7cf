"""`attn validate`: every problem of every file."""

from typing import Annotated

import typer

from attncli.cli import options
from attncli.cli.arguments import Allowed, acting
from attncli.cli.complaints import BAD_INPUT, Complaints, say
from attncli.writing import write_out


@acting
def command(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Scenario files.")],
    files_outside: options.FilesOutside = False,
    large: options.Large = False,
) -> int:
    """Check scenario files, and say every problem of each.

    A file without problems gets a line saying what it holds.

    Example:

      attn validate scenarios/*.yaml
    """
    from attncli.pipeline import work
    from attncli.render import summary_line
    from attncli.telling.closing import ending_in_short
    from attncli.telling.sentences import published_in_short, summary
    from attncli.trace.trace import outline_of
    from attncli.word import Word

    allowed = Allowed(files_outside, large)
    complaints = [Complaints() for _ in files]
    lines = []
    for file, heard in zip(files, complaints, strict=True):
        with heard.heard():
            trace = work(allowed.load(file))
            said = (*summary(outline_of(trace)), published_in_short(trace), ending_in_short(trace))
            lines.append(f"{summary_line(Word(file), said)}\n")
    write_out("".join(lines))
    for heard in complaints:
        say(heard.problems)
    return BAD_INPUT if any(heard.problems for heard in complaints) else 0
