"""Builds the model of the values that were read: stacks, layers, attentions, norms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from attncli.maths.equations.matrix import Matrix
from attncli.names import Name, below
from attncli.scenario.file.keys import KeyValues, typed
from attncli.scenario.file.matrices import MatrixLike
from attncli.scenario.file.problems import NamedProblems
from attncli.scenario.model import (
    FOR_ATTENTION,
    Attention,
    AttentionPositions,
    Experts,
    Layer,
    LayerNorms,
    Positions,
    Recurrent,
    Settings,
    Stack,
    TokenizedText,
    entry_path,
)
from attncli.steps.schema import ATTENTION, CELL, LAYER, LAYER_ALONE, WAY

_FOR_BOTH = {"weights_layout", "activation", "d_k", "d_v", "d_ff", "norms"}
"""The keys of other layers that may be said where a cell is, too."""


class RecurrentBuilder(NamedTuple):
    """A builder of recurrent layers of the values that were read."""

    complaints: NamedProblems

    def layer(self, path: Name, values: KeyValues) -> Layer:
        """Makes a recurrent layer; complains of what it says that isn't for a cell."""
        cell = typed(Recurrent, values, kind=values["cell"], config=Settings(path, values))
        self._check_foreign(path, values, cell)
        return Layer(path, "recurrent", attention=Attention(path), recurrent=cell)

    @staticmethod
    def shared(values: KeyValues, layer: KeyValues) -> KeyValues:
        """Returns what a layer of a list takes over of what is said for all: one with a cell what
        is for cells, another one the rest."""
        recurrent = "cell" in layer or ("cell" in values and "block" not in layer)
        if recurrent:
            own = {*CELL, "weights_layout", "activation"}
            return {key: value for key, value in values.items() if key in own}
        return {key: value for key, value in values.items() if key not in CELL}

    def check_none(self, path: Name, values: KeyValues) -> None:
        """Complains of what is for a cell where there is none."""
        if below(path, "cell") in self.complaints.places:
            return  # which has a complaint of its own
        for key in values:
            if key in ("backward", *WAY) or (key in CELL and not CELL[key].shared):
                wrong = f"{key} is of a recurrent cell, and this layer has none"
                self.complaints.add(below(path, key), wrong, "say which, like cell: rnn")

    def _check_foreign(self, path: Name, values: KeyValues, cell: Recurrent) -> None:
        for key in values:
            if key in ("block", "cross", *ATTENTION, *LAYER_ALONE) and key not in _FOR_BOTH:
                wrong = f"{key} is not for a recurrent layer (cell: {cell.kind})"
                right = "leave it out, or give it a layer of its own"
                self.complaints.add(below(path, key), wrong, right)


_ROPE = "rope"
_MAKING, _TABLES = ("base", "scaling"), ("cos", "sin")
"""What angles are made of; or their cosines and sines, which are given instead."""


class AttendedRows(NamedTuple):
    """The rows that the queries of a stack may attend to, and how positions come in: to the stack's
    own keys, or to the memory, whose positions nobody tells."""

    keys: tuple[str, ...]
    memory: Sequence[str] | None
    positions: AttentionPositions = AttentionPositions()
    sees_memory: bool = False

    def of_memory(self) -> AttendedRows:
        return AttendedRows(tuple(self.memory or ()), self.memory, sees_memory=True)


def _attention_of(settings: Settings, seen: AttendedRows, names: Names) -> Attention:
    """Makes the attention of what is said at a path or above it."""
    path, values = settings.path, settings.values
    heads = values.get("heads", 1)
    listed = isinstance(heads, tuple)
    count = len(heads) if listed else heads
    own = listed and count > 1 and any(set(head) - {"bias"} for head in heads)
    kv_heads = values.get("kv_heads", count)
    cached = tuple(values["cache"].get("tokens", ())) if "cache" in values else None
    return Attention(
        path=path,
        keys=names.of_keys(_paths(path, count), (*(cached or ()), *seen.keys)),
        sees_memory=seen.sees_memory,
        heads=count,
        own_heads=own,
        kv_heads=count if own or count % kv_heads else kv_heads,
        projects="projection" not in values,
        config=settings,
        cached=cached,
        positions=seen.positions._replace(rotated=_rotated(settings, seen)),
    )


