"""`attn run`, `explain`, `why`, `compare`, `check`, `lint`, `diff`: pages of worked numbers."""

from attncli.cli import options
from attncli.cli.calling import taking
from attncli.commands import pages as commands
from attncli.commands.arguments import Arguments, Output, ServeArguments
from attncli.commands.pages import CompareArguments, DiffArguments, WhyArguments
from attncli.efforts import WORKING, Effort
from attncli.errors import UserError
from attncli.option_values import COST, DETAILS, FLOATS, PRECISIONS

_RUN = {
    "trace": options.text(
        "--trace",
        "NAME",
        "In the place of the scenario itself a variant of it by its name, or the pass after a token"
        " that was generated: `'token 2'`, `'token 2, beam 1'`.",
    ),
    "detail": options.choice(
        "--detail",
        lambda: (*DETAILS, COST),
        f"{options.DETAILS_SAY} `cost`: instead of the working the multiplications, parameters and "
        "bytes of each step, and of all keys and values that a decoder keeps.",
    ),
    "precision": options.choice(
        "--precision",
        lambda: FLOATS,
        "The floats that `--detail cost` counts the bytes of, float32 by default.",
    ),
}


@taking(Arguments, own={**_RUN, "scenario": options.SCENARIO_OR_MODEL}, scenario="", effort=WORKING)
def run(typed: Arguments) -> Output:
    """Work a scenario out, every step as tables and as arithmetic.

    Examples:

      attn run i_love_ai

      attn run scenarios/i_love_ai.yaml --step softmax --token love

      attn run i_love_ai --cell 'weights[love, AI]'

      attn run three_tokens_two_heads --head 2 --step softmax

      attn run my.yaml --gradient-check

      attn run my.yaml --rounding exact --decimals 4 --set scale=none -o page.md

      attn run --from checkpoint/ --text "I love AI" --layer 1 --detail summary
    """
    return commands.run(typed)


_SERVE = {
    "port": options.text("--port", "N", "The port of the page; by default any that is free."),
    "no_open": options.flag("--no-open", "Only print the address; open no browser."),
}


@taking(ServeArguments, own=_SERVE, effort=Effort(steps=1.5, numbers=12, memory=7), talks=True)
def serve(typed: ServeArguments) -> int:
    """Show a scenario in the browser, as it is saved.

    Numbers that are changed in the page are worked at once, and can be written into the file. The
    page is for this machine only. Ctrl-C ends it. It takes `pip install 'attncli[serve]'`.

    Examples:

      attn serve mine.yaml

      attn serve mine.yaml --port 8000 --no-open
    """
    try:
        from attncli.web.server import serve
    except ImportError:
        wrong = "it needs the packages starlette and uvicorn, which are not installed"
        raise UserError.of("attn serve", wrong, "pip install 'attncli[serve]'") from None
    return serve(typed)


@taking(
    Arguments,
    without=commands.WITHOUT["explain"],
    own={"scenario": options.SCENARIO_OR_USUAL},
    scenario="",
    effort=Effort(steps=1.5, numbers=4, memory=3),
)
def explain(typed: Arguments) -> Output:
    """Explain a step: its purpose, working and common mistakes.

    Without --step, those that a scenario takes; without a scenario, each that there is. Lessons
    on sizes are called why_768, why_sqrt_d_k and why_sqrt_d_model.

    Examples:

      attn explain softmax

      attn explain why_sqrt_d_k

      attn explain i_love_ai

      attn explain my.yaml --step scores --token love

      attn explain --format markdown -o lesson.md
    """
    return commands.explain(typed)


_WHY = {
    "cells": options.arguments("CELL...", "The numbers: `'output[love, 2]'`, one or more."),
    "depth": options.text(
        "--depth",
        "N",
        "How many levels of working are told, from 1, or `all`; by default as many as "
        "fit on a screen.",
    ),
}


@taking(WhyArguments, own=_WHY, effort=WORKING)
def why(typed: WhyArguments) -> Output:
    """Show what a number comes from, as a tree of working.

    Below each line stands the working of each number in it, down to what the scenario gives. What
    stands in the tree already isn't told twice.

    Examples:

      attn why 'output[love, 2]' i_love_ai

      attn why 'weights[love, AI]' i_love_ai --depth all --format html -o why.html
    """
    return commands.why(typed)


