"""Activation functions, each an expression of x, and other operations number by number."""

from __future__ import annotations

from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Expression, Number, Product, Sum
from attncli.maths.equations.working import sum_of
from attncli.maths.operations.equation import Indexed, equation, read, read_equation

ACTIVATIONS = {
    "relu": "max(0, x)",
    # x Φ(x), and the approximation of the same paper (Hendrycks & Gimpel 2016, arXiv:1606.08415)
    "gelu": "x * (1 + erf(x / sqrt(2))) / 2",
    "gelu_tanh": "x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3))) / 2",
    "tanh": "tanh(x)",
    "sigmoid": "1 / (1 + exp(-x))",
    "silu": "x / (1 + exp(-x))",  # x sigmoid(x), or Swish (arXiv:1710.05941)
    "mish": "x * tanh(ln(1 + exp(x)))",  # x tanh(softplus(x)) (Misra 2019, arXiv:1908.08681)
    "quick_gelu": "x / (1 + exp(-(1.702 * x)))",  # x σ(1.702 x) (arXiv:1606.08415)
    "relu2": "max(0, x) ** 2",  # So et al. 2021, arXiv:2109.08668
    "leaky_relu": "max(0.01 * x, x)",  # x, and a hundredth of it below 0 (Maas et al. 2013)
    "elu": "max(0, x) + min(0, exp(x) - 1)",  # Clevert et al. 2015, arXiv:1511.07289
}
"""Each for a number x."""


class Activate(Indexed):
    """An activation function, number by number. [n, m] -> [n, m]"""

    def __init__(self, kind: str) -> None:
        function = equation(ACTIVATIONS[kind], x="n m")
        super().__init__(*read(function.swap("x", "x[i, j]", f"{kind}(x)"), {}))


class BiasAfter(Indexed):
    """An activation before the bias: f(x W) + b. [n, k], [k, m], [1, m] -> [n, m]

    `transposed` has a W that is stored out × in.
    """

    def __init__(self, kind: str, transposed: bool = False) -> None:
        weight, W, sides = ("W[j, k]", "W.T", "m k") if transposed else ("W[k, j]", "W", "k m")
        function = equation(f"({ACTIVATIONS[kind]}) + b[j]", x="n k", W=sides, b="1 m")
        product = f"sum(x[i, k] * {weight} for k in k)"
        super().__init__(*read(function.swap("x", product, f"{kind}(x @ {W}) + b"), {}))


class InRows(Indexed):
    """An equation of which a page shows a row a line."""

    layout = "rows"


class Add(InRows):
    """Matrices added up, number by number. [n, m], [n, m], … -> [n, m]"""

    def __init__(self, count: int) -> None:
        names = [f"x{k}" for k in range(count)]
        total = " + ".join(f"{name}[i, j]" for name in names)
        super().__init__(*read_equation(total, dict.fromkeys(names, "n m"), whole=True))


class MeanOf(InRows):
    """The mean of several matrices, number by number. [n, m], [n, m], … -> [n, m]"""

    def __init__(self, count: int) -> None:
        names = [f"x{k}" for k in range(count)]
        total = " + ".join(f"{name}[i, j]" for name in names)
        super().__init__(
            *read_equation(f"({total}) / {count}", dict.fromkeys(names, "n m"), whole=True)
        )


class MixtureOf(InRows):
    """A sum of matrices, of which those that are `weighted` are multiplied by a number for each
    row, which stands before them. [n, 1], [n, m], [n, 1], [n, m], …, [n, m] -> [n, m]"""

    def __init__(self, weighted: tuple[bool, ...]) -> None:
        sides: dict[str, str] = {}
        terms: list[str] = []
        for k, has_weight in enumerate(weighted):
            sides |= ({f"p{k}": "n 1"} if has_weight else {}) | {f"x{k}": "n m"}
            terms.append(f"p{k}[i] * x{k}[i, j]" if has_weight else f"x{k}[i, j]")
        super().__init__(*read_equation(" + ".join(terms), sides))

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        """Leaves out the matrices whose number is 0: nobody needs to know what these are."""
        whole = super().first_form(i, j, *operands)
        terms = whole.terms if isinstance(whole, Sum) else (whole,)
        return sum_of([term for term in terms if not _is_nothing(term)])

    def whole_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        return super().first_form(i, j, *operands)


def _is_nothing(term: Expression) -> bool:
    """Tells whether a term is something times 0."""
    match term:
        case Product((Number(full, _), _)):
            return not full
        case _:
            return False


_ONE = {"x": "n m"}


class DivideBy(Indexed):
    """Every number divided by one number, given as an expression: 8, or √d_k as `√2`; `symbol` is
    it in a formula, where that isn't its number."""

    def __init__(self, divisor: Expression, symbol: Expression | None = None) -> None:
        numbers = {"divisor": divisor, "symbol": symbol or divisor}
        super().__init__(
            *read_equation("x[i, j] / divisor", _ONE, shown="x / symbol", numbers=numbers)
        )


class MultiplyBy(Indexed):
    """Every number multiplied by one number, which `symbol` is in a formula."""

    def __init__(self, factor: Expression, symbol: Expression | None = None) -> None:
        numbers = {"factor": factor, "symbol": symbol or factor}
        super().__init__(
            *read_equation("x[i, j] * factor", _ONE, shown="x * symbol", numbers=numbers)
        )

    def places(self, *operands: Matrix) -> int | None:  # noqa: ARG002
        return None  # so that it is told with as many as the rounding says, as √d_k x is


AddToEach = equation("x[i, j] + b[j]", x="n m", b="1 m")
"""A number of its own added to each column."""
Multiply = equation("x[i, j] * gate[i, j]", x="n m", gate="n m")
"""Two matrices multiplied number by number, as a gate does."""
MultiplyByOneMore = equation("x[i, j] * (1 + factor[i, j])", x="n m", factor="n m")
"""The same with a factor that says by how much it differs from 1."""
AtMost = equation("min(limit, x[i, j])", x="n m")
Between = equation("max(-limit, min(limit, x[i, j]))", x="n m")
"""Numbers that are cut off at a limit, and at minus the limit too (gpt-oss, arXiv:2508.10925)."""
SoftCap = equation("cap * tanh(x[i, j] / cap)", whole=True, x="n m")
"""What never gets past ±cap (Gemma 2, arXiv:2408.00118, 2)."""
Dropout = equation("x[i, j] * kept[i, j] / (1 - p)", x="n m", kept="n m")
"""What isn't kept is 0, the rest is scaled up to make up for it (Srivastava et al. 2014; inverted).
`kept` is a table of ones and zeros."""