def _rotated(settings: Settings, seen: AttendedRows) -> Positions | None:
    """Returns how queries and keys are turned: as positions say, but for what is said here; None
    where they aren't."""
    own = settings.values.get(_ROPE)
    if own is None or seen.sees_memory:
        return seen.positions.rotated
    if isinstance(own, str):
        return None
    stack = Settings() if seen.positions.rotated is None else seen.positions.rotated.config
    given = any(key in own for key in _TABLES)
    made = any(key in own for key in _MAKING)
    left_out = _MAKING if given else _TABLES if made else ()
    values = {key: value for key, value in stack.values.items() if key not in left_out}
    here = below(settings.path if _ROPE in settings.own else settings.above, _ROPE)
    return Positions(_ROPE, Settings(here if given else stack.path, {**values, **own}))


def _paths(path: Name, heads: int) -> Iterator[Name]:
    """Yields the path of an attention, and those of its heads."""
    yield path
    yield from (entry_path(path, "heads", k, heads) for k in range(heads))


def _shared_settings(values: KeyValues) -> KeyValues:
    """Returns what a cross-attention takes over from its layer: how many heads, how scores are
    scaled."""
    counted = isinstance(values.get("heads"), int)
    of_heads = () if counted else ("heads", "kv_heads")
    texts = (key for key in values if key in ATTENTION and key not in of_heads)
    return {key: values[key] for key in texts if ATTENTION[key].inherited}


_FFN = ("W1", "W2", "W3", "b1", "b2", "b3", "experts")
_NETWORK = (*_FFN, "activation", "gated")
_NORM = ("norm", "norms", "norm1")
_WITHOUT = (
    *_NETWORK, *_NORM, "final_norm", "project_in", "project_out", "head", "positions",
    "unembedding", "logits", "probabilities",
)  # fmt: skip
_ATTENDING = ("block", "queries", "keys", "values", "memory", "encoder", "d_k", "d_v")
_FOR_ALL = ("weights_layout",)
"""The keys that are said of attention, and of what comes after it alike."""


def _needs_no_attention(values: KeyValues) -> bool:
    """Tells whether nothing is said of an attention, but something of what may stand without
    one."""
    attending = (*_ATTENDING, *(key for key in ATTENTION if key not in _FOR_ALL))
    return not any(key in values for key in attending) and any(key in values for key in _WITHOUT)


def _without_attention(layer: Layer, norm: Settings) -> Layer:
    """Returns the layer without its attention; a norm that is said is taken, if there is nothing
    else."""
    values = layer.config.values
    has_ffn = any(key in values for key in _NETWORK)
    layer = layer._replace(attends=False, has_ffn=has_ffn)
    alone = not has_ffn and "norm" not in values and any(key in values for key in _NORM)
    return layer._replace(norms=LayerNorms("post", (norm,))) if alone else layer


Called = tuple[str, ...]

_KEYS = (("K", 0), ("scores", 1), ("scaled", 1), ("weights", 1))
_QUERIES = (("Q", 0), ("scores", 0), ("scaled", 0), ("weights", 0), ("output", 0))
"""The local names of matrices that have a row (0) or a column (1) for each query."""


