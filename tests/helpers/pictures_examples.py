"""Pictures with awkward contents: one item and twelve, long words, scripts that are wide or run to
the left, numbers below 0, none, equal and infinite ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from math import cos, exp, sin

import numpy as np

from attncli.document.pictures import (
    Arrow,
    ArrowGroup,
    Bars,
    Box,
    Curves,
    Diagram,
    HeatMaps,
    Label,
    Link,
    Picture,
    Plane,
    Series,
)
from attncli.document.tables import MatrixBlock, TableDisplay, TableNames
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Number
from attncli.names import Word, words

LONG = "internationalization-of-everything"
WORDS = words(
    ("I", "love", "AI", "自然言語", "שלום", LONG, "</svg><script>alert(1)</script>", "a  b")
)
MANY = words(
    ("the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "that", "was", ".")
)


def number(value: float | str) -> Number:
    return Number.written(Decimal(value if isinstance(value, str) else f"{value:.3f}"))


def numbers(values: Sequence[float | str]) -> tuple[Number, ...]:
    return tuple(map(number, values))


def point(x: float, y: float) -> tuple[Number, Number]:
    return number(x), number(y)


def pairs(*ends: tuple[float, float]) -> tuple[Arrow, ...]:
    return tuple(Arrow(label, point(*end)) for label, end in zip(WORDS, ends, strict=False))


def softmax(values: Sequence[float], temperature: float) -> list[float]:
    powers = [exp(n / temperature) for n in values]
    return [power / sum(powers) for power in powers]


def table(
    values: Sequence[Sequence[float]],
    rows: Sequence[Word],
    columns: Sequence[Word],
    *,
    shares: bool,
) -> MatrixBlock:
    matrix = Matrix(np.array(values, dtype=float), None, 3)
    names, display = TableNames(tuple(rows), tuple(columns)), TableDisplay(shares=shares)
    return MatrixBlock("M", matrix, names, tuple(range(len(rows))), "made", display=display)


def heads(count: int, tokens: Sequence[Word]) -> HeatMaps:
    made = []
    for h in range(count):
        scores = [
            [sin(1.7 * i + j * (h + 1)) * 3 for j in range(len(tokens))] for i in range(len(tokens))
        ]
        block = table([softmax(row, 1) for row in scores], tokens, tokens, shares=True)
        names = block.names._replace(roles=("Q", "K"))
        made.append((f"Head {h + 1}", block._replace(names=names)))
    return HeatMaps("Each head's weights of attention", tuple(made))


def encoding(positions: int, size: int) -> list[list[float]]:
    return [
        [(cos if k % 2 else sin)(p / 10000 ** (k // 2 * 2 / size)) for k in range(size)]
        for p in range(positions)
    ]


def encoding_map(positions: int, size: int) -> HeatMaps:
    names = words(tuple(map(str, range(max(positions, size)))))
    block = table(encoding(positions, size), names[:positions], names[:size], shares=False)
    return HeatMaps("Positional encoding by position", (("", block),), signed=True)


def waves(positions: int, size: int) -> Curves:
    rows = encoding(positions, size)
    series = tuple(
        Series(f"dimension {k + 1}", numbers([row[k] for row in rows])) for k in range(size)
    )
    labels = tuple(map(str, range(positions)))
    return Curves("Positional encoding as waves", "position", labels, series)


def lattice() -> Diagram:
    places = tuple(Box(f"{k}", f"{k}", column=k) for k in range(6))
    pieces = [(0, 1, "h −3.2"), (0, 2, "he −2.1"), (0, 5, "hello −9.5"), (1, 2, "e −3"), (2, 3, "l −3"),
              (2, 4, "ll −2.7"), (2, 5, "llo −3.35"), (3, 4, "l −3"), (4, 5, "o −2.9"), (1, 4, "ell −4.1")]  # fmt: skip
    best = {(0, 2), (2, 5)}
    links = tuple(Link(f"{a}", f"{b}", label, (a, b) in best) for a, b, label in pieces)
    return Diagram('The pieces that "hello" can be cut into; the best path is bold', places, links)


def merges() -> Diagram:
    boxes = (
        *(Box(f"0{k}", Word(text), column=k, row=0) for k, text in enumerate("lowest")),
        Box("es", Word("es"), "1", 3, 1), Box("est", Word("est"), "2", 3, 2),
        Box("lo", Word("lo"), "3", 0, 3), Box("low", Word("low"), "4", 0, 4),
        Box("lowest", Word("lowest"), "5", 1, 5, chosen=True),
    )  # fmt: skip
    ways = (("03", "es"), ("04", "es"), ("es", "est"), ("05", "est"), ("00", "lo"), ("01", "lo"),
            ("lo", "low"), ("02", "low"), ("low", "lowest"), ("est", "lowest"))  # fmt: skip
    links = tuple(Link(*way) for way in ways)
    return Diagram('How "lowest" is merged', boxes, links, across=False)


def pipeline(*, across: bool, heads: int) -> Diagram:
    boxes = [
        Box("X", "X", "given", 0, 0),
        Box("add", "Add & norm", "", 4, 0),
        Box("out", Word(LONG), "", 5, 0),
    ]
    links = [Link("X", "add", "X 3 × 4"), Link("add", "out", "Y 3 × 4")]
    for h in range(heads):
        boxes.append(Box(f"qkv{h}", f"Head {h + 1}: Q, K, V", "projection", 1, h + 1))
        boxes.append(Box(f"soft{h}", "Softmax", "", 2, h + 1))
        links += [Link("X", f"qkv{h}", "3 × 4"), Link(f"qkv{h}", f"soft{h}", "scores 3 × 3"),
                  Link(f"soft{h}", "cat", "output 3 × 2")]  # fmt: skip
    boxes.append(Box("cat", "Concatenate", "W_O", 3, 1))
    links.append(Link("cat", "add", "3 × 4"))
    if not across:
        boxes = [box._replace(column=box.row, row=box.column) for box in boxes]
    return Diagram("A block of attention", tuple(boxes), tuple(links), across)


def vectors() -> Plane:
    return Plane(
        "Queries, keys and values",
        (
            ArrowGroup("queries", "Q", pairs((1, 0), (0, 1), (1, 1), (-0.5, -0.2))),
            ArrowGroup("keys", "K", pairs((1, 0.05), (1, 1), (0, 0), (-1.5, 1))),
            ArrowGroup("values", "V", pairs((1, 2), (1.02, 1.98), (1, -0.4), (1, 2))),
        ),
    )


def around(count: int) -> Plane:
    ends = [(cos(k), sin(k)) for k in range(count)]
    arrows = tuple(Arrow(MANY[k], point(*end)) for k, end in enumerate(ends))
    moved = Arrow("moved", point(0.5, 0.5), point(-0.5, 0.2))
    return Plane("Embeddings", (ArrowGroup("", "", arrows), ArrowGroup("", "", (moved,))))


def _bars() -> Iterator[tuple[str, Bars]]:
    scores = [2.0, 1.0, 0.1, -1.3, 0.0, 3.2, 0.4, -0.2]
    yield (
        "scores",
        Bars(
            'Scores of "love" and what softmax makes of them',
            WORDS,
            (Series("scores", numbers(scores)), Series("weights", numbers(softmax(scores, 1)))),
        ),
    )
    three = tuple(Series(f"T = {t}", numbers(softmax(scores, t))) for t in (0.5, 1, 2, 5, 10))
    yield "temperatures", Bars("Softmax at several temperatures", WORDS, three)
    yield "one", Bars("One number", ("only",), (Series("", numbers([0.25])),))
    yield "zeros", Bars("Nothing at all", MANY, (Series("zeros", numbers([0.0] * 12)),))
    masked = ["0.5", "-Infinity", "-2", "Infinity"]
    yield "infinite", Bars("Masked scores", MANY[:4], (Series("scores", numbers(masked)),))
    yield "equal", Bars("Equal", MANY[:3], (Series("w", numbers([1 / 3] * 3)),))


def _curves() -> Iterator[tuple[str, Curves]]:
    yield "waves", waves(12, 6)
    yield "many waves", waves(10, 12)
    yield "one point", Curves("One", "time", ("1",), (Series("h", numbers([0.5])),))
    yield "zeros", Curves("Zeros", "time", ("1", "2"), (Series("h", numbers([0, 0])),))
    norms = numbers(["1", "0.31", "0.084", "0.02", "0.0051", "0.0011", "0"])
    labels: tuple[Label, ...] = (*WORDS[:6], "end")
    yield (
        "norms",
        Curves(
            "The gradient's norm",
            "back through time",
            labels,
            (Series("norm", norms),),
            logarithmic=True,
        ),
    )
    gaps = numbers(["1", "-Infinity", "2", "3", "Infinity", "-4"])
    yield "gaps", Curves("Gaps", "", MANY[:6], (Series("a", gaps), Series("b", gaps)))


def examples() -> dict[str, Picture]:
    """All of them, by their names."""
    return {
        **{f"bars {name}": bars for name, bars in _bars()},
        **{f"curves {name}": c for name, c in _curves()},
        "heads two": heads(2, MANY[:3]),
        "heads eight": heads(8, MANY[:4]),
        "heads words": heads(1, WORDS),
        "heads one": heads(1, WORDS[:1]),
        "encoding": encoding_map(4, 6),
        "encoding large": encoding_map(30, 32),
        "signed zeros": HeatMaps(
            "Zeros", (("A", table([[0.0, 0.0]], WORDS[:1], WORDS[:2], shares=False)),), signed=True
        ),
        "signed infinite": HeatMaps(
            "Masked", (("A", table([[0.5, -np.inf], [-2.0, 1.0]], WORDS[:2], WORDS[:2], shares=False)),), signed=True
        ),
        "plane": vectors(),
        "plane around": around(12),
        "plane one": Plane("Zero", (ArrowGroup("", "", (Arrow("o", point(0, 0)),)),)),
        "lattice": lattice(),
        "merges": merges(),
        "pipeline across": pipeline(across=True, heads=2),
        "pipeline down": pipeline(across=False, heads=3),
        "pipeline wide": pipeline(across=True, heads=2)._replace(title="Wide"),
        "box": Diagram("One box", (Box("a", WORDS[0]),), ()),
    }  # fmt: skip


EXAMPLES = examples()
