"""Formats: an author's words are printed, never obeyed; notations; unknown things are loud."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncli.commands.output import chosen_format
from attncli.document.blocks import Callout, Document, Spans, text_of_spans
from attncli.formats import RenderOptions, format_names, render
from attncli.formats.pages import markdown
from attncli.formats.tex.setting import spans as spans_of_tex
from attncli.maths.equations import tree as ex
from attncli.maths.notation import plain, unbreakable
from attncli.maths.notation.escaping import visible
from attncli.maths.notation.latex import latex
from attncli.names import Word
from attncli.output_files import OutputError
from tests.conftest import CHARACTERS
from tests.helpers.pages import SHIPPED, page_of, trace_of

HOSTILE = "[red]x[/x] \\e[31m \\u202e \\0 <b> `*_~|$ [/] \\u2028"
TEXT = f"""\
title: "{HOSTILE}"
sentence: "[red] [/x] \\e[31m \\u202eabc a|b `c` $d$ <i> [/]"
X: [[1], [2], [3], [4], [5], [6], [7], [8], [9]]
W_Q: [[1]]
W_K: [[1]]
scale: none
rounding: {{decimals: 1}}
"""


@pytest.mark.parametrize("form", format_names())
def test_words_are_printed_harmlessly_and_completely(form: str) -> None:
    page = page_of(trace_of(TEXT, "scale=20"), form)
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "\x00" not in page
    assert "\u2028" not in page
    if form == "terminal":
        for word in ("[red]", "[/x]", "\\x1b[31m", "\\u202eabc", "a|b", "`c`", "$d$", "<i>", "[/]"):
            assert f" {word} " in page, word
    if form == "json":
        assert json.loads(page)["steps"][0]["quantities"][0]["values"][2] == "\x1b[31m"


def test_colours_change_nothing_but_colours() -> None:
    from rich.text import Text

    from attncli.pages.parts.selection import Selection
    from attncli.pages.walkthrough import walkthrough

    document = walkthrough(trace_of(TEXT, "scale=20"), Selection())
    coloured = render(document, "terminal", RenderOptions(80, colour=True))
    assert "\x1b[" in coloured
    bare = Text.from_ansi(coloured).plain
    assert bare.rstrip("\n") == render(document, "terminal", RenderOptions(80)).rstrip("\n")


@given(st.text(CHARACTERS, max_size=30))
def test_visible_texts_have_nothing_hidden(text: str) -> None:
    shown = visible(Word(text))
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert not any(unicodedata.category(c) in hidden for c in shown if c not in "\u200c\u200d")


@given(st.text(CHARACTERS, min_size=1, max_size=20))
def test_code_spans_hold_any_text(text: str) -> None:
    span = markdown.code(text)
    fence = span[: len(span) - len(span.lstrip("`"))] if not text.startswith("`") else None
    assert text in span
    if fence is not None:
        assert fence not in text


N = ex.constant


@pytest.mark.parametrize(
    ("expression", "text", "tex"),
    [
        (ex.Product((N(2), N(-1))), "2 × (−1)", r"2 \times \left(-1\right)"),
        (ex.Sum((N("0.4425"), N("-0.0997"))), "0.4425 − 0.0997", "0.4425 - 0.0997"),
        (
            ex.Sum((ex.Product((N("0.5"), N("0.885"))), ex.Product((N("-0.1"), N("0.997"))))),
            "0.5 × 0.885 − 0.1 × 0.997",
            r"0.5 \times 0.885 - 0.1 \times 0.997",
        ),
        (ex.Sum((N(-1), ex.Product((N(-2), N(-3))))), "−1 − 2 × (−3)", r"-1 - 2 \times \left(-3\right)"),
        (ex.e_to(N(2)), "e^2", "e^{2}"),
        (ex.e_to(N("-0.5")), "e^(−0.5)", "e^{-0.5}"),
        (ex.e_to(ex.minus(N(25), N(30))), "e^(25 − 30)", "e^{25 - 30}"),
        (ex.e_to(ex.minus(N(-1), N(-2))), "e^(−1 − (−2))", r"e^{-1 - \left(-2\right)}"),
        (ex.Quotient(N(1), ex.Root(N(2))), "1 / √2", r"\dfrac{1}{\sqrt{2}}"),
        (ex.Quotient(N(1), ex.Sum((N(1), N(2)))), "1 / (1 + 2)", r"\dfrac{1}{1 + 2}"),
        (ex.Quotient(N(1), ex.Quotient(N(1), N(2))), "1 / (1 / 2)", r"\dfrac{1}{\dfrac{1}{2}}"),
        (ex.Power(N("-2"), N(3)), "(−2)^3", r"\left(-2\right)^{3}"),
        (
            ex.Vector((ex.Product((N(1), N(2))), N(-3), ex.Omitted())),
            "[1×2, −3, …]",
            r"[1 \times 2, -3, \dots]",
        ),
        (ex.Dot(ex.Vector((N(1),)), ex.Vector((N(2),))), "[1] · [2]", r"[1] \cdot [2]"),
        (
            ex.MatrixProduct((ex.Symbol("Q"), ex.Transposed(ex.Symbol("K")))),
            "Q Kᵀ",
            r"Q \thinspace K^{\top}",
        ),
        (ex.Symbol("W1"), "W1", "W _{1}"),
        (ex.Symbol("exp_sum", ("i",)), "exp_sum[i]", r"\mathrm{exp} _{\mathrm{sum}}[i]"),
        (ex.Total("j", ex.Symbol("exp", ("i", "j"))), "Σ_j exp[i, j]", r"\sum _{j} \mathrm{exp}[i, j]"),
        (ex.Apply("max", (N(0), N("-1.5"))), "max(0, −1.5)", r"\max\left(0, -1.5\right)"),
        (N("3e-30"), "3e-30", r"3 \times 10^{-30}"),
    ],
)  # fmt: skip
def test_notations(expression: ex.Expression, text: str, tex: str) -> None:
    assert unbreakable(plain(expression)) == text
    assert latex(expression) == tex


def test_unknown_things_are_loud() -> None:
    for write in (plain, latex):
        with pytest.raises(TypeError, match="int has no"):
            write(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no format 'papyrus'"):
        render(None, "papyrus", RenderOptions())  # type: ignore[arg-type]


def test_the_suffix_of_a_file_means_its_format() -> None:
    names = ["a.md", "a.JSON", "A.HTM", "a.b.txt", "a", "a/b.c/d", "-", None]
    found = [chosen_format(None, name, format_names()) for name in names]
    assert found == ["markdown", "json", "html", *["terminal"] * 5]
    assert chosen_format("latex", "a.md", format_names()) == "latex"


@pytest.mark.parametrize("name", ["page.docx", "e.pdf", "a.csv", "A.DOC", "b.x\ny"])
def test_a_suffix_of_no_format_is_refused(name: str) -> None:
    with pytest.raises(
        OutputError, match=r"no format .*; end its name in \.txt, \.html, "
    ) as raised:
        chosen_format(None, name, format_names())
    (problem,) = raised.value.problems
    assert problem.where.source == name
    assert chosen_format("json", name, format_names()) == "json"


@pytest.mark.parametrize("form", format_names())
@pytest.mark.parametrize("weights", ["[[-0.95]]", "[[0, 0], [0, -1]]", "[[0]]"])
def test_a_graph_of_nobody_is_left_out(weights: str, form: str) -> None:
    """Weights that are given needn't let anybody attend to anybody."""
    tokens = "[a, b]" if "," in weights else "[a]"
    trace = trace_of(f"tokens: {tokens}\nweights: {weights}\nshow: {{graph: true}}\n")
    assert "Who attends to whom" not in page_of(trace, form)


