"""The one list in which the order of the steps can be read, and what a scenario may say of each.

A step is a module of this package, imported when a story or a file comes to it; its line names the
keys that it owns, by the part of the model that says them. A record of keys reads a file with no
more steps than the file speaks of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from attncli.records import NamedTuple
from attncli.scenario.keys.kinds import Key, Record

if TYPE_CHECKING:
    from attncli.steps.step import Step


class Line(NamedTuple):
    """A step, and its keys: those of a stack, of an attention, of a layer, of a recurrent layer or
    one way of it, and of the whole file. What is `only_for` some keys isn't taken without one."""

    step: str
    stack: str = ""
    attention: str = ""
    layer: str = ""
    cell: str = ""
    way: str = ""
    file: str = ""
    only_for: str = ""

    def is_taken(self, said: Collection[str]) -> bool:
        """Whether it is taken where these keys are said."""
        return not self.only_for or any(key in said for key in self.only_for.split())


TOKENIZER = (
    Line("dictionary"),
    Line("learn"),
    Line("estimate"),
    Line("prune"),
    Line("viterbi"),
)
INPUT = (
    Line(
        "tokenize",
        stack="sentence tokenizer corpus vocabulary_size merges pieces tokens vocabulary",
    ),
    Line("embed", stack="embeddings X d_model embedding_scale"),
    Line("positions", stack="segments segment_embeddings positions"),
)
PROJECTION = (
    Line(
        "project",
        stack="queries keys values",
        attention="projection weights_layout W_Q W_K W_V b_Q b_K b_V cache Q K V",
        layer="d_k d_v",
        file="memory",
    ),
)
_QK_NORM = Line("qk_norm", attention="qk_norm", only_for="qk_norm")
WITH_HEADS = (
    _QK_NORM,
    Line("split", attention="heads kv_heads", only_for="heads kv_heads"),
)
"""What is done with all heads together."""
IN_HEADS = (
    _QK_NORM,
    Line("rotate", only_for="positions"),
    _QK_NORM,
    Line("scores", attention="scores"),
    Line("scale", attention="scale scaled"),
    Line("softcap", attention="softcap", only_for="softcap"),
    Line("bias", attention="bias", only_for="bias positions mask"),
    Line("temperature", attention="temperature", only_for="temperature"),
    Line("mask", attention="mask mask_value", only_for="mask"),
    Line("softmax", attention="weights"),
    Line("dropout", attention="dropout", only_for="dropout"),
    Line("weighted_sum", attention="output"),
)
"""What each head does."""
LAYER_STEPS = (
    Line("merge", attention="W_O b_O"),
    Line("residual", layer="residuals"),
    Line("norm", stack="embedding_norm final_norm", layer="norm norms norm1 norm2 norm3"),
    Line("ffn", layer="activation d_ff W1 b1 W2 b2 W3 b3"),
)
CELL_STEPS = (
    Line("unstack", cell="gate_order", way="W_ih W_hh b_ih b_hh"),
    Line("start", way="initial_state initial_cell"),
    Line("input", cell="cell direction", way="W_ax"),
    Line("memory", way="W_aa"),
    Line("gates", way=" ".join(f"W_{x}x W_{x}a b_{x}" for x in "ufrco")),
    Line("state", cell="reset update", way="b_a"),
    Line("states"),
    Line("readout", cell="W_ya b_y readout readout_from"),
    Line("gradient", cell="gradient"),
)
PREDICTION = (
    Line("unembed", file="unembedding b_U predict_from"),
    Line("predict", file="next generate"),
    Line("loss", file="targets"),
)
ORDER = (
    *TOKENIZER, *INPUT, *PROJECTION, *WITH_HEADS, *IN_HEADS, *LAYER_STEPS, *CELL_STEPS, *PREDICTION,
)  # fmt: skip
STORY = tuple(dict.fromkeys(line.step for line in ORDER))
"""The names of the steps, in the order they are told."""


def step_named(name: str) -> Step:
    """The step of a module of this package."""
    step: Step = import_module(f"attncli.steps.{name}").STEP
    return step


class KeysOf(Mapping[str, Key[Any]]):
    """The keys of a part of the model by their names, each of which is found when it is asked for
    in the step that owns it."""

    def __init__(self, *parts: str, also: tuple[Key[Any], ...] = ()) -> None:
        self._parts = parts
        self._also = {key.name: key for key in also}

    @cached_property
    def _owners(self) -> Mapping[str, str]:
        """The steps of the keys."""
        return {
            name: line.step
            for part in self._parts
            for line in ORDER
            for name in getattr(line, part).split()
        }

    def __getitem__(self, name: str) -> Key[Any]:
        if name in self._also:
            return self._also[name]
        step = step_named(self._owners[name])
        return next(key for key in step.keys if key.name == name)

    def __contains__(self, name: object) -> bool:
        return name in self._owners or name in self._also

    def __iter__(self) -> Iterator[str]:
        yield from self._owners
        yield from self._also

    def __len__(self) -> int:
        return len(self._owners) + len(self._also)


class _KeysOfHeads(KeysOf):
    """The keys of an attention that a head may say for itself."""

    @cached_property
    def _owners(self) -> Mapping[str, str]:
        whole = KeysOf(*self._parts)
        return {name: whole._owners[name] for name, key in whole.items() if key.in_heads}


HEAD = Record(_KeysOfHeads("attention"))