class Names(NamedTuple):
    """The given matrices of a scenario, and what their rows are called where they have names."""

    given: Mapping[Name, Matrix]
    rows: Mapping[str, Called]

    def of_rows(self, name: Name, others: Called) -> Called:
        """Returns what the rows of a matrix are called, if it is given: as the file has it, else
        like `others`, else by their positions. If it isn't given, returns `others`."""
        return self._along(name, 0, others)

    def of_keys(self, paths: Iterable[Name], others: Called) -> Called:
        """Returns what the keys of an attention are called, which is at a path and has heads at
        others."""
        return self._of_any(paths, _KEYS, others)

    def of_queries(self, paths: Iterable[Name], others: Called) -> Called:
        return self._of_any(paths, _QUERIES, others)

    def _of_any(
        self, paths: Iterable[Name], sides: Iterable[tuple[str, int]], others: Called
    ) -> Called:
        for path in paths:
            for local, side in sides:
                others = self._along(below(path, local), side, others)
        return others

    def _along(self, name: Name, side: int, others: Called) -> Called:
        matrix = self.given.get(name)
        if matrix is None:
            return others
        own = self.rows.get(name, ()) if side == 0 else ()
        return own or others or tuple(map(str, range(1, matrix.shape[side] + 1)))


class Builder(NamedTuple):
    """A builder of the model of a scenario."""

    complaints: NamedProblems
    names: Names

    def stack(
        self, path: Name, values: KeyValues, text: TokenizedText, memory: Sequence[str] | None
    ) -> Stack:
        """Makes a stack; `memory` names the rows that its cross-attentions see, None without
        any."""
        positions = _all_positions(path, values.get("positions"))
        kinds = {p.kind: p for p in positions}
        attending = AttentionPositions(*map(kinds.get, FOR_ATTENTION))
        seen = AttendedRows(text.tokens, memory, attending)
        return Stack(
            path=path,
            text=text,
            config=Settings(path, values),
            segments=tuple(values.get("segments", ())),
            positions=positions,
            embedding_norm=_optional_norm(path, "embedding_norm", values),
            layers=self._layers(path, values, seen),
            final_norm=_optional_norm(path, "final_norm", values),
        )

    def _layers(self, path: Name, values: KeyValues, seen: AttendedRows) -> tuple[Layer, ...]:
        if "layers" not in values:
            settings = Settings(path, values, frozenset(values))
            layer = self._layer(settings, self._separate(path, seen), alone=True)
            positions = _all_positions(path, values.get("positions"))
            bare = all(p.is_added for p in positions) and _needs_no_attention(values)
            return (_without_attention(layer, _norm(path, "norm1", values)) if bare else layer,)
        shared = {key: value for key, value in values.items() if key in LAYER and LAYER[key].shared}
        for key in values:
            if key in LAYER and key not in shared:
                wrong = f"{key} belongs to a layer, and this scenario lists layers"
                self.complaints.add(below(path, key), wrong, "move it into one of them")
        if isinstance(values.get("heads"), tuple):
            wrong = "a list of heads belongs to a layer, and this scenario lists layers"
            right = "move it into one of them, or say how many heads there are"
            self.complaints.add(below(path, "heads"), wrong, right)
        recurrents = RecurrentBuilder(self.complaints)
        layers = values["layers"]
        paths = [entry_path(path, "layers", k, len(layers)) for k in range(len(layers))]
        rows = self.names.of_rows(below(path, "queries"), seen.keys)
        seen = self._separate(path, seen)
        built: list[Layer] = []
        for own, layer in zip(paths, layers, strict=True):
            whole = {**recurrents.shared(shared, layer), **layer}
            built.append(self._layer(Settings(own, whole, frozenset(layer), path), seen))
            attention = built[-1].attention  # whose queries name the rows that it passes on
            rows = self.names.of_queries(_paths(attention.path, attention.heads), rows)
            seen = seen._replace(keys=rows)
        return tuple(built)

    def _separate(self, path: Name, seen: AttendedRows) -> AttendedRows:
        """Returns the rows with the keys of a first attention, which may be made of an input of
        their own."""
        return seen._replace(keys=self.names.of_rows(below(path, "keys"), seen.keys))

    def _layer(self, settings: Settings, seen: AttendedRows, *, alone: bool = False) -> Layer:
        """Makes a layer of a list, an encoder's by default; or the top itself, which may say no
        block: then it is an attention with a network to follow."""
        path, values = settings.path, settings.values
        recurrents = RecurrentBuilder(self.complaints)
        if "cell" in values:
            return recurrents.layer(path, values)
        recurrents.check_none(path, values)
        self._check_experts(settings)
        block = values.get("block", "attention" if alone else "encoder")
        whole = block != "attention"
        crosses = block == "decoder" and seen.memory is not None
        order = values.get("norm", "post" if whole else "none")
        experts = values.get("experts", 0)  # how many there are, or a list of them
        awaited = (
            alone
            and "block" not in values
            and not any(
                key in values for key in ("final_norm", "project_out", "unembedding", "targets")
            )
        )
        bare_to_memory = not whole and seen.memory is not None
        if block == "decoder" and "mask" not in values:
            settings = settings._replace(values={**values, "mask": ("causal",)})
        return Layer(
            path=path,
            block=block,
            norms=_norms_of(path, values, order, 2 + crosses),
            parallel=values.get("parallel", "none"),
            residuals=values.get("residuals", whole),
            attention=_attention_of(
                settings, seen.of_memory() if bare_to_memory else seen, self.names
            ),
            cross=self._cross(path, values, seen, crosses=crosses),
            has_ffn=whole or awaited or any(key in values for key in _FFN),
            experts=Experts(
                len(experts) if isinstance(experts, tuple) else experts, "shared_expert" in values
            ),
            config=settings,
        )  # fmt: skip

    def _check_experts(self, settings: Settings) -> None:
        for key in ("router", "shared_expert"):
            if key in settings.own and "experts" not in settings.values:
                right = "add them, like experts: [{W1: [[1]], W2: [[1]]}]"
                self.complaints.add(below(settings.path, key), f"{key} without experts", right)

    def _cross(
        self, path: Name, values: KeyValues, seen: AttendedRows, *, crosses: bool
    ) -> Attention | None:
        """Makes a decoder's attention to the memory, with the heads and the scale of the layer
        unless it says others; returns None where there is none."""
        inside = below(path, "cross")
        if not crosses:
            if "cross" in values:
                needs = "cross-attention needs `block: decoder` and an encoder or a memory"
                wrong = f"nothing to attend to here: {needs}"
                self.complaints.add(inside, wrong, "give both, or leave it out")
            return None
        own = values.get("cross", {})
        settings = Settings(inside, {**_shared_settings(values), **own}, frozenset(own), path)
        return _attention_of(settings, seen.of_memory(), self.names)


