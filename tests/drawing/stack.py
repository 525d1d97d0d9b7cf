"""Draws a stack: settings, embeddings, positions, layers, what comes after them."""

from __future__ import annotations

from typing import Any

from attncli.maths.operations.activations import ACTIVATIONS
from tests.drawing.attention import Attention
from tests.drawing.norms import gains, norm, norm_settings
from tests.drawing.pen import Pen, Tree
from tests.drawing.projections import Widths, projection, widths

GATED = ("swiglu", "geglu")


class Stack:
    """A stack's keys, `n` tokens long; the top's with a prediction, the encoder's without."""

    def __init__(self, pen: Pen, block: str, *, longest: int = 3) -> None:
        self.pen, self.block, self.d = pen, block, pen.choice(2, 3, 4)
        self.tokens = pen.tokens(1, longest)
        self.settings = self._settings()
        self.memory: tuple[list[str], int] | None = None
        self.cached = 0
        self.tree: Tree = {}
        self.rope = False
        self.widths = Widths(self.d, self.d, self.d)

    @property
    def crossing(self) -> bool:
        """Whether the only attention there is looks at the memory."""
        return self.block == "attention" and self.memory is not None

    @property
    def turned(self) -> bool:
        """Whether matrices are kept the other way round."""
        return self.settings.get("weights_layout") == "linear"

    def _settings(self) -> Tree:
        pen, record = self.pen, Tree(block=self.block)
        if pen.coin(3):
            record["weights_layout"] = "linear"
        if pen.coin():
            record["heads"] = pen.size(1, 3)
            if record["heads"] == 2 and pen.coin():
                record["kv_heads"] = 1
        for key, chance, values in (
            ("scale", 2, ("none", "2", "1.5")),
            ("softcap", 6, ("2", "5")),
            ("temperature", 6, ("2", "0.5")),
            ("softmax", 8, ("none", "each_row")),
        ):
            if pen.coin(chance):
                record[key] = pen.choice(*values)
        if "softcap" in record and pen.coin():
            record["softcap_order"] = pen.choice("after_bias", "after_mask", "before_bias")
        if int(record.get("heads", 1)) > 1 and pen.coin(5):
            record["average_heads"] = "true"
        return record if self.block == "attention" else record | self._sublayers()

    def _sublayers(self) -> Tree:
        """How sublayers are normed and added."""
        pen = self.pen
        record: Tree = {"norm": pen.choice("post", "pre", "after", "both", "none")}
        record["norms"] = norm_settings(pen)
        if pen.coin(8):
            record["residuals"] = "false"
        if pen.coin(6):
            record["residual_scale"] = pen.choice("0.5", "0.22")
        if self.block == "encoder" and record["norm"] in ("pre", "none") and pen.coin():
            record["parallel"] = pen.choice("shared_norm", "own_norms")
        return record

    def embedded(self) -> None:
        """Tokens with vectors, positions and segments; or X itself."""
        pen, n = self.pen, len(self.tokens)
        words = list(dict.fromkeys([*self.tokens, "the", *pen.tokens(0, 2)]))
        self.words = words
        if pen.coin(5):
            rows = pen.matrix(n, self.d)
            named = len(set(self.tokens)) == n and pen.coin()
            self.tree["X"] = dict(zip(self.tokens, rows, strict=True)) if named else rows
            if not named:
                self.tree["tokens"] = self.tokens
            return self._relative()
        self.tree["sentence"] = " ".join(self.tokens)
        self.widths, tree = widths(pen, self.d)
        self.tree |= tree
        rows = pen.matrix(len(words), self.widths.embedded)
        if pen.coin():
            self.tree["embeddings"] = dict(zip(words, rows, strict=True))
        else:
            self.tree["embeddings"] = rows
            self.tree["vocabulary"] = {word: i for i, word in enumerate(words)}
        if pen.coin(4):
            self.tree["embedding_scale"] = pen.choice("sqrt_d_model", "2")
        if pen.coin(5):
            self.tree["segments"] = [pen.size(0, 1) for _ in range(n)]
            self.tree["segment_embeddings"] = pen.matrix(2, self.widths.added)
        if pen.coin(5):
            self.tree["embedding_norm"] = norm(pen, self.widths.added)
        if pen.coin():
            return self._relative()
        self.tree["positions"] = pen.choice(*self._waves(), *self._tables(n))
        return None

    def _tables(self, n: int) -> list[Any]:
        """Rows for positions, as they are and with one that no token has."""
        pen = self.pen
        table = {"kind": "table", "start": 1, "table": pen.matrix(n + 1, self.widths.added)}
        return [pen.matrix(n + pen.size(0, 1), self.widths.added), table]

    def _waves(self) -> list[Any]:
        """Sines and cosines, which go in pairs."""
        pen = self.pen
        sines = {"kind": "sinusoidal", "base": pen.choice("10000", "100")}
        start = {"start": pen.size(0, 3)} if pen.coin() else {}
        return ["sinusoidal", sines | start] if self.widths.added % 2 == 0 else []

    def _relative(self) -> None:
        """Positions that attention itself sees to, and keys from before."""
        pen = self.pen
        if self.crossing:
            return
        if self.block in {"attention", "decoder"} and pen.coin(3):
            self.cached = pen.size(1, 2)
        kind = pen.choice("none", "none", "rope", "alibi", "relative")
        self.rope = kind == "rope"
        if kind == "alibi":
            heads = int(self.settings.setdefault("heads", 1))
            slopes = {"kind": "alibi", "slopes": pen.cells(heads, "0.5", "0.25", "1")}
            self.tree["positions"] = slopes if heads == 3 else pen.choice("alibi", slopes)
        elif kind == "relative":
            heads, buckets = int(self.settings.setdefault("heads", 1)), pen.choice(4, 6)
            record: Tree = {"kind": "relative", "table": pen.matrix(buckets, heads)}
            self.tree["positions"] = record | pen.some(
                3, max_distance=("4", "9"), bidirectional=("true", "false")
            )
        elif kind == "rope":
            record = {"kind": "rope"}
            for key, values in (
                ("pairs", ("half", "interleaved")),
                ("base", ("100", "10000")),
                ("dimensions", ("2",)),
                ("start", ("0", "3")),
            ):
                if pen.coin(3):
                    record[key] = pen.choice(*values)
            added = "embeddings" in self.tree and not self.cached and self.widths.added % 2 == 0
            sines = ["sinusoidal", record] if added else [record]
            self.tree["positions"] = pen.choice(record, "rope", sines)

    def layers(self) -> None:
        """One to two layers with matrices; their settings here or at the top."""
        pen = self.pen
        if self.block == "attention" or pen.coin(4):
            self.tree |= self.settings | self.layer()
            return
        layers = [self.layer() for _ in range(pen.size(1, 2))]
        if pen.coin():
            self.tree |= self.settings
        else:
            layers = [self.settings | layer for layer in layers]
        self.tree["layers"] = layers

    def layer(self) -> Tree:
        pen, bare = self.pen, self.block == "attention"
        keys, width = self.tokens, self.d
        if self.crossing and self.memory is not None:
            keys, width = self.memory
        attention = Attention(pen, self.settings, self.d, len(self.tokens))
        record = attention.record(width, keys, rope=self.rope, cached=self.cached, merge=not bare)
        if self.memory is not None and self.block == "decoder":
            inherited = (
                "heads", "kv_heads", "scale", "softcap", "softcap_order", "temperature",
                "softmax", "weights_layout",
            )  # fmt: skip
            data = {key: self.settings[key] for key in inherited if key in self.settings}
            names, width = self.memory
            cross = attention.record(width, names, rope=False, cached=0, merge=True)
            record["cross"] = data | cross
        if not bare or ("W_O" in record and pen.coin()):
            record |= self.feed_forward()
        for name in ("norm1", "norm2", "norm3") if not bare else ():
            if (name != "norm3" or "cross" in record) and pen.coin():
                record[name] = gains(pen, self.d)
                if self.settings["norm"] == "both":
                    record[f"{name}_after"] = gains(pen, self.d)
        return record

    def feed_forward(self) -> Tree:
        """A feed-forward network, or several with a router."""
        pen = self.pen
        kind = pen.choice(*ACTIVATIONS, *GATED, "none")
        record: Tree = {"activation": kind}
        gated = kind in GATED
        if not gated and pen.coin(4):
            record["gated"], gated = "true", True
            record |= {"clamp": "1.5", "up_plus_one": "true"} if pen.coin() else {}
        return record | (self.experts(gated) if pen.coin(5) else self.network(gated))

    def experts(self, gated: bool) -> Tree:
        pen, count, turned = self.pen, self.pen.size(1, 3), self.turned
        router: Tree = {"W_R": pen.weight(self.d, count, turned=turned)}
        router["top_k"] = pen.size(1, count)
        if pen.coin():
            router["b_R"] = pen.cells(count)
        if pen.coin():
            router["softmax"] = pen.choice("all", "chosen")
        if router.get("softmax") == "all" and pen.coin():
            router["renormalize"] = "true"
        record: Tree = {"experts": [self.network(gated) for _ in range(count)], "router": router}
        if pen.coin():
            record["shared_expert"] = self.network(gated)
            if pen.coin():
                record["shared_expert"]["W_G"] = pen.weight(self.d, 1, turned=turned)
        return record

    def network(self, gated: bool) -> Tree:
        pen, d_ff = self.pen, self.pen.size(1, 3)
        record: Tree = {}
        for number in ("1", "3", "2") if gated else ("1", "2"):
            shape = (d_ff, self.d) if number == "2" else (self.d, d_ff)
            record[f"W{number}"] = pen.weight(*shape, turned=self.turned)
            if pen.coin():
                record[f"b{number}"] = pen.cells(shape[1])
        return record

    def prediction(self) -> None:
        """Logits, what comes next, losses."""
        pen, words = self.pen, self.words
        self._unembedding()
        if pen.coin(3):
            self.tree["b_U"] = pen.cells(len(words))
        self.tree |= pen.some(4, logit_scale=("0.5", "2"), logit_softcap=("3", "5"))
        losses = pen.coin()
        if losses:
            self.tree["targets"] = [pen.choice(*words) for _ in self.tokens]
        elif pen.coin(3):
            self.tree["predict_from"] = pen.choice("last", "first", "every")
        if pen.coin(4):
            self.tree["head"] = self.head()
        elif self.tree.get("predict_from") != "first" and (after := self._next(losses=losses)):
            self.tree["next"] = after

    def _unembedding(self) -> None:
        """The embeddings, or a matrix of its own."""
        pen, words = self.pen, self.words
        tied = "embeddings" in self.tree and pen.coin()
        if (tied and self.widths.embedded != self.d) or pen.coin(8):
            self.projects_out(self.widths.embedded if tied else pen.size(1, 3))
        if tied:
            self.tree["unembedding"] = "tied"
        else:
            turned = self.tree.get("weights_layout") == "linear"
            self.tree["unembedding"] = pen.weight(self.d, len(words), turned=turned)
            if "embeddings" not in self.tree:
                self.tree["vocabulary"] = {word: i for i, word in enumerate(words)}

    def projects_out(self, width: int) -> None:
        """Makes what comes out so wide."""
        self.tree["project_out"], self.d = {}, width

    def project(self) -> None:
        """The matrices that change widths, once it is known how matrices are kept here."""
        turned = self.tree.get("weights_layout") == "linear"
        shapes = {
            "project_in": (self.widths.embedded, self.widths.model),
            "project_out": (self.widths.model, self.d),
        }
        for key in (key for key in shapes if key in self.tree):
            self.tree[key] |= projection(self.pen, *shapes[key], turned=turned)

    def head(self) -> Tree:
        """What stands before the logits."""
        pen, turned = self.pen, self.tree.get("weights_layout") == "linear"
        record: Tree = {"W": pen.weight(self.d, self.d, turned=turned)}
        if pen.coin():
            record["b"] = pen.cells(self.d)
        if pen.coin():
            record["activation"] = pen.choice(*ACTIVATIONS, "none")
        if pen.coin():
            record["norm"] = norm(pen, self.d)
        return record

    def _next(self, *, losses: bool) -> Tree:
        """What the softmax over the vocabulary is told; a loss needs every token."""
        pen, record = self.pen, Tree()
        if pen.coin(3):
            record["temperature"] = pen.choice("2", "0.5")
        if not losses and pen.coin():
            record["top_k"] = pen.size(1, len(self.words))
        if pen.coin():
            record["top_p"] = pen.choice("0.55", "0.85", "0.95")
        return record