SYMBOLS = ("grows like √d_k, W_Qᵀ and W_O[1, 2], not top_k: d_model.", Word("d_k"))


@pytest.mark.parametrize(
    ("write", "told"),
    [
        (
            spans_of_tex,
            r"grows like $\sqrt{d _{k}}$, $W _{Q}^{\top}$ and W\_O[1, 2], not top\_k:"
            r" $d _{\mathrm{model}}$.d\_k",
        ),
        (
            lambda spans: (
                render(one_note(spans), "markdown", RenderOptions()).split("> ")[1].strip()
            ),
            r"grows like $\sqrt{d _{k}}$, $W _{Q}^{\top}$ and W_O[1, 2], not top_k:"
            r" $d _{\mathrm{model}}$.d\_k",
        ),
        (
            text_of_spans,
            "grows like √d_k, W_Qᵀ and W_O[1, 2], not top_k: d_model.d_k",
        ),
    ],
)
def test_names_in_prose_are_symbols_where_there_is_mathematics(
    write: Callable[[Spans], str], told: str
) -> None:
    """But for somebody's words, cells and what has no single letter."""
    assert write(SYMBOLS) == told


@pytest.mark.parametrize("form", ["latex", "markdown", "html"])
def test_no_page_has_a_raw_name_in_its_prose(form: str) -> None:
    page = page_of(trace_of(SHIPPED["encoder_block"]), form)
    apart = r"<(script|style|code|pre)\b.*?</\1>|<span class=.worked.>[^<]*|<[^>]*>|`[^`]*`"
    prose = re.sub(apart, "", page, flags=re.DOTALL)
    assert not re.search(r"\b[dW](_|\\_)(k|v|model|O)\b", prose)


def one_note(spans: Spans) -> Document:
    return Document(Word("x"), (), closing=(Callout(spans),))
