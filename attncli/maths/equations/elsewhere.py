"""Functions and signs that other programs have, and what one writes here in their stead."""

from __future__ import annotations

from collections.abc import Mapping

_PRODUCT = "write the product with its indices: sum(X[i, k] * W[k, j] for k)"
_SORTED = "nothing is sorted; count what is larger: sum(1 for k if v[k] > v[i])"
_PLACE = "there are no places of numbers; compare: 1 if v[i] == max(v[k] for k) else 0"
_RANDOM = (
    "there are no random numbers; draw them in given: {random: normal, seed: 7, shape: [2, 3]}"
)
_WHOLE = "no number is made a whole one; give what is needed in given"
_TURNED = "write the indices the other way round: X[j, i]"
_LONG = "name the side in given, v[n]: then n is how long it is"
_JOINED = (
    "add up what is at each place: sum(A[i, k] for k if k == j) + sum(B[i, k] for k if k + 2 == j)"
)
_MATRIX = "give the matrix that it makes in given"
_OF_CONDITION = "count what meets it: sum(1 for k if v[k] > 2)"
_SPREAD = "with m = mean(v[k] for k) above: mean((v[k] - m) ** 2 for k)"
FUNCTIONS: Mapping[str, str] = {
    **dict.fromkeys(("argmax", "argmin", "index"), _PLACE),
    **dict.fromkeys(("sort", "sorted", "argsort", "topk", "top_k", "rank", "median"), _SORTED),
    **dict.fromkeys(("random", "rand", "randn", "normal", "uniform", "randint"), _RANDOM),
    **dict.fromkeys(("transpose", "T", "t"), _TURNED),
    **dict.fromkeys(("dot", "matmul", "mm", "bmm", "einsum", "inner", "outer"), _PRODUCT),
    **dict.fromkeys(("floor", "ceil", "round", "int", "mod", "trunc"), _WHOLE),
    **dict.fromkeys(("len", "length", "size", "shape", "dim"), _LONG),
    **dict.fromkeys(("concat", "cat", "concatenate", "stack", "hstack", "vstack"), _JOINED),
    **dict.fromkeys(("inv", "inverse", "det", "solve", "trace", "svd", "eig"), _MATRIX),
    **dict.fromkeys(("count", "any", "all"), _OF_CONDITION),
    **dict.fromkeys(("var", "variance"), f"write it, {_SPREAD}"),
    **dict.fromkeys(("std", "stdev"), f"write its root, {_SPREAD}"),
    **dict.fromkeys(("eye", "identity"), "write 1 if i == j else 0"),
    **dict.fromkeys(("zeros", "ones", "full"), "write the number alone: y[i in n] = 0"),
    **dict.fromkeys(("arange", "range"), "write the index alone: it stands for 1, 2, …"),
    **dict.fromkeys(("clip", "clamp"), "write min(max(x, 0), 1)"),
    **dict.fromkeys(("where", "iif"), "write a choice: 1 if x > 2 else 0"),
    **dict.fromkeys(("pow", "power"), "write x ** 2"),
    **dict.fromkeys(("square", "sqr"), "write x ** 2"),
    **dict.fromkeys(("silu", "swish"), "write x * sigmoid(x)"),
    "log": "write ln(x)",
    "log2": "write ln(x) / ln(2)",
    "log10": "write ln(x) / ln(10)",
    "exp2": "write 2 ** x",
    "rsqrt": "write 1 / sqrt(x)",
    "norm": "write sqrt(sum(v[k] ** 2 for k))",
    "gelu": "write x * (1 + erf(x / sqrt(2))) / 2",
    "leaky_relu": "write x if x > 0 else 0.01 * x",
    "elu": "write x if x > 0 else exp(x) - 1",
    "sign": "write 1 if x > 0 else -1",
    "tan": "write sin(x) / cos(x)",
    "cumsum": "write sum(v[k] for k if k <= i)",
    "cumprod": "write prod(v[k] for k if k <= i)",
    "log_softmax": "write ln(p[i, j]) of p[i, j] = softmax(…) above",
    "logsumexp": "write ln(sum(exp(v[k]) for k))",
    "rms_norm": "write x[i, k] / sqrt(mean(x[i, l] ** 2 for l))",
    "cross_entropy": "write -ln(p[2]) of p[i] = softmax(…) above",
    "average": "write mean(v[k] for k)",
    "avg": "write mean(v[k] for k)",
    "product": "write prod(v[k] for k)",
    "maximum": "write max(a, b)",
    "minimum": "write min(a, b)",
    "fabs": "write abs(x)",
}
"""What is written in the place of functions that aren't there."""
BEHIND_A_DOT: Mapping[str, str] = {
    "T": _TURNED,
    **dict.fromkeys(("shape", "size", "ndim"), _LONG),
    **dict.fromkeys(("sum", "mean", "max", "min"), "write sum(X[i, k] for k)"),
}
"""What is written in the place of an attribute."""
SIGNS: Mapping[str, str] = {
    ":": "write an index for a whole side, X[i, k], and sum(… for k)",
    "@": _PRODUCT,
    "%": _WHOLE,
    "∑": "write sum(… for k)",
    "√": "write sqrt(x)",
    "∞": "leave out what is hidden by a condition: softmax(… for j if j <= i)",
    "÷": "write /",
    "&": "write and between conditions",
    "∧": "write and between conditions",
    "|": "write or between conditions, and abs(x)",
    "∨": "write or between conditions",
    "!": "write the other relation, such as != for ==",
    "?": "write a choice as 1 if x > 2 else 0",
    "{": "write ( )",
    ";": "write each equation behind a dash of its own",
    "#": "write a remark behind a space and #, outside of quotes",
}
"""What is written in the place of signs that aren't there."""
BY_VALUE = "add up what is there: sum(X[r, j] for r if r == k[i])"
"""How a cell is read whose place is a value."""
