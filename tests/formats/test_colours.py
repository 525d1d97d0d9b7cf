"""Colours can be read, after the Web Content Accessibility Guidelines 2.2, and are only colours."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from math import dist

import pytest
from rich.color import Color, ColorSystem
from rich.style import Style
from rich.text import Text

from attncli.document.grid import Look, ink_of
from attncli.document.tables import SIGNS, VERDICTS
from attncli.formats import RenderOptions, render
from attncli.formats.colours import (
    DARK,
    INKS,
    LIGHT,
    SAID,
    SHADES,
    ColourScheme,
    Shade,
    inks_on,
    shade_of,
)
from attncli.formats.html.webpage import colour_sheet
from attncli.formats.screen.painting import STYLES
from attncli.formats.svg.elements import style_sheet
from attncli.formats.tex.setting import look_of
from attncli.names import GRADIENTS, Name
from tests.conftest import sampled
from tests.helpers import processes
from tests.helpers.pages import GOLDEN, SHIPPED, document_of, trace_of

LEAST = 4.5
BLACK, WHITE = "#000000", "#ffffff"


def luminance(colour: str) -> float:
    """The relative luminance of `#rrggbb` (WCAG 2.2, its glossary)."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(text: str, other: str) -> float:
    light, dark = sorted((luminance(text), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_contrast_is_that_of_the_guidelines() -> None:
    assert contrast(BLACK, WHITE) == pytest.approx(21)
    assert contrast("#767676", WHITE) == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
def test_pictures_can_be_read(scheme: ColourScheme) -> None:
    page = scheme.page.background
    for ink in (scheme.page.text, scheme.aside, scheme.line):
        assert contrast(ink, page) >= LEAST, ink
    for shade in scheme.shades:
        assert contrast(*shade) >= LEAST, shade


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
def test_shades_go_away_from_the_page_step_by_step(scheme: ColourScheme) -> None:
    steps = [contrast(shade.background, scheme.page.background) for shade in scheme.shades]
    assert all(before < after for before, after in pairwise(steps))


def lab(colour: str) -> tuple[float, float, float]:
    """A colour in CIE L*a*b*, whose distances are about those that one sees (CIE 15:2004)."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505
    y, z = luminance(colour), (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    fx, fy, fz = (t ** (1 / 3) if t > 216 / 24389 else t * 841 / 108 + 4 / 29 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def apart(colour: str, other: str) -> float:
    return dist(lab(colour), lab(other))


SEEN, TOLD_APART = 5.0, 20.0
"""How far apart two shades are that differ, and two inks that nobody takes for each other."""


def test_distances_of_colours_are_those_of_cie() -> None:
    assert lab(WHITE) == pytest.approx((100, 0, 0), abs=0.1)
    assert lab("#ff0000") == pytest.approx((53.2, 80.1, 67.2), abs=0.2)


@pytest.mark.parametrize(
    ("shades", "pages"),
    [
        (LIGHT.shades[1:], [LIGHT.page.background]),
        (DARK.shades[1:], [DARK.page.background]),
        (SHADES, [BLACK, WHITE]),
    ],
    ids=["light", "dark", "terminal"],
)
def test_eight_shades_differ_from_each_other_and_from_the_page(
    shades: Sequence[Shade], pages: Sequence[str]
) -> None:
    grounds = [shade.background for shade in shades]
    assert len(grounds) >= 8
    assert all(apart(*pair) >= SEEN for pair in combinations([*grounds, *pages], 2))
    assert all(contrast(*shade) >= LEAST for shade in shades)


def test_shares_of_a_tenth_apart_have_other_shades_in_a_terminal() -> None:
    """One grey was from 0.10 to 0.29."""
    shades = [shade_of(share, (None, *SHADES)) for share in (0.05, 0.1, 0.2, 0.29, 0.4, 0.55)]
    assert shades == sorted({*shades})


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
def test_an_ink_means_one_thing(scheme: ColourScheme) -> None:
    """None of those of queries, keys, values and given numbers looks like one that judges."""
    roles = {name: ink for name, ink in inks_on(scheme).items() if name != "aside"}
    for said in scheme.said.values():
        assert contrast(said, scheme.page.background) >= LEAST
    for one, other in combinations([*roles.values(), *scheme.said.values()], 2):
        assert apart(one, other) >= TOLD_APART, (one, other)


def test_what_is_said_of_numbers_has_an_ink_of_its_own_and_a_sign() -> None:
    assert {*VERDICTS.values()} == {*LIGHT.said, "aside"} == {*SAID, "aside"}
    assert {*LIGHT.said} == {*DARK.said}
    assert {*VERDICTS} - {*SIGNS} == {"changed"}  # which has an arrow
    assert len({*SIGNS.values()}) == len(SIGNS)
    assert VERDICTS["correct"] != VERDICTS["carried forward"] != VERDICTS["slip"]


SHEETS = {"a page of HTML": colour_sheet(), "a picture": style_sheet()}
_RULE = re.compile(r"([^{}\n]+?) \{ ([^{}]+?);? \}")
_GROUNDS = re.compile(r"(?:svg )?\.(?:page|hollow|bar|bar\.below|halo|shade(?:-below)?\d)")


def painted(rules: str) -> Iterator[tuple[str, str, str]]:
    """What a style sheet paints texts and lines in, and what they stand upon."""
    found = {
        selector.strip(): dict(re.findall(r"([\w-]+): (#[0-9a-f]{6})", looks))
        for selector, looks in _RULE.findall(rules)
    }
    page = found.get(":root", {}).get("--page") or found[".page"]["fill"]
    for selector, looks in found.items():
        if _GROUNDS.fullmatch(selector):
            continue
        under = found.get(selector.replace(".on", ".shade"), {}) if ".on" in selector else {}
        ground = under.get("fill") or looks.get("background") or page
        for what, colour in looks.items():
            if what not in ("background", "--page") and (what, selector[-4:]) != ("fill", ".box"):
                yield selector, colour, ground


@pytest.mark.parametrize("name", SHEETS)
@pytest.mark.parametrize("dark", [False, True])
def test_all_that_a_style_sheet_paints_can_be_read(name: str, dark: bool) -> None:
    pairs = [*painted(SHEETS[name].split("@media")[dark])]
    kinds = {selector.split(".")[-1] for selector, *_ in pairs}
    assert {"Q", "K", "V", "aside", "chosen", "on0", "on-below8", "ink5"} <= kinds
    assert [pair for pair in pairs if contrast(*pair[1:]) < LEAST] == []


def test_a_share_has_its_shade() -> None:
    shares = [shade_of(share / 100, LIGHT.shades) for share in range(101)]
    assert shares == sorted(shares)
    assert {*shares} == {*range(len(LIGHT.shades))}
    assert shade_of(-0.2, LIGHT.shades) == 0
    assert shade_of(1.1, LIGHT.shades) == len(LIGHT.shades) - 1


def colours_of(style: str) -> tuple[str | None, str | None]:
    """The text of a style and what it stands upon."""
    parsed = Style.parse(style)
    text, ground = (
        color.get_truecolor().hex if color else None for color in (parsed.color, parsed.bgcolor)
    )
    return text, ground


@pytest.mark.parametrize("name", STYLES)
def test_a_terminal_can_be_read_on_black_and_on_white(name: str) -> None:
    text, ground = colours_of(STYLES[name])
    assert not Style.parse(STYLES[name]).dim  # half as bright as nobody knows what
    if text is not None:
        for page in (BLACK, WHITE) if ground is None else (ground,):
            assert contrast(text, page) >= LEAST
    assert ground is None or text is not None


@pytest.mark.parametrize(
    "colour", [*INKS.values(), *(c for shade in (*SHADES, *SAID.values()) for c in shade)]
)
def test_a_terminal_of_256_colours_has_the_same_ones(colour: str) -> None:
    among_256 = Color.parse(colour).downgrade(ColorSystem.EIGHT_BIT)
    assert among_256.get_truecolor().hex == colour


def coloured(name: str, monkeypatch: pytest.MonkeyPatch, **environment: str) -> str:
    for variable in ("COLORTERM", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    return render(document_of(trace_of(SHIPPED[name])), "terminal", RenderOptions(80, colour=True))


@pytest.mark.parametrize("term", ["xterm", "linux", "screen"])
def test_sixteen_colours_nobody_knows_are_left_alone(
    term: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = coloured("i_love_ai", monkeypatch, TERM=term)
    codes = {code for run in re.findall(r"\x1b\[([\d;]*)m", page) for code in run.split(";")}
    assert codes <= {"0", "1", "3", "4"}  # bold, italic, underlined
    assert "1" in codes


def style_at(page: str, line: str, text: str) -> Style:
    """How a text on a line of a page is written."""
    (whole,) = [entry for entry in page.split("\n") if line in Text.from_ansi(entry).plain]
    told = Text.from_ansi(whole)
    at = told.plain.index(text, told.plain.index(line))
    styles = [span.style for span in told.spans if span.start <= at < span.end]
    return Style.combine([Style.null(), *(Style.parse(str(style)) for style in styles)])


def ink(style: Style) -> str:
    return style.color.get_truecolor().hex if style.color else ""


def test_queries_keys_and_values_have_their_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    page = coloured("i_love_ai", monkeypatch, TERM="xterm", COLORTERM="truecolor")
    headings = "Token │ Input embedding  Query"
    assert ink(style_at(page, headings, "Input embedding")) == ""
    assert ink(style_at(page, headings, "Query")) == INKS["Q"]
    assert ink(style_at(page, headings, "Key")) == INKS["K"]
    assert ink(style_at(page, headings, "Value")) == INKS["V"]
    assert ink(style_at(page, "weights │", "K: love")) == INKS["K"]
    assert ink(style_at(page, "│ [0, 1]           [0, 1]  [0, 1]", "[2, 1]")) == INKS["V"]


def test_working_and_formulas_have_the_same_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    page = coloured("i_love_ai", monkeypatch, TERM="xterm", COLORTERM="truecolor")
    line = "scores[love, AI]   = [0, 1] · [1, 2]"
    assert ink(style_at(page, line, "scores")) == ""
    assert ink(style_at(page, line, "[0, 1]")) == INKS["Q"]
    assert ink(style_at(page, line, "[1, 2]")) == INKS["K"]
    formula = "Attention scores   scores = Q Kᵀ"
    assert ink(style_at(page, formula, "Q K")) == INKS["Q"]
    assert ink(style_at(page, formula, "Kᵀ")) == INKS["K"]
    assert style_at(page, formula, "Kᵀ").italic
    label = "V[love] = [0, 1] × W_V"
    assert ink(style_at(page, label, "V[")) == INKS["V"]
    assert ink(style_at(page, label, "[0, 1]")) == ""
    terms = "V[love] = [0, 1] × W_V = [0×1"
    assert ink(style_at(page, terms, "2, 0×2")) == INKS["given"]  # as in the table of W_V
    assert ink(style_at(page, label, "[2, 1]")) == INKS["V"]
    assert ink(style_at(page, label, "W_V")) == INKS["V"]
    addend = "0.576 × [3, 3]"
    assert ink(style_at(page, addend, "0.576")) == ""
    assert ink(style_at(page, addend, "[3, 3]")) == INKS["V"]


def test_what_makes_queries_and_its_gradients_have_their_ink() -> None:
    coloured = ("W_Q", "b_Q", "normed_Q", "rotated_Q", "Q_new", Name("Q").under(GRADIENTS))
    assert {ink_of(name) for name in coloured} == {"Q"}
    assert {ink_of(name) for name in ("W_O", "QK", "W_QK", "weights", "q")} == {""}


@sampled(5, cells=[40, 80], name=["encoder_block", "i_can_go_alone", "next_token"])
def test_colours_change_no_character(name: str, cells: int) -> None:
    document = document_of(trace_of(SHIPPED[name]))
    page = render(document, "terminal", RenderOptions(cells))
    in_colour = render(document, "terminal", RenderOptions(cells, colour=True))
    assert re.sub(r"\x1b\[[\d;]*m", "", in_colour) == page
    assert not set("\u2061\u2062\u2063\u2064") & set(page)


def test_weights_are_shaded_and_the_largest_is_bold(monkeypatch: pytest.MonkeyPatch) -> None:
    page = coloured("i_love_ai", monkeypatch, TERM="xterm", COLORTERM="truecolor")
    row = "Q: AI   │ 0.245"
    largest, small, smallest = (style_at(page, row, text) for text in ("0.665", "0.245", "0.090"))
    assert largest.bold
    assert not small.bold
    assert largest.bgcolor == Color.parse(SHADES[5].background)
    assert small.bgcolor == Color.parse(SHADES[1].background)
    assert smallest.bgcolor == Color.parse(SHADES[0].background)
    assert style_at(page, row, "1.000").bgcolor is None


def test_given_numbers_and_the_result_differ_from_others(monkeypatch: pytest.MonkeyPatch) -> None:
    page = coloured("i_love_ai", monkeypatch, TERM="xterm", COLORTERM="truecolor")
    given = "1           │ 1  0    1           │ 1  1"
    assert ink(style_at(page, given, "1  0")) == INKS["given"]
    result = "AI    │ [2.420, 2.575]"
    assert style_at(page, result, "[4.995").underline
    assert not style_at(page, result, "[2.420").underline


def in_a_terminal(**environment: str) -> bytes:
    """What a command writes on a terminal of 80 columns, without what it does where that lasts."""
    main, own = pty.openpty()
    keep = {
        key: value
        for key, value in os.environ.items()
        if key not in ("NO_COLOR", "FORCE_COLOR", "COLORTERM")
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "attncli", "run", "i_love_ai", "--detail", "full"],
        stdout=own, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
        env={**keep, "COLUMNS": "80", **environment},
    )  # fmt: skip
    os.close(own)
    written = b""
    try:
        while part := os.read(main, 1 << 16):
            written += part
    except OSError:  # Linux tells the end of a terminal so
        pass
    os.close(main)
    assert process.wait() == 0
    return written.replace(b"\r\n", b"\n")


def test_without_colours_the_bytes_are_those_of_the_page() -> None:
    page = (GOLDEN / "i_love_ai.txt").read_bytes()
    assert in_a_terminal(TERM="dumb") == page
    assert in_a_terminal(TERM="xterm-256color", NO_COLOR="1") == page
    in_colour = in_a_terminal(TERM="xterm-256color")
    assert b"\x1b[38;5;" in in_colour
    assert re.sub(rb"\x1b\[[\d;]*m", b"", in_colour) == page
    command = [sys.executable, "-m", "attncli", "run", "i_love_ai", "--detail", "full"]
    piped = subprocess.run(
        command, capture_output=True, check=True, env={**os.environ, "COLUMNS": "80"}
    )
    assert piped.stdout == page


def test_tables_in_latex_have_the_same_inks_and_shades() -> None:
    page = render(document_of(trace_of(SHIPPED["i_love_ai"])), "latex", RenderOptions())
    for name, colour in INKS.items():
        assert rf"\definecolor{{attn{name}}}{{HTML}}{{{colour[1:].upper()}}}" in page
    for k, (ground, text) in enumerate(LIGHT.shades):
        assert rf"\definecolor{{attnshade{k}}}{{HTML}}{{{ground[1:].upper()}}}" in page
        assert rf"\definecolor{{attnon{k}}}{{HTML}}{{{text[1:].upper()}}}" in page
    row = r"\attnink{Q}Q: AI & \attnshade{2}$0.245$ & \attnshade{1}$0.090$ & \attnshade{5}\boldmath$0.665$ & $1.000$"
    assert row in page
    assert look_of(Look(result=True)) == r"\boldmath"
    assert r"1 & \attnink{given}$1$ & \attnink{given}$0$" in page


def test_mathematics_in_latex_has_the_inks_of_the_terminal() -> None:
    page = render(document_of(trace_of(SHIPPED["i_love_ai"])), "latex", RenderOptions())
    for formula in (
        r"\mathrm{scores} = <Q:Q> \thinspace <K:K>^{\top}",
        r"<Q:Q[\text{AI}]> &= [1, 1] \times <Q:W _{Q}>",
        r"[<Q:1>, <Q:0>] \cdot [<K:1>, <K:2>] &&= <Q:1> \times <K:1> + <Q:0> \times <K:2>",
        r"0.155 \times [<V:2>, <V:1>] & {}\rightarrow{} [0.310, 0.155]",
    ):
        assert re.sub("<(.):(.*?)>", r"{\\attnink{\1}\2}", formula) in page


@pytest.mark.wing("classroom")
def test_what_is_to_be_filled_in_has_no_colours() -> None:
    result = processes.attn("exercise", "i_love_ai", "--format", "latex", text=True)
    assert result.returncode == 0
    assert r"\attnink" not in result.stdout
    assert r"\attnshade" not in result.stdout
    assert "color" not in result.stdout
