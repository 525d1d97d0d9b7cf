"""Draws a command with options: any of those that there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from attncli.classroom.forms.rules import RULES
from attncli.formats import page_format_names, paper_format_names
from attncli.option_values import (
    BLANKS,
    COST,
    DETAILS,
    KEYS,
    LANGUAGES,
    LAYOUTS,
    PAPER_SIZES,
    POLICIES,
)
from attncli.steps import steps
from tests.drawing import Pen, Tree
from tests.fuzzing import warm
from tests.fuzzing.schemas import NUMBERS, WORDS, any_key

SCENARIO = "s.yaml"
"""The name of the scenario in its folder."""

_OFTEN = ("run", "run", "explain", "exercise", "exercise", "lint", "validate")
_SELDOM = (
    "design", "new", "list", "schema", "help", "check", "grade", "diff", "practice", "why", "site",
    "compare", "exam",
)  # fmt: skip
Draw = Callable[[Pen, Tree], str]


def arguments(pen: Pen, tree: Tree) -> list[str]:
    """What is typed after `attn`."""
    name = pen.choice(*_SELDOM) if pen.coin(12) else pen.choice(*_OFTEN)
    typed = [name]
    for parameter in commands()[name].params:
        if parameter.param_type_name == "argument":
            typed.append(_argument(pen, tree, parameter.name))
        elif pen.coin(_RARITY.get(parameter.name, 9)):
            typed += _option(pen, tree, name, parameter)
    if {"--forms", "--hints", "separate"} & {*typed} and not pen.coin(4):
        typed += ["-o", "new/"]  # there are several papers
    return typed


@cache
def commands() -> Mapping[str, Any]:
    """The commands by their names, but for that which serves until it is stopped."""
    return {name: value for name, value in warm.group().commands.items() if name != "serve"}


_ARGUMENTS = {
    "what": ("scenarios", "steps"),
    "which": ("scenario", "output"),
    "file": ("new.yaml", "taken.md"),
    "answers": ("taken.md", "nothing.yaml", SCENARIO),
    "second": ("", "i_love_ai", SCENARIO, "nothing.yaml"),
    "dump": ("taken.md", "nothing.npz", SCENARIO),
    "folder": ("new/", "there", "taken.md", "no/site"),
    "topic": ("scenario", "rounding", "exercise", "softmax", "W_Q", "--detail", *WORDS),
}


def _argument(pen: Pen, tree: Tree, name: str) -> str:
    if name == "cells":
        return _cell(pen, tree)
    if name in _ARGUMENTS:
        return str(pen.choice(*_ARGUMENTS[name]))
    return str(pen.choice("nothing.yaml", ".", *WORDS)) if pen.coin(50) else SCENARIO


def _option(pen: Pen, tree: Tree, command: str, parameter: Any) -> list[str]:
    option = pen.choice(*parameter.opts)
    if parameter.is_flag:
        return [option]
    of_papers = parameter.name == "form" and command in ("exercise", "exam")
    key = "exercise_form" if of_papers else parameter.name
    typed: list[str] = []
    for _ in range(pen.size(1, 2) if parameter.multiple else 1):
        value = pen.choice(*WORDS, *NUMBERS) if pen.coin(25) else VALUES[key](pen, tree)
        typed += [option, value]
    return typed


def _one_of(*values: str) -> Draw:
    return lambda pen, _: str(pen.choice(*values))


def _token(pen: Pen, tree: Tree) -> str:
    words = str(tree.get("sentence", "")).split()
    return str(pen.choice("1", "2", "3", "the", *words))


def _cell(pen: Pen, tree: Tree) -> str:
    """An address of something that a scenario might have."""
    given = [key for key, value in tree.items() if isinstance(value, list | dict)]
    made = [name for step in steps() for name in step.results.names]
    place = pen.choice("", "", "layers[1].", "heads[2].", "rounds[1].", "words[1].", "encoder.")
    name = place + pen.choice(*made, *given, "weights", "a[1]", "best[1]")
    indices = [_token(pen, tree) for _ in range(pen.size(0, 2))]
    return f"{name}[{', '.join(indices)}]" if indices else str(name)


def _change(pen: Pen, tree: Tree) -> str:
    """A change that fits most scenarios, or one of a key that is there, or of any."""
    if pen.coin():
        return str(pen.choice(*_CHANGES))
    key, value = any_key(pen)
    known = pen.choice(*tree, key) if tree else key
    at = pen.choice("", "", "[1,2]", "[1]", ".policy", "[the]", ".x")
    word = value if isinstance(value, str) else pen.choice(*NUMBERS, "none", "{}", "[[1, 2]]")
    return f"{known}{at}={word}"


def _points(pen: Pen, tree: Tree) -> str:
    number = str(pen.size(0, 4))
    return number if pen.coin() else f"{_step(pen, tree)}={number}"


def _blank(pen: Pen, _: Tree) -> str:
    return str(pen.choice(*BLANKS[:-1], f"random:{pen.choice('0.1', '0.4', '1', '0', '1.5')}"))


def _step(pen: Pen, tree: Tree) -> str:
    """A step, mostly one of those that such a scenario goes through."""
    if pen.coin(4):
        return str(pen.choice(*(step.name for step in steps())))
    text = str(tree)
    kind = "recurrent" if "'cell'" in text else "tokenizer" if "'corpus'" in text else "attention"
    return str(pen.choice(*_LIKELY[kind]))


_CHANGES = (
    "scale=none", "rounding.decimals=5", "rounding.policy=exact", "mask=causal", "temperature=2",
    "W_Q[1,1]=-0.285", "rounding.steps={softmax: 4}", "show.graph=true", "title=x",
)  # fmt: skip
_LIKELY = {
    "recurrent": ("input", "memory", "gates", "state", "states", "readout", "gradient"),
    "tokenizer": ("learn", "tokenize", "dictionary", "estimate", "prune", "viterbi"),
    "attention": ("scores", "softmax", "weighted_sum", "project", "norm", "ffn", "embed"),
}
_few = _one_of("0", "1", "2", "3")

VALUES: Mapping[str, Draw] = {
    "step": _step,
    "layer": _one_of("1", "1", "2", "encoder.1", "3"),
    "head": _one_of("1", "1", "2", "3"),
    "token": _token,
    "time": _one_of("1", "1", "2", "last", "9", "x"),
    "rows": _token,
    "columns": _one_of("1", "2", "last", "AI", "9"),
    "mask": _one_of("causal", "none", "x"),
    "norm": _one_of("pre", "post", "x"),
    "cell": _cell,
    "ask": _one_of("attends_most", "attends_most:written", "attends_most[1]", "x[1]", "merged", "which_mask",
        "rounds[2].merged:written",
    ),
    "trace": _one_of("token 2", "token 2, beam 1", "token 3", "small"),
    "depth": _one_of("1", "2", "9", "all", "0"),
    "decimals": _one_of(*map(str, range(14))),
    "rounding": _one_of(*POLICIES),
    "set_": _change,
    "detail": _one_of(*DETAILS, COST),
    "form": _one_of(*page_format_names()),
    "exercise_form": _one_of(*paper_format_names()),
    "output": _one_of(
        "page.md", "page.tex", "page.json", "page", "new/", "there", "there/page.md", "taken.md",
        SCENARIO, "no/page.md", "-", "x" * 300 + ".md",
    ),
    "blank": _blank,
    "points": _points,
    "key": _one_of(*KEYS),
    "layout": _one_of(*LAYOUTS),
    "room": _one_of("0", "6", "100", "101", "x"),
    "paper": _one_of(*PAPER_SIZES),
    "language": _one_of(*LANGUAGES),
    "students": _one_of("nothing.csv", "taken.md", SCENARIO),
    "asked": _one_of("nothing.yaml", SCENARIO, "taken.md"),
    "scheme": _one_of("nothing.yaml", SCENARIO, "taken.md"),
    "overrides": _one_of("nothing.csv", SCENARIO, "taken.md"),
    "map_": _one_of("attn.q=Q", "x=", "heads[*].scores", SCENARIO, "a=b=c"),
    "precision": _one_of("float64", "float32", "float16", "bfloat16"),
    "rtol": _one_of("0", "1e-5", "-1", "nan", "x"),
    "atol": _one_of("0", "1e-8", "inf", "-1", "x"),
    "seek": _one_of("0", "0.5", "-1", "nan", "x"),
    "place": _one_of("place.json", SCENARIO, "no/place.json", "-"),
    "minutes": _one_of("0", "1", "5", "x"),
    "memory": _one_of("memory.json", SCENARIO, "no/memory.json", "-", "there"),
    "from_": _one_of(".", "there", "nothing", SCENARIO),
    "forms": _few,
    "seed": _one_of("0", "7", "1000000000000000000"),
    "allow": _one_of(*RULES),
    "mistakes": _one_of("0", "50", "99"),
    "sentence": _one_of("the cats eat fish", "a b", "word", ""),
    "tokens": _one_of("2", "3", "5", "8"),
    "encoder_tokens": _one_of("0", "5,17,2", "the cat"),
    "encoder_text": _one_of("0", "5,17,2", "the cat", ""),
    "encoder_states": _one_of("nothing.npy", "taken.md", SCENARIO),
    "text": _one_of("0", "5,17,2", "the cat", ""),
    "picture": _one_of("nothing.npy", "taken.md", SCENARIO),
    "spectrogram": _one_of("nothing.npy", "taken.md", SCENARIO),
    "d_model": _one_of("1", "2", "4", "8"),
    "heads": _one_of("1", "2", "4"),
}  # fmt: skip
"""What an option may be followed by, by the name of its parameter."""

_RARITY = {
    "trace": 20, "from_": 3, "text": 20, "form": 2, "step": 4, "fragment": 20, "hints": 20, "layer": 20, "head": 20,
}  # fmt: skip
"""Once in how many times an option is there, if not in nine; those seldom that seldom fit."""
