"""Draws an attention's keys: matrices, heads, masks, a cache."""

from __future__ import annotations

from typing import Any

from tests.drawing.pen import NAMES, Pen, Tree, written


class Attention:
    """An attention's keys: `n` queries of width `d`, `m` keys of width `d_memory`."""

    def __init__(self, pen: Pen, settings: Tree, d: int, n: int) -> None:
        self.pen, self.settings, self.d, self.n = pen, settings, d, n
        self.turned = settings.get("weights_layout") == "linear"

    def record(
        self, d_memory: int, keys: list[str], *, rope: bool, cached: int, merge: bool
    ) -> Tree:
        """`merge` asks for an output of width d."""
        pen, record = self.pen, Tree()
        heads = int(self.settings.get("heads", 1))
        groups = int(self.settings.get("kv_heads", heads))
        d_k, d_v = (pen.choice(2, 4) if rope else pen.size(1, 2)), pen.size(1, 2)
        m = len(keys) + cached
        widths = {
            "Q": (self.d, heads * d_k),
            "K": (d_memory, groups * d_k),
            "V": (d_memory, groups * d_v),
        }
        if "heads" not in self.settings and not cached and pen.coin(3):
            heads = pen.size(1, 2)
            own = {"Q": (self.d, d_k), "K": (d_memory, d_k), "V": (d_memory, d_v)}
            record["heads"] = [self._projections(own) for _ in range(heads)]
            if pen.coin(3):
                record["heads"][0]["bias"] = pen.matrix(self.n, m)
        else:
            record |= self._projections(widths)
        if pen.coin(4):
            record["qk_norm"] = self._qk_norm(heads, groups, d_k, rope=rope, own="heads" in record)
        if merge or pen.coin():
            record["W_O"] = pen.weight(heads * d_v, self.d, turned=self.turned)
            if pen.coin(3):
                record["b_O"] = pen.cells(self.d)
        if cached:
            K, V = (pen.matrix(cached, widths[name][1]) for name in "KV")
            record["cache"] = {"tokens": [f"old{i}" for i in range(cached)], "K": K, "V": V}
        return record | self._extras(m, keys, own="heads" in record)

    def _qk_norm(self, heads: int, groups: int, d_k: int, *, rope: bool, own: bool) -> Tree:
        pen, record = self.pen, Tree(kind=self.pen.choice("rms", "layer"))
        together = not own and pen.coin(3)
        if together:
            record["heads"] = "together"
        elif rope and pen.coin():
            record["when"] = "after"
        widths = {"Q": heads * d_k, "K": groups * d_k} if together else {"Q": d_k, "K": d_k}
        for name, width in widths.items():
            record |= {f"gamma_{name}": pen.cells(width)} if pen.coin() else {}
            record |= {f"beta_{name}": pen.cells(width)} if pen.coin(3) else {}
        return record

    def _projections(self, widths: dict[str, tuple[int, int]]) -> Tree:
        record: Tree = {}
        for name, shape in widths.items():
            record[f"W_{name}"] = self.pen.weight(*shape, turned=self.turned)
            if self.pen.coin(4):
                record[f"b_{name}"] = self.pen.cells(shape[1])
        return record

    def _extras(self, m: int, keys: list[str], *, own: bool) -> Tree:
        pen, record = self.pen, Tree()
        if pen.coin(6) and not own:
            record["bias"] = pen.matrix(self.n, m)
        if pen.coin(6):
            kept = pen.matrix(self.n, m, "1", "0")
            record["dropout"] = {"p": pen.choice("0.1", "0.5", "0.25"), "mask": kept}
        masks = self._masks(m, keys)
        if len(masks) == 1 and pen.coin():
            record["mask"] = masks[0]
        elif masks:
            record["mask"] = masks
        if masks and not any("-inf" in written(mask) for mask in masks) and pen.coin(4):
            record["mask_value"] = pen.choice("-1000000000", "-100", "-inf")
        return record

    def _masks(self, m: int, keys: list[str]) -> list[Any]:
        """None to three masks that together leave each query a key."""
        pen, n = self.pen, self.n
        masks: list[Any] = []
        if not pen.coin(3):
            return masks
        if m >= n and pen.coin():
            masks.append("causal")
        kind = pen.choice("none", "padding", "window", "allowed", "blocked", "add", "top-left")
        if kind == "padding" and m > 1:
            names = [key for key in NAMES if key in keys and key != keys[0]]
            masks.append({"padding": [pen.choice(str(pen.size(2, m)), *names)]})
        elif kind == "window" and m >= n:
            masks.append({"window": pen.size(1, 3)})
        elif kind in ("allowed", "blocked"):
            by_name = {"allowed": (("true", "1"), "false"), "blocked": (("0", "false"), "1")}
            seen, hidden = by_name[kind]
            masks.append({kind: pen.table(n, m, seen=seen, hidden=hidden)})
        elif kind == "top-left":
            masks.append({"causal": kind})
        elif kind == "add":
            hidden = pen.choice("-inf", "-1", "-inf")
            masks.append(
                {kind: pen.table(n, m, seen=pen.choice(("0",), ("0", "0.5")), hidden=hidden)}
            )
        return masks
