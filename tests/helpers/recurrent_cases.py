"""Random recurrent networks in PyTorch, what it makes of them, and scenarios that say the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

CELLS = ("rnn tanh", "rnn relu", "gru", "lstm")
ORDERS = {
    "rnn": {"a": "state"},
    "gru": {"r": "reset", "u": "update", "c": "candidate"},
    "lstm": {"u": "update", "f": "forget", "c": "candidate", "o": "output"},
}
"""The letters and names of the runs of rows, as PyTorch has them from the top."""

Numbers = Any
Record = dict[str, Any]


@dataclass(frozen=True)
class Network:
    """A network's sizes and numbers.

    `layers` has for each layer and each of its ways PyTorch's matrices (`W_ih`, `W_hh`, `b_ih`,
    `b_hh`), its `initial_state` and an LSTM's `initial_cell`. `biased` says which biases a scenario
    is told: both, none, or the first alone, when the other is 0.
    """

    cell: str
    activation: str
    direction: str
    biased: str
    X: Numbers
    layers: list[list[Record]]

    @property
    def size(self) -> int:
        return int(self.layers[0][0]["W_hh"].shape[1])


def network(rng: np.random.Generator, kind: str) -> Network:
    """A network of one to three layers, of up to three numbers a state."""
    cell, _, activation = kind.partition(" ")
    direction = str(rng.choice(["forward", "backward", "both"]))
    biased = str(rng.choice(["both", "none", "first"]))
    n, d, h, count = (int(size) for size in rng.integers(1, (6, 4, 4, 4)))
    ways, begun = 2 if direction == "both" else 1, bool(rng.integers(2))
    layers = []
    for i in range(count):
        width = h * ways if i else d
        layers.append([_way(rng, cell, (width, h), biased, begun=begun) for _ in range(ways)])
    X = rng.normal(size=(n, d))
    return Network(cell, activation, direction, biased, X, layers)


def _way(
    rng: np.random.Generator, cell: str, sizes: tuple[int, int], biased: str, *, begun: bool
) -> Record:
    (d, h), runs = sizes, len(ORDERS[cell])
    record = {
        name: rng.normal(size=(runs * h, width)) for name, width in (("W_ih", d), ("W_hh", h))
    }
    record |= {name: rng.normal(size=runs * h) for name in ("b_ih", "b_hh")}
    for name in {"both": (), "none": ("b_ih", "b_hh"), "first": ("b_hh",)}[biased]:
        record[name] = np.zeros(runs * h)
    starts = ("initial_state", "initial_cell") if cell == "lstm" else ("initial_state",)
    return record | {name: rng.normal(size=h) if begun else np.zeros(h) for name in starts}


def run(net: Network, *, either: bool) -> dict[str, Numbers]:
    """What PyTorch makes of it, by the full names of the quantities: the last layer's states, and
    of every layer and way the state that it ends with.

    Without `either` a GRU's candidate has no bias of its own beside the reset gate, which the
    layouts linear and row can't say.
    """
    import torch

    module, back = module_of(net, either=either), net.direction == "backward"
    flat = [way for layer in net.layers for way in layer]
    starts = [
        torch.from_numpy(np.array([way[key] for way in flat]))
        for key in ("initial_state", "initial_cell")
        if key in flat[0]
    ]
    X = torch.from_numpy(net.X[::-1].copy() if back else net.X)
    states, ends = module(X, tuple(starts) if len(starts) > 1 else starts[0])
    rows = states.detach().numpy()
    ends = ends if len(starts) > 1 else (ends,)
    return _named(net, rows[::-1] if back else rows, [end.detach().numpy() for end in ends])


def jacobian(net: Network, rows: Numbers, before: Numbers) -> Numbers:
    """∂a/∂before [h, h] of the state a that rows lead to, in a network of one layer and one way."""
    import torch

    module, x = module_of(net, either=True), torch.from_numpy(rows.copy())
    functional: Any = torch.autograd.functional

    def last(a: Any) -> Any:
        return module(x, a)[0][-1]

    return functional.jacobian(last, torch.from_numpy(before.T.copy()))[:, 0].numpy()


def module_of(net: Network, *, either: bool) -> Any:
    import torch

    kinds = {"rnn": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}
    given: Record = {"nonlinearity": net.activation} if net.cell == "rnn" else {}
    given |= {"bias": net.biased != "none", "bidirectional": net.direction == "both"}
    module: Any = kinds[net.cell](net.X.shape[1], net.size, len(net.layers), **given).double()
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            parameter.copy_(torch.from_numpy(_parameter(net, name, either=either)))
    return module


def _parameter(net: Network, name: str, *, either: bool) -> Numbers:
    """The numbers of PyTorch's `weight_ih_l0_reverse`, and so on."""
    kind, part, level, *reverse = name.split("_")
    stored = net.layers[int(level[1:])][len(reverse)][f"{kind[0].replace('w', 'W')}_{part}"]
    if net.cell == "gru" and (kind, part) == ("bias", "hh") and not either:
        stored = stored.copy()
        stored[2 * net.size :] = 0
    return stored


