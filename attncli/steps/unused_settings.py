"""Finds what a scenario gives or says and no step of it uses."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache

from attncli.names import TOP, Name, below
from attncli.scenario.file.keys import Key, KeyValues
from attncli.scenario.file.matrices import MatrixLike
from attncli.scenario.scenario import Scenario
from attncli.steps.order import BACKWARD, CELL_STEPS, IN_HEADS, keys_of
from attncli.steps.schema import SCENARIO
from attncli.trace import NormPlace, PlannedStep

_OF_TEXTS = ("dictionary", "learn", "estimate", "prune", "viterbi", "tokenize")
"""Steps whose keys say what a text is cut into, whether that is told or not."""
_HEADS = ("split", "merge", *(line.step for line in IN_HEADS))
_CELLS = tuple(line.step for line in CELL_STEPS)
_WITH_WEIGHTS = (
    "project", "merge", "ffn", "unembed", "project_in", "project_out", *_CELLS,
)  # fmt: skip
_NORMS_OF_STACKS = ("embedding_norm", "final_norm")
_ALSO: Mapping[str, tuple[str, ...]] = {
    "positions": ("rotate", "bias", "relative", "disentangle"),
    "d_model": ("positions",),
    "predict_from": ("head",),
    "heads": _HEADS,
    "kv_heads": _HEADS,
    "d_k": ("scores",),
    "loss": ("loss", "binary_loss"),
    "targets": ("binary_loss", "mse"),
    "d_v": ("weighted_sum",),
    "weights_layout": _WITH_WEIGHTS,
    "labels": ("classify",),
    "train": tuple(line.step for line in BACKWARD),
    **dict.fromkeys(("cell", "direction", "activation", "reset", "update", "gate_order"), _CELLS),
}
"""Steps that take a key, too, which is another step's own."""
_OF_QUANTITIES: Mapping[str, tuple[str, ...]] = {"clamp": ("up",), "up_plus_one": ("up",)}
"""Keys that a step takes only where it makes a quantity."""
_TAKING = frozenset(local for locals_ in _OF_QUANTITIES.values() for local in locals_)


def unused(
    scenario: Scenario, steps: Sequence[PlannedStep], quantities: Container[str]
) -> tuple[Name, ...]:
    """Returns the full names of given quantities that nothing is made of, and of what is said of
    steps that aren't taken."""
    made = [d for part in steps for d in part.definitions if d.name in quantities]
    used = {name for definition in made for name in definition.operands}
    given = [name for name in scenario.given.matrices if name not in used]
    given = given if used else []  # what is all that there is was given to be seen
    if scenario.plan.until:  # where the scenario itself says that no more is taken
        return tuple(given)
    making = {definition.name for definition in made}
    taken = [part for part in steps if any(d.name in making for d in part.definitions)]
    paths = _paths_of(taken)
    names = [s for s in _settings(scenario) if not _is_taken(s, paths)]
    names = [entry for entry in names if not any(name.inside(entry) for name in given)]
    others = (*_plus_ones(taken), *_other_decimals(scenario, taken, making), *_sides(scenario))
    return (*given, *names, *others)


def _sides(scenario: Scenario) -> Iterator[Name]:
    """Yields what is said of sides that nothing has."""
    if scenario.plan.written.labels or scenario.plan.written.sizes:
        from attncli.steps.written.step import unused_sides

        yield from unused_sides(scenario)


def _plus_ones(taken: Sequence[PlannedStep]) -> Iterator[Name]:
    """Yields where 1 would be added to a γ that isn't there, unless another norm for which the same
    is said has one."""
    norms = [part.place for part in taken if isinstance(part.place, NormPlace)]
    if not norms:
        return
    from attncli.steps.block.norms import PLUS_ONE

    found: dict[Name, bool] = {}
    for place in norms:
        if place.norm.get(PLUS_ONE):
            shared = below(place.path.path, "norms")  # of its layer, or of all
            shared = shared if place.scenario.writes(shared) else below(place.stack.path, "norms")
            own, shared = (below(path, PLUS_ONE.name) for path in (place.path, shared))
            name = own if place.scenario.writes(own) else shared
            found[name] = place.gives("gamma") or found.get(name, False)
    yield from (name for name, is_used in found.items() if not is_used)


def _other_decimals(
    scenario: Scenario, taken: Sequence[PlannedStep], making: Collection[Name]
) -> Iterator[Name]:
    """Yields the names of decimals for steps that aren't taken, and for quantities that aren't
    made."""
    if not scenario.rounding.steps and not scenario.rounding.quantities:  # as for most
        return
    known = {
        "steps": {name for part in taken for name in part.kind},
        "quantities": {text for name in making for text in (name, name.alone, name.local)},
    }
    for kind, names in known.items():
        unknown = (name for name in getattr(scenario.rounding, kind) if name not in names)
        yield from (below(below(Name("rounding"), kind), name) for name in unknown)


def _paths_of(taken: Iterable[PlannedStep]) -> Mapping[str, set[Name]]:
    """Returns where each step is taken and each quantity made, with all the places that these are
    in."""
    paths: dict[str, set[Name]] = {}
    for part in taken:
        takers = {d.name.local for d in part.definitions if d.name.local in _TAKING}
        for made in (part.step, *takers):
            known, path = paths.setdefault(made, {TOP}), part.path
            while path and path not in known:
                known.add(path)
                path = path.path
    return paths


def _is_taken(setting: Name, paths: Mapping[str, set[Name]]) -> bool:
    """Tells whether a step that a setting is for is taken in the place that it is said for."""
    steps = _steps_of().get(setting.local, ())
    own = setting.local.startswith("norm") and setting.local not in ("norm", "norms")
    place = setting if own or setting.local in _NORMS_OF_STACKS else setting.path
    return any(place in paths.get(step, ()) for step in steps)


@cache
def _steps_of() -> Mapping[str, tuple[str, ...]]:
    """Returns the steps, or quantities, that take what is said for each key."""
    owners: dict[str, tuple[str, ...]] = {"block": ("mask", "residual", "norm", "ffn")}
    every = keys_of("stack", "attention", "layer", "cell", "way", "file").owners
    own = {key: step for key, step in every.items() if step not in _OF_TEXTS}
    taking = {key: (step, *_ALSO.get(key, ())) for key, step in own.items()}
    return {**owners, **taking, **_OF_QUANTITIES}


def _settings(scenario: Scenario) -> Iterator[Name]:
    """Yields what is said that isn't a matrix, by full names, of each place that says it itself."""
    for stack in scenario.stacks:
        vocabulary = below(stack.path, "vocabulary")
        if scenario.writes(vocabulary) and not (
            stack.text.tokens or scenario.prediction.logits.unembedding
        ):
            yield vocabulary
        yield from _said(stack.path, stack.config.values)
        for layer in stack.layers if "layers" in stack.config.values else ():
            own = {
                key: value for key, value in layer.config.values.items() if key in layer.config.own
            }
            yield from _said(layer.path, own)


def _said(path: Name, values: KeyValues) -> Iterator[Name]:
    for key, value in values.items():
        if key in _steps_of() and not _says_nothing(key, value):
            yield below(path, key)


def _says_nothing(key: str, value: object) -> bool:
    """Tells whether a value leaves out what is left out anyway, or is a matrix, which has a
    name."""
    known: Key[object] | None = SCENARIO.known.get(key)
    default = None if known is None else known.default
    return value in ("none", "attention", False, (), default) or isinstance(value, MatrixLike)
