"""From the values that were read to the model: stacks, layers, attentions, norms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from attncli.building.attentions import (
    AttendedRows,
    attention_of,
    queries_of,
    shared_settings,
)
from attncli.building.key_names import Names
from attncli.building.recurrents import RecurrentBuilder
from attncli.building.without_attention import FFN, needs_no_attention, without_attention
from attncli.file.matrices import MatrixLike
from attncli.file.problems import NamedProblems
from attncli.name import Name, below
from attncli.scenario.model import (
    Attention,
    Layer,
    Positions,
    Settings,
    Stack,
    TokenizedText,
    entry_path,
)
from attncli.steps.schema import LAYER

Values = Mapping[str, Any]


class Builder(NamedTuple):
    """Builds the model of a scenario."""

    complaints: NamedProblems
    names: Names

    def stack(
        self, path: Name, values: Values, text: TokenizedText, memory: Sequence[str] | None
    ) -> Stack:
        """A stack; `memory` names the rows that its cross-attentions see, None without any."""
        positions = _all_positions(path, values.get("positions"))
        kinds = {one.kind: one for one in positions}
        rope, alibi, relative = (kinds.get(kind) for kind in ("rope", "alibi", "relative"))
        seen = AttendedRows(text.tokens, memory, rope, alibi, relative)
        return Stack(
            path=path,
            text=text,
            said=Settings(path, values),
            segments=tuple(values.get("segments", ())),
            positions=positions,
            embedding_norm=_optional_norm(path, "embedding_norm", values),
            layers=self._layers(path, values, seen),
            final_norm=_optional_norm(path, "final_norm", values),
        )

    def _layers(self, path: Name, values: Values, seen: AttendedRows) -> tuple[Layer, ...]:
        if "layers" not in values:
            said = Settings(path, values, frozenset(values))
            layer = self._layer(said, self._separate(path, seen), alone=True)
            positions = _all_positions(path, values.get("positions"))
            bare = all(one.is_added for one in positions) and needs_no_attention(values)
            return (without_attention(layer, _norm(path, "norm1", values)) if bare else layer,)
        shared = {key: value for key, value in values.items() if key in LAYER and LAYER[key].shared}
        for key in values:
            if key in LAYER and key not in shared:
                self.complaints.add(
                    below(path, key), f"{key} belongs to a layer, and this scenario lists layers",
                    "move it into one of them",
                )  # fmt: skip
        if isinstance(values.get("heads"), tuple):
            self.complaints.add(
                below(path, "heads"), "a list of heads belongs to a layer, and this scenario lists"
                " layers", "move it into one of them, or say how many heads there are",
            )  # fmt: skip
        recurrents = RecurrentBuilder(self.complaints)
        layers = values["layers"]
        paths = [entry_path(path, "layers", k, len(layers)) for k in range(len(layers))]
        rows = self.names.of_rows(below(path, "queries"), seen.keys)
        seen = self._separate(path, seen)
        built: list[Layer] = []
        for own, layer in zip(paths, layers, strict=True):
            whole = {**recurrents.shared(shared, layer), **layer}
            built.append(self._layer(Settings(own, whole, frozenset(layer), path), seen))
            rows = queries_of(self.names, built[-1], rows)
            seen = seen._replace(keys=rows)
        return tuple(built)

    def _separate(self, path: Name, seen: AttendedRows) -> AttendedRows:
        """The keys of a first attention, which may be made of an input of their own."""
        return seen._replace(keys=self.names.of_rows(below(path, "keys"), seen.keys))

    def _layer(self, said: Settings, seen: AttendedRows, *, alone: bool = False) -> Layer:
        """A layer of a list, an encoder's by default; or the top itself, which may say no block:
        then it is an attention with a network to follow."""
        path, values = said.path, said.values
        recurrents = RecurrentBuilder(self.complaints)
        if "cell" in values:
            return recurrents.layer(path, values)
        recurrents.check_none(path, values)
        self._check_experts(said)
        block = values.get("block", "attention" if alone else "encoder")
        whole = block != "attention"
        crosses = block == "decoder" and seen.memory is not None
        place = values.get("norm", "post" if whole else "none")
        awaited = (
            alone
            and "block" not in values
            and not any(
                key in values for key in ("final_norm", "project_out", "unembedding", "targets")
            )
        )
        bare_to_memory = not whole and seen.memory is not None
        if block == "decoder" and "mask" not in values:
            said = said._replace(values={**values, "mask": ("causal",)})
        return Layer(
            path=path,
            block=block,
            norm=place,
            norms=() if place == "none" else _norms(path, values, 2 + crosses),
            norms_after=_norms(path, values, 2 + crosses, "_after") if place == "both" else (),
            parallel=values.get("parallel", "none"),
            residuals=values.get("residuals", whole),
            attention=attention_of(
                said, seen.of_memory() if bare_to_memory else seen, self.names
            ),
            cross=self._cross(path, values, seen, crosses=crosses),
            has_ffn=whole or awaited or any(key in values for key in FFN),
            experts=_count(values.get("experts", 0)),
            has_shared_expert="shared_expert" in values,
            said=said,
        )  # fmt: skip

    def _check_experts(self, said: Settings) -> None:
        for key in ("router", "shared_expert"):
            if key in said.own and "experts" not in said.values:
                self.complaints.add(
                    below(said.path, key), f"{key} without experts",
                    "add them, like experts: [{W1: [[1]], W2: [[1]]}]",
                )  # fmt: skip

    def _cross(
        self, path: Name, values: Values, seen: AttendedRows, *, crosses: bool
    ) -> Attention | None:
        """A decoder's attention to the memory; its heads and scale are the layer's, unless it
        says others."""
        inside = below(path, "cross")
        if not crosses:
            if "cross" in values:
                self.complaints.add(
                    inside, "nothing to attend to here: cross-attention needs `block: decoder` and"
                    " an encoder or a memory", "give both, or leave it out",
                )  # fmt: skip
            return None
        own = values.get("cross", {})
        said = Settings(inside, {**shared_settings(values), **own}, frozenset(own), path)
        return attention_of(said, seen.of_memory(), self.names)


def _all_positions(path: Name, value: object) -> tuple[Positions, ...]:
    """The positions of a stack: what is said of them, or of each in a list."""
    whole = below(path, "positions")
    if isinstance(value, tuple) and not isinstance(value, MatrixLike):
        paths = [entry_path(path, "positions", k, len(value)) for k in range(len(value))]
        told = [
            _positions(whole if isinstance(one, MatrixLike) else entry, one)
            for entry, one in zip(paths, value, strict=True)
        ]
    else:
        told = [] if value is None else [_positions(whole, value)]
    return tuple(one for one in told if one.kind != "none")


def _count(told: Any) -> int:  # noqa: ANN401
    """How many there are, said by a number or by a list of them."""
    return len(told) if isinstance(told, tuple) else int(told)


def _positions(path: Name, value: Any) -> Positions:  # noqa: ANN401
    if isinstance(value, MatrixLike):
        return Positions("given", Settings(path))
    if isinstance(value, str):
        return Positions(value)
    kind = value.get("kind", "sinusoidal")
    return Positions("given" if kind == "table" else kind, Settings(path, values=value))


def _norm(path: Name, key: str, values: Values) -> Settings:
    """What is said of a norm, by itself or for all of them."""
    return Settings(below(path, key), {**values.get("norms", {}), **values.get(key, {})})


def _optional_norm(path: Name, key: str, values: Values) -> Settings | None:
    return _norm(path, key, values) if key in values else None


def _norms(path: Name, values: Values, count: int, more: str = "") -> tuple[Settings, ...]:
    return tuple(_norm(path, f"norm{k}{more}", values) for k in range(1, count + 1))
