"""Random small scenarios, as the YAML text that an author would write."""

from __future__ import annotations

from hypothesis import strategies as st

TOKENS = ("the", "cat", "no", "1", "null", "~", "on", "1.0", "été", "猫")


@st.composite
def figures(draw: st.DrawFn, largest: int = 1) -> str:
    """A figure as people write it: 2, -0.5, 1.25, 1.0."""
    places = draw(st.integers(0, 2))
    count = draw(st.integers(-largest * 10**places, largest * 10**places))
    sign = "-" if count < 0 else ""
    digits = str(abs(count)).rjust(places + 1, "0")
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


@st.composite
def matrices(draw: st.DrawFn, rows: int, columns: int) -> str:
    """A matrix in YAML's flow style."""
    cells = draw(st.lists(figures(), min_size=rows * columns, max_size=rows * columns))
    lines = (cells[i * columns : (i + 1) * columns] for i in range(rows))
    return "[" + ", ".join(f"[{', '.join(line)}]" for line in lines) + "]"


@st.composite
def scenarios(draw: st.DrawFn, policy: str | None = None) -> str:
    """The YAML text of a scenario that can be worked to its end."""
    d_model, d_k, d_v = (draw(st.integers(1, 3)) for _ in range(3))
    tokens = draw(st.lists(st.sampled_from(TOKENS), min_size=1, max_size=4))
    lines = [f"sentence: {' '.join(tokens)!r}", "embeddings:"]
    for token in dict.fromkeys(tokens):
        lines.append(f"  {token}: {draw(matrices(1, d_model))[1:-1]}")
    for name, width in (("W_Q", d_k), ("W_K", d_k), ("W_V", d_v)):
        lines.append(f"{name}: {draw(matrices(d_model, width))}")
    lines.append(f"scale: {draw(st.sampled_from(['sqrt_d_k', 'none', '2', '1.5']))}")
    if draw(st.booleans()):
        lines += draw(_feed_forward(d_v))
    chosen = policy or draw(st.sampled_from(["carry", "exact"]))
    decimals = draw(st.integers(2, 6))
    lines.append(f"rounding: {{policy: {chosen}, decimals: {decimals}}}")
    return "\n".join(lines) + "\n"


@st.composite
def _feed_forward(draw: st.DrawFn, d_v: int) -> list[str]:
    d_ff, d_out = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    kinds = ["relu", "gelu", "gelu_tanh", "tanh", "sigmoid", "none"]
    lines = [
        f"W1: {draw(matrices(d_v, d_ff))}",
        f"W2: {draw(matrices(d_ff, d_out))}",
        f"activation: {draw(st.sampled_from(kinds))}",
    ]
    for name, width in (("b1", d_ff), ("b2", d_out)):
        if draw(st.booleans()):
            lines.append(f"{name}: {draw(matrices(1, width))[1:-1]}")
    return lines