_COMPARE = {
    "second": options.scenario(
        "Another one; without it the same with what `--set`, `--decimals` and "
        "`--rounding` change. Of two scenarios these change both.",
        "[SECOND]",
    ),
    "detail": options.choice(
        "--detail",
        lambda: DETAILS,
        "`summary`: how many numbers of each quantity differ; `rows`: the rows that differ; "
        "`full`: all rows.",
    ),
}


@taking(CompareArguments, own=_COMPARE, effort=Effort(steps=2, numbers=25, memory=14))
def compare(typed: CompareArguments) -> Output:
    """Compare two scenarios, or one with and without a change.

    What changed in the input, then each quantity with the cells that differ, and the first that
    does. Where only the rounding changes: each number's drift, in units of the last place. Exit
    status 0 when all numbers are the same, 1 when some differ.

    Examples:

      attn compare i_love_ai --set scale=sqrt_d_k

      attn compare i_love_tennis i_love_tennis_causal

      attn compare i_love_ai --rounding exact

      attn compare three_tokens three_tokens_two_heads --step softmax
    """
    return commands.compare(typed)


@taking(Arguments, without=commands.WITHOUT["check"], effort=Effort(steps=1.5, numbers=8, memory=8))
def check(typed: Arguments) -> Output:
    """Check the numbers that a scenario's source prints.

    Each number of its `published:`, and of its variants', is judged: whether it follows, from the
    given numbers or from earlier ones of the source, and if not, which mistake gives it. Exits with
    0 if all of them follow, with 1 if one doesn't.

    Examples:

      attn check alice_met_bob

      attn check mine.yaml --format json
    """
    return commands.check(typed)


@taking(Arguments, without=commands.WITHOUT["lint"], effort=Effort(steps=1.5, numbers=12, memory=7))
def lint(typed: Arguments) -> Output:
    """Tell what is weak about a scenario's numbers.

    Ambiguous roundings, ties, trivial cells, rows that don't add up, hidden mistakes.

    Examples:

      attn lint i_love_ai

      attn lint mine.yaml --step softmax --decimals 4

      attn lint i_love_ai --token love
    """
    return commands.lint(typed)


_DIFF = {
    "dump": options.argument(
        "DUMP", "The tensors: a .npz, .safetensors or .json file of named arrays."
    ),
    "map_": options.texts(
        "--map",
        "THEIRS=OURS",
        "Which quantity a tensor is: `attn.q=Q`, `'attn.qk=heads[*].scores'`, `attn.q=` "
        "to leave it out; or a YAML file of such pairs. May be repeated.",
    ),
    "precision": options.choice(
        "--precision",
        lambda: PRECISIONS,
        "The floats that all was worked in; by default as the dump's numbers are. `tf32` is "
        "float32 whose matrix products round their factors to 11 bits.",
    ),
    "rtol": options.text(
        "--rtol",
        "R",
        "Only ask whether each number is near the scenario's own, as numpy.allclose does: "
        "within atol + R × its size; by default 1e-5, where --atol is given.",
    ),
    "atol": options.text(
        "--atol",
        "A",
        "The same, the part that doesn't grow with the number; by default 1e-8, where "
        "--rtol is given.",
    ),
    "seek": options.text(
        "--seek",
        "SECONDS",
        "For how long the bugs behind departures are sought, by default 10 seconds; 0 not at all.",
    ),
}


@taking(
    DiffArguments,
    without=commands.WITHOUT["diff"],
    own=_DIFF,
    effort=Effort(steps=1.5, numbers=8, memory=9),
)
def diff(typed: DiffArguments) -> Output:
    """Tell where an implementation departs, and by which bug.

    Each tensor of a dump is compared with what follows from the implementation's own earlier
    ones, as far as its floats can tell; names of PyTorch modules and hooks are known. In Python
    attncli.torch.compare(module, x) compares a module itself, without a dump. Exit status 0
    when all follow, 1 when one departs or has a wrong shape, 3 when none does and of some
    nothing can be told.

    Examples:

      attn diff encoder_block dump.npz

      attn diff encoder_block dump.safetensors --map block.attn.q=Q --format json
    """
    return commands.diff(typed)
