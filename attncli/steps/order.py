"""The one list in which the order of the steps can be read, and what a scenario may say of each.

A step is in a module in a folder of this package, imported when a story or a file comes to it, or
is a file of YAML there, read then; its line names the keys that it owns, by the part of the model
that says them. A record of keys reads a
file with no more steps than the file speaks of.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from attncli.plugins import STEPS, Plugin, plugins
from attncli.scenario.file.address import AddressError, parse_address
from attncli.scenario.file.keys import Key, OwnedKeys, Record

if TYPE_CHECKING:
    from attncli.steps.step import Step
    from attncli.trace import PlannedStep


class StepLine(NamedTuple):
    """A line of the order: a step, the module that it stands in or its file, and the keys that it
    owns."""

    step: str
    module: str
    stack: str = ""
    """Its keys of a stack, separated by spaces."""
    attention: str = ""
    """Its keys of an attention."""
    layer: str = ""
    """Its keys of a layer."""
    cell: str = ""
    """Its keys of a recurrent layer."""
    way: str = ""
    """Its keys of one way of a recurrent layer."""
    file: str = ""
    """Its keys of the whole file."""
    only_for: str = ""
    """Keys without one of which it isn't taken."""
    asks: str = ""
    """The names of its questions that are answered in words."""
    when: tuple[str, str | None] = ("", None)
    """Where a step may be taken at several places: the key and the word that choose this one, None
    for the default."""
    after: str = ""
    """Of a step that another package adds: the step of a head, of all heads together, or of a
    recurrent cell that it is taken behind. Its `module` is named in full; a file is
    `package:file.yaml`."""

    def is_taken(self, texts: Collection[str]) -> bool:
        """Tells whether the step is taken where these keys are said."""
        return not self.only_for or any(key in texts for key in self.only_for.split())

    def is_moment(self, data: Mapping[str, object]) -> bool:
        """Tells whether this is the place of a step that may be taken at several."""
        key, value = self.when
        return not key or data.get(key) == value


_OTHERS: tuple[StepLine, ...] = tuple(
    entry.load() for entry in plugins(STEPS).values() if not entry.is_file
)
"""The steps that other packages add."""


def _with_others(*lines: StepLine) -> tuple[StepLine, ...]:
    """Returns steps that are taken one after the other, with those of other packages behind the
    last of each that they name."""
    places = {line.step: k for k, line in enumerate(lines)}
    added = [(places[other.after], other) for other in _OTHERS if other.after in places]
    return tuple(
        line
        for k, own in enumerate(lines)
        for line in (own, *(other for place, other in added if place == k))
    )