def _all_positions(path: Name, value: object) -> tuple[Positions, ...]:
    """Returns the positions of a stack: what is said of them, or of each in a list."""
    whole = below(path, "positions")
    if isinstance(value, tuple) and not isinstance(value, MatrixLike):
        paths = [entry_path(path, "positions", k, len(value)) for k in range(len(value))]
        positions = [
            _positions(whole if isinstance(data, MatrixLike) else entry, data)
            for entry, data in zip(paths, value, strict=True)
        ]
    else:
        positions = [] if value is None else [_positions(whole, value)]
    return tuple(p for p in positions if p.kind != "none")


def _positions(path: Name, value: Any) -> Positions:  # noqa: ANN401
    if isinstance(value, MatrixLike):
        return Positions("given", Settings(path))
    if isinstance(value, str):
        return Positions(value)
    kind = value.get("kind", "sinusoidal")
    return Positions("given" if kind == "table" else kind, Settings(path, values=value))


def _norm(path: Name, key: str, values: KeyValues) -> Settings:
    """Returns what is said of a norm, by itself or for all of them."""
    return Settings(below(path, key), {**values.get("norms", {}), **values.get(key, {})})


def _optional_norm(path: Name, key: str, values: KeyValues) -> Settings | None:
    return _norm(path, key, values) if values.get(key, "none") != "none" else None


def _norms_of(path: Name, values: KeyValues, order: str, count: int) -> LayerNorms:
    """Returns the norms of so many sublayers, in an order."""
    each, after = (
        tuple(_norm(path, f"norm{k}{more}", values) for k in range(1, count + 1))
        for more in ("", "_after")
    )
    return LayerNorms(order, each if order != "none" else (), after if order == "both" else ())
