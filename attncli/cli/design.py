"""`attn design`: a new scenario with nice numbers."""

# no lazy annotations here: Typer reads them
import shlex
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from attncli.cli import options
from attncli.cli.arguments import Text, taking, whole
from attncli.cli.complaints import Complaints
from attncli.cli.output import check_target, is_written
from attncli.refusals import Problem
from attncli.writing import OutputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from attncli.design.sketch import Sizes

_MOST_DECIMALS = 9


class DesignArguments(NamedTuple):
    """What was typed."""

    tokens: Annotated[
        str, typer.Option("--tokens", metavar="N", help="How many words, 2 to 8.")
    ] = "3"
    d_model: Annotated[
        str,
        typer.Option("--d-model", metavar="N", help="The dimensions of the embeddings, 1 to 8."),
    ] = "2"
    heads: Annotated[
        str,
        typer.Option("--heads", metavar="N", help="How many heads share these dimensions equally."),
    ] = "1"
    seed: Annotated[
        str,
        typer.Option(
            "--seed", metavar="N", help="Chooses the numbers; the same seed gives the same bytes."
        ),
    ] = "1"
    decimals: Annotated[
        str, typer.Option("--decimals", metavar="N", help="The decimals of every step.")
    ] = "3"
    allow: options.Allow = None
    output: options.Output = None
    force: options.Force = False


@taking(DesignArguments)
def command(typed: DesignArguments) -> Text:
    """Make a new scenario whose numbers are nice to work with by hand.

    Examples:

      attn design --tokens 3 --d-model 2 --heads 1 --seed 7 -o mine.yaml

      attn design --tokens 7 --d-model 4 --heads 2 --allow sums
    """
    from attncli.design.rules import check_names
    from attncli.scenario.exercise import LARGEST_SEED

    complaints = Complaints()
    sizes = _sizes(complaints, typed)
    number = complaints.hear(whole, "--seed", typed.seed, 0, LARGEST_SEED)
    complaints.problems += check_names(typed.allow or ())
    complaints.hear(check_target, typed.output, force=typed.force)
    complaints.stop_if_any()
    assert sizes is not None
    assert number is not None
    text = _text(sizes, number, typed.allow or ())
    return Text(text, typed.output, typed.force, is_written(typed.output))


def _sizes(complaints: Complaints, typed: DesignArguments) -> "Sizes | None":
    """The sizes that are asked for; None having heard what is wrong with them."""
    from attncli.design.sketch import FEWEST, MOST, MOST_D_MODEL, Sizes

    found = [
        complaints.hear(whole, "--tokens", typed.tokens, FEWEST, MOST),
        complaints.hear(whole, "--d-model", typed.d_model, 1, MOST_D_MODEL),
        complaints.hear(whole, "--heads", typed.heads, 1, MOST_D_MODEL),
        complaints.hear(whole, "--decimals", typed.decimals, 1, _MOST_DECIMALS),
    ]
    known = [size for size in found if size is not None]
    sizes = Sizes(*known) if len(known) == len(found) else None
    if sizes is not None and sizes.d_model % sizes.heads:
        fitting = [str(h) for h in range(1, sizes.d_model + 1) if sizes.d_model % h == 0]
        wrong = f"{sizes.d_model} dimensions can't be shared equally by {sizes.heads} heads"
        right = f"give {' or '.join(fitting)}"
        complaints.problems.append(Problem.of(f"--heads {typed.heads}", wrong, right))
    return sizes


def _text(sizes: "Sizes", seed: int, allow: "Sequence[str]") -> str:
    from attncli.design.search import Unsatisfied
    from attncli.design.sketch import sketch, text_of

    try:
        words, scenario = sketch(sizes, seed, allow)
    except Unsatisfied as error:
        wrong, right = error.problems[0].wrong, "choose other sizes, or give up a rule with --allow"
        raise OutputError.of("a scenario of these sizes", wrong, right) from None
    return text_of(sizes, words, scenario, _command(sizes, seed, allow))


def _command(sizes: "Sizes", seed: int, allow: "Sequence[str]") -> str:
    """The command that makes a scenario again."""
    words = ["attn", "design", "--tokens", str(sizes.tokens), "--d-model", str(sizes.d_model)]
    words += ["--heads", str(sizes.heads), "--seed", str(seed), "--decimals", str(sizes.decimals)]
    words += [word for rule in allow for word in ("--allow", rule)]
    return " ".join(map(shlex.quote, words))