TOKENIZER = (
    StepLine("dictionary", "tokenizing"),
    StepLine("learn", "tokenizing", asks="merged"),
    StepLine("estimate", "tokenizing"),
    StepLine("prune", "tokenizing"),
    StepLine("viterbi", "tokenizing"),
)
GIVEN = (
    StepLine("quantize", "quantizing", stack="quantized"),
    StepLine("lora", "lora.yaml", stack="lora"),
)
"""The steps that put others in the place of given matrices."""
WRITTEN = StepLine("equations", "written.step", file="given names sizes vary steps equations")
"""The step that a scenario writes itself."""
INPUT = (
    StepLine(
        "tokenize",
        "input.embeddings",
        stack="sentence tokenizer corpus vocabulary_size merges pieces tokens vocabulary ids",
    ),
    StepLine("embed", "input.embeddings", stack="embeddings X d_model features embedding_scale"),
    StepLine("patch", "input.embeddings", stack="patches W_patch b_patch class_token frames"),
    StepLine("convolve", "input.convolutions", stack="convolution1 convolution2"),
    StepLine("project_in", "input.embeddings", stack="project_in"),
    StepLine("positions", "input.positions", stack="segments segment_embeddings positions"),
)
PROJECTION = (
    StepLine("compress", "attention.latent", attention="latent", only_for="latent"),
    StepLine(
        "project",
        "attention.projections",
        stack="queries keys values",
        attention="projection weights_layout W_Q W_K W_V b_Q b_K b_V"
        " W_Qr W_Kr b_Qr b_Kr cache Q K V",
        layer="d_k d_v",
        file="memory",
    ),
)
USUAL = ("before_bias", "each_row")
"""The words that say of a step's moment what is so anyway."""
_ORDER = "softcap_order"
_CAP = f"softcap {_ORDER}"
_SOFTCAP = StepLine(
    "softcap", "attention/softcap.yaml", attention=_CAP, only_for=_CAP, when=(_ORDER, None)
)
_QK_NORM = StepLine("qk_norm", "block.norms", attention="qk_norm", only_for="qk_norm")
_SINKS = StepLine("sinks", "attention.weights", attention="sinks", only_for="sinks")
WITH_HEADS = _with_others(
    _QK_NORM,
    StepLine(
        "split", "attention.projections", attention="heads kv_heads", only_for="heads kv_heads"
    ),
)
"""The steps that all heads take together."""
IN_HEADS = _with_others(
    _QK_NORM,
    StepLine("rotate", "attention.rotary", attention="rope", only_for="positions rope"),
    _QK_NORM,
    StepLine("scores", "attention.scores", attention="scores"),
    StepLine("disentangle", "attention.biases", only_for="positions"),
    StepLine("scale", "attention.scores", attention="scale scaled"),
    _SOFTCAP,
    StepLine("relative", "attention.biases", only_for="positions"),
    StepLine("bias", "attention.biases", attention="bias", only_for="bias positions mask"),
    _SOFTCAP._replace(when=(_ORDER, "after_bias")),
    StepLine(
        "temperature",
        "attention/temperature.yaml",
        attention="temperature",
        only_for="temperature",
    ),
    StepLine(
        "mask", "attention.masks", attention="mask mask_value", only_for="mask", asks="which_mask"
    ),
    _SOFTCAP._replace(when=(_ORDER, "after_mask")),
    _SINKS,
    StepLine(
        "softmax",
        "attention.weights",
        attention="weights",
        asks="attends_most",
        when=("softmax", None),
    ),
    StepLine(
        "no_softmax",
        "attention.no_softmax",
        attention="softmax",
        only_for="softmax",
        when=("softmax", "none"),
    ),
    _SINKS,
    StepLine("dropout", "attention/dropout.yaml", attention="dropout", only_for="dropout"),
    StepLine("weighted_sum", "attention.projections", attention="output"),
    StepLine(
        "online",
        "attention.online_softmax",
        attention="online_softmax",
        only_for="online_softmax",
    ),
)
"""The steps that each head takes."""
MERGING = (
    StepLine("average", "attention.projections", attention="average_heads"),
    StepLine("merge", "attention.projections", attention="W_O b_O"),
)
LAYER_STEPS = (
    StepLine("residual", "block.feed_forward", layer="residuals residual_scale parallel"),
    StepLine(
        "norm",
        "block.norms",
        stack="embedding_norm final_norm",
        layer="norm norms norm1 norm2 norm3 norm1_after norm2_after norm3_after",
    ),
    StepLine("route", "block.experts", layer="experts router shared_expert"),
    StepLine(
        "ffn",
        "block.feed_forward",
        layer="activation gated clamp up_plus_one d_ff W1 b1 W2 b2 W3 b3",
    ),
    StepLine("mix", "block.experts"),
)
CELL_STEPS = _with_others(
    StepLine("unstack", "recurrent.sequence", cell="gate_order", way="W_ih W_hh b_ih b_hh"),
    StepLine("start", "recurrent.sequence", way="initial_state initial_cell"),
    StepLine("input", "recurrent.sequence", cell="cell direction", way="W_ax"),
    StepLine("memory", "recurrent.sequence", way="W_aa"),
    StepLine(
        "gates",
        "recurrent.cells",
        cell="reset update",
        way=" ".join(f"W_{x}x W_{x}a b_{x}" for x in "ufrco"),
    ),
    StepLine("state", "recurrent.cells", way="b_a"),
    StepLine("states", "recurrent.readouts"),
    StepLine("readout", "recurrent.readouts", cell="W_ya b_y readout readout_from"),
    StepLine("readouts", "recurrent.readouts"),
    StepLine("gradient", "recurrent.readouts", cell="gradient", only_for="gradient"),
)
PREDICTION = (
    StepLine("project_out", "input.embeddings", stack="project_out"),
    StepLine("head", "prediction.logits", file="head"),
    StepLine(
        "unembed",
        "prediction.logits",
        file="unembedding b_U logits predict_from labels logit_scale logit_softcap",
    ),
    StepLine("predict", "prediction.logits", file="probabilities next generate end_token"),
    StepLine("verify", "prediction.speculative", file="draft"),
    StepLine("classify", "prediction.logits"),
    StepLine("loss", "prediction.losses", file="targets ignored_target label_smoothing"),
    StepLine("binary_loss", "prediction.losses"),
    StepLine("mse", "prediction.losses", file="loss reduction"),
)
FLOWS = tuple(
    tuple(dict.fromkeys(line.step for line in lines))
    for lines in (
        INPUT[1:],
        (*PROJECTION, *WITH_HEADS, *IN_HEADS, *MERGING),
        *((line,) for line in LAYER_STEPS[:2]),
        LAYER_STEPS[2:],
        PREDICTION,
    )
)
"""The steps that follow each other on one way through a model."""
STANDING = tuple(dict.fromkeys(name for flow in FLOWS for name in flow))
"""The steps that one of a scenario's own may stand before, behind, or in the place of."""