def _named(net: Network, states: Numbers, ends: list[Numbers]) -> dict[str, Numbers]:
    several, n = len(net.layers) > 1, len(net.X)
    ways = {"both": ("forward", "backward")}.get(net.direction, (net.direction,))
    found = {f"layers[{len(net.layers)}].states" if several else "states": states}
    for i in range(len(net.layers)):
        for j, way in enumerate(ways):
            place = (f"layers[{i + 1}]." if several else "") + (f"{way}." if len(ways) > 1 else "")
            for name, end in zip("ac", ends, strict=False):
                at = 1 if way == "backward" else n
                found[f"{place}{name}[{at}]"] = end[i * len(ways) + j][:, None]
    return found


def restated(net: Network, layout: str, rng: np.random.Generator) -> Record:
    """The scenario in a layout, its settings at the top or in every layer."""
    record: Record = {"cell": net.cell, "direction": net.direction}
    if layout != "linear" or rng.integers(2):
        record["weights_layout"] = layout
    if net.activation and (net.activation != "tanh" or rng.integers(2)):
        record["activation"] = net.activation
    order = list(ORDERS[net.cell])
    if layout == "torch" and net.cell != "rnn" and rng.integers(2):
        rng.shuffle(order)
        record["gate_order"] = [ORDERS[net.cell][letter] for letter in order]
    if layout != "torch" and net.cell == "gru":
        record |= {"reset": "after", "update": "old"}
    layers = []
    for ways in net.layers:
        entries = [_told(net, way, layout, order) for way in ways]
        layers.append(entries[0] | ({"backward": entries[1]} if len(entries) > 1 else {}))
    if rng.integers(2):
        return {"X": net.X, **record, **(layers[0] if len(layers) == 1 else {"layers": layers})}
    return {"X": net.X, "layers": [{**record, **layer} for layer in layers]}


def _told(net: Network, way: Record, layout: str, order: list[str]) -> Record:
    """One way's matrices and its start, which isn't told where it is 0."""
    data = {key: way[key] for key in ("initial_state", "initial_cell") if np.any(way.get(key, 0))}
    unsaid = {"both": (), "none": ("b_ih", "b_hh"), "first": ("b_hh",)}[net.biased]
    letters = list(ORDERS[net.cell])
    runs = {
        stored: dict(zip(letters, np.split(way[stored], len(letters)), strict=True))
        for stored in ("W_ih", "W_hh", "b_ih", "b_hh")
        if stored not in unsaid
    }
    if layout == "torch":
        return data | {
            k: np.concatenate([run[letter] for letter in order]) for k, run in runs.items()
        }
    for letter in letters:
        for stored, part in (("W_ih", "x"), ("W_hh", "a")):
            W = runs[stored][letter]
            data[f"W_{letter}{part}"] = W.T if layout == "row" else W
        if "b_ih" in runs:
            both = "b_hh" in runs and not (net.cell == "gru" and letter == "c")
            data[f"b_{letter}"] = runs["b_ih"][letter] + (runs["b_hh"][letter] if both else 0)
    return data


def gated(seed: int, letters: str) -> tuple[Numbers, Record]:
    """Rows [4, 2] and matrices of a state of 3, as the layout linear has them."""
    rng = np.random.default_rng(seed)
    W = {f"W_{g}x": rng.normal(size=(3, 2)) for g in letters}
    W |= {f"W_{g}a": rng.normal(size=(3, 3)) for g in letters}
    W |= {f"b_{g}": rng.normal(size=3) for g in letters}
    return rng.normal(size=(4, 2)), W | {"initial_state": rng.normal(size=3)}