def goes_to(first: str, last: str, flow: Sequence[str]) -> bool:
    """Tells whether a way goes from one step to another, or both are the same."""
    return first in flow and last in flow[flow.index(first) :]


_WITHOUT_GRADIENTS = ("quantize", "tokenize", "online", "gradient", "predict", "verify", "classify")
_ATTENTION = (*PROJECTION, *WITH_HEADS, *IN_HEADS, *MERGING)
_FORWARD = (*INPUT, *GIVEN, *_ATTENTION, *LAYER_STEPS, *CELL_STEPS, *PREDICTION, WRITTEN)
THROUGH = {
    f"backward_{name}": name
    for name in reversed(dict.fromkeys(line.step for line in _FORWARD))
    if name not in _WITHOUT_GRADIENTS
}
"""The steps that gradients go back through, by those that lead back, the first of these first."""
BACK_THROUGH = {name: step for step, name in THROUGH.items()}
"""The steps back, by those that they lead through."""
BACKWARD = tuple(StepLine(step, "backward.gradient_steps") for step in THROUGH)
"""The steps by which gradients go back, the last one first."""
TRAINING = (
    StepLine("update", "training", file="train"),
    StepLine("progress", "training"),
)
ORDER = (*TOKENIZER, *_FORWARD, *BACKWARD, *TRAINING)
_LOST = [line.step for line in _OTHERS if line not in ORDER]
if _LOST:
    raise ImportError(f"steps of other packages are after no step of a head or cell: {_LOST}")
_LINES = {line.step: line for line in ORDER}
STORY = tuple(dict.fromkeys(line.step for line in ORDER))

OWN = "equations"
"""The step that all steps are which a scenario writes itself."""
"""The names of the steps, in the order they are told."""


@cache
def step_named(name: str) -> Step[Any]:
    """Returns the step of a name, from its module; a step that leads back is made of the one that
    it leads through."""
    if name in THROUGH:
        from attncli.steps.backward.gradient_steps import step_back

        return step_back(step_named(THROUGH[name]), name)
    line = _LINES[name]
    if line.module.endswith(".yaml"):
        from attncli.steps.declared import declared

        return declared(name, *_file_of(line))
    module = line.module if line.after else f"attncli.steps.{line.module}"
    step: Step[Any] | None = getattr(import_module(module), f"{name.upper()}_STEP", None)
    if step is None:
        where = "its line in steps/order.py says"
        raise ImportError(f"no {name.upper()}_STEP in {module}, where {where} that it is")
    return step


def _file_of(line: StepLine) -> tuple[str, str]:
    """Reads the file of a step, of this package or `package:file.yaml` of another; returns its text
    and what it is called."""
    package, _, name = line.module.rpartition(":")
    if package:
        return Plugin(line.step, package, name).load(), line.module
    file = Path(__file__).parent / name
    return file.read_text("utf-8"), str(file)


def step_of(part: PlannedStep) -> Step[Any]:
    """Returns the step that is taken at a part of a story, one of a scenario's own, too."""
    own: Step[Any] | None = part.place.own_step
    return own or step_named(part.step)


def made() -> frozenset[str]:
    """Returns the last names of all quantities that steps make."""
    return frozenset(name for step in map(step_named, STORY) for name in step.results.names)


@cache
def noun_of(local: str) -> str:
    """Returns what the first step that makes a quantity of some last name calls a number of it;
    nothing where none says it."""
    found = (step_named(step).results.nouns.get(local) for step in STORY)
    return next(filter(None, found), "")


def inquiries() -> Mapping[str, str]:
    """Returns the names of the questions that are answered in words, each with the name of its
    step."""
    return {name: line.step for line in ORDER for name in line.asks.split()}


def is_question(text: str) -> bool:
    """Tells whether an address is that of a question that is answered in words, and not of a
    cell."""
    try:
        name = parse_address(text).name
    except AddressError:
        return False
    return name.rpartition(".")[2] in inquiries()


def keys_of(*parts: str, also: tuple[Key[object], ...] = ()) -> OwnedKeys:
    """Returns the keys of some parts of the model, each from the step that owns it, and `also` some
    more."""
    return OwnedKeys(
        lambda: {
            name: line.step
            for part in parts
            for line in ORDER
            for name in getattr(line, part).split()
        },
        lambda step: step_named(step).keys,
        also,
    )


_WHOLE = keys_of("attention")
HEAD = Record(
    OwnedKeys(
        lambda: {name: _WHOLE.owners[name] for name, key in _WHOLE.items() if key.in_parts},
        lambda step: step_named(step).keys,
    )
)
"""The keys that a head may say for itself."""
