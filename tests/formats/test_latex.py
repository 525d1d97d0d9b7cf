"""LaTeX: words are printed and never obeyed, blanks tell nothing, and TeX takes every page."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from attncli.cli import app
from attncli.document.blocks import (
    AnswerSpace,
    Block,
    Bullets,
    Callout,
    ColumnSum,
    DefinitionList,
    Derivation,
    Document,
    Fields,
    Line,
    Paragraph,
    Section,
    Table,
    Term,
)
from attncli.document.questions import Item, Paper
from attncli.document.tables import MatrixBlock, TableDisplay, TableNames
from attncli.formats import RenderOptions, render
from attncli.formats.tex import setting
from attncli.formats.tex.setting import aligned, breakable, escaped, macros_for, math_width
from attncli.maths.equations import tree as ex
from attncli.maths.equations.matrix import Matrix
from attncli.maths.notation import plain, unbreakable
from attncli.maths.notation.latex import latex
from attncli.names import Word, raw
from attncli.names import words as as_words
from attncli.pages.lesson import lessons
from attncli.pages.parts.selection import Selection
from attncli.steps import steps
from tests.auditor.latex import words
from tests.conftest import CHARACTERS, THOROUGH, sampled, share
from tests.helpers.pages import LARGE, SHIPPED, document_of, trace_of
from tests.helpers.pictures_examples import EXAMPLES as PICTURE_EXAMPLES

WIDE = "i_can_go_alone"
N = ex.Number.written
MOST_OVERFULL = 3.0


needs_tex = pytest.mark.real("pdflatex", "amsmath.sty", "booktabs.sty", "geometry.sty")
needs_exam = pytest.mark.real("pdflatex", "exam.cls", "booktabs.sty", "pdftotext")


def compiled(
    folder: Path, source: str, *, engine: str = "pdflatex", start: str = "page", draft: bool = False
) -> str:
    """TeX's log of a file that it takes without an error; a draft is quick and isn't to be read."""
    (folder / "page.tex").write_text(source, encoding="utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "-jobname=page", start]
    command[1:1] = ["-draftmode"] if draft else []
    run = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    log = (folder / "page.log").read_text("utf-8", errors="replace")
    assert run.returncode == 0, log[log.find("\n!") :][:1000]
    return log


def overfull(log: str) -> list[float]:
    widths = re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", log)
    return [width for width in map(float, widths) if width > MOST_OVERFULL]


def printed(folder: Path) -> str:
    command = ["pdftotext", "-layout", "page.pdf", "-"]
    run = subprocess.run(command, cwd=folder, capture_output=True, check=True)
    return run.stdout.decode("utf-8")


def documents(first: int) -> list[Document]:
    """Every fourth shipped scenario as `attn run` prints it, in the thorough profile every one, and
    lessons on one of them."""
    names = [name for name in SHIPPED if name not in LARGE]
    traces = [trace_of(SHIPPED[name]) for name in (names if THOROUGH else names[first::4])]
    pairs = [(step, trace_of(SHIPPED["encoder_block"])) for step in steps()]
    return [*map(document_of, traces), lessons(pairs[0][1], pairs, Selection())]


def of_blocks(*blocks: Block, title: str = "A page") -> Document:
    facts = DefinitionList((("Of", (Word(title),)),))
    return Document(Word(title), (Section("s", 1, ("Step",), (), blocks),), facts)


def body(page: str) -> str:
    return page.partition(r"\begin{document}")[2].partition(r"\end{document}")[0]


@needs_tex
def test_every_page_compiles_inside_its_margins(tmp_path: Path) -> None:
    pages = [render(document, "latex", RenderOptions()) for document in documents(0)]
    preamble = pages[0].partition(r"\begin{document}")[0]
    assert all(page.startswith(preamble[:200]) for page in pages)
    everything = "\n\\clearpage\n".join(map(body, pages))
    preamble += macros_for(everything)
    log = compiled(tmp_path, f"{preamble}\\begin{{document}}\n{everything}\n\\end{{document}}\n")
    assert overfull(log) == []


@needs_tex
def test_every_fragment_goes_into_a_bare_article(tmp_path: Path) -> None:
    """With amsmath and booktabs alone, and between its narrow margins."""
    inputs = []
    for k, document in enumerate(documents(1)):
        fragment = render(document, "latex", RenderOptions(fragment=True))
        assert r"\documentclass" not in fragment
        assert r"\usepackage" not in fragment
        (tmp_path / f"part{k}.tex").write_text(fragment, encoding="utf-8")
        inputs.append(f"\\input{{part{k}}}")
    log = compiled(tmp_path, bare("article", "\n".join(inputs)))
    assert overfull(log) == []


def bare(kind: str, inside: str) -> str:
    packages = r"\usepackage{amsmath}\usepackage{booktabs}"
    return f"\\documentclass{{{kind}}}{packages}\\begin{{document}}\n{inside}\n\\end{{document}}\n"


NASTY = (
    "\\", "{", "}", "a{b", "$x$", "&", "#1", "%", "_", "^", "~", "<b>", "|", '"q"', "`c`", "'s", "''",
    "--", "---", ",,", "<<", ">>", "!`", "?`", "[", "[x]", "]", "x]y", "*", "*a", "\\input{x}",
    "^^41", "\\\\[3pt]", "\\end{tabular}", "%\\", "~~", "猫", "🙂", "👩‍👩‍👧", "مرحبا", "e\u0301",
    "\u0301", "\u202eabc", "  a  b ", " ", "\u00a0", "\u3000", "ﬁ", "₿", "\uffff", "\U0010ffff",
    "\ue000", "Ж", "α", "ąę", "«»", "ð", "İı", "Å", "½", "€", "\u200d", "\ud800", "a\tb", "\x00",
    "\x1b[31m", "∑", "ß", "ẞ", "été", "a\u2028b",
)  # fmt: skip


def any_words(of: str) -> list[str]:
    """Nasty words, some of the Latin alphabets', thoroughly all, and some of everything."""
    random = Random(4)
    letters = [chr(code) for code in range(0x20, 0x600)]
    drawn = ["".join(chr(random.randrange(0x20, 0x30000)) for _ in range(6)) for _ in range(60)]
    return [*NASTY, *share(4, letters, of), *share(2, drawn, of)]


def page_of_words(several: Sequence[str]) -> Document:
    """Words wherever somebody's words may stand."""
    n, m = len(several), 3
    matrix = Matrix.of_written([[Decimal(1)] * m] * n)
    lines = tuple(Line(ex.Symbol("scores", (Word(w), Word("AI"))), (("=", N(1)),)) for w in several)
    return of_blocks(
        Table(("Word", "Twice"), tuple((Word(w), Word(w)) for w in several)),
        Derivation(lines),
        Bullets(tuple((Word(w), " and ", Term(ex.Symbol("Q", (Word(w),)))) for w in several)),
        MatrixBlock(
            "X",
            matrix,
            TableNames(as_words(tuple(several)), as_words(tuple(several[:m]))),
            tuple(range(n)),
        ),
        Callout(tuple(Word(w) for w in several)),
        title=" ".join(several[:40]),
    )


@needs_tex
@sampled(5, engine=["pdflatex", "xelatex", "lualatex"], fragment=[False, True])
def test_any_words_compile(tmp_path: Path, engine: str, fragment: bool) -> None:
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not installed")
    page = render(
        page_of_words(any_words(f"{engine} {fragment}")), "latex", RenderOptions(fragment=fragment)
    )
    compiled(tmp_path, bare("article", page) if fragment else page, engine=engine)


@needs_exam
def test_words_are_printed_as_they_are(tmp_path: Path) -> None:
    compiled(tmp_path, render(page_of_words(NASTY), "latex", RenderOptions()))
    shown = printed(tmp_path)
    for word in (
        "\\input{x}", "\\end{tabular}", "$x$", "#1", "<b>", "^^41", "[x]", "--", "U+732B", "U+1F642",
        "\\u202eabc", "\\x1b[31m", "été", "%\\", "~~", "*a", "x]y", "\\\\[3pt]", "a{b",
    ):  # fmt: skip
        assert shown.count(word) >= 3, word


@pytest.mark.parametrize("word", [w for w in NASTY if w.isprintable() and w.strip() == w])
def test_words_can_be_read_again(word: str) -> None:
    """The auditor's own reading gives what was written, of every character that is one."""
    assert words(setting.word(Word(word))) == ("é" if word == "e\u0301" else word)


@pytest.mark.parametrize(
    ("written", "tex"),
    [
        ("50% of_it", r"50\% of\_it"),
        ("a--b", "a-{}-b"),
        ("[3, 2]", "{[}3, 2]"),
        ("*", "{*}"),
        (" love", r"\textvisiblespace{}love"),
        ("\\x", r"\textbackslash{}x"),
        ("猫", r"\attnchar{732B}{猫}"),
        ("ł, é, ą", r"ł, é, \attnlatin{0105}{ą}"),
        ("−1", r"\ensuremath{-}1"),
    ],
)
def test_words(written: str, tex: str) -> None:
    assert setting.word(Word(written)) == tex


def test_only_pages_that_need_it_define_something() -> None:
    plain_page = render(of_blocks(Paragraph(("Nothing.",))), "latex", RenderOptions(fragment=True))
    assert "command" not in plain_page
    page = render(of_blocks(Paragraph((Word("猫"),))), "latex", RenderOptions(fragment=True))
    assert r"\providecommand\attnchar" in page


def test_numbers_are_filled_up_to_each_other() -> None:
    assert aligned(["1", "-20.5", "3.25"]) == [
        r"\phantom{0-}1\phantom{.25}",
        r"-20.5\phantom{5}",
        r"\phantom{0-}3.25",
    ]
    assert aligned(["-1", "10"]) == [r"\phantom{0}{-}1", r"\phantom{-}10"]
    assert aligned([r"-\infty", "2"]) == [r"-\infty", "2"]
    assert aligned(["1", "2.5"], before=False) == [r"1\phantom{.5}", "2.5"]


def test_blanks_in_both_notations() -> None:
    blank, told = ex.Blank("a"), ex.Blank("a", N(Decimal("-0.5")))
    for node, line, tex in (
        (blank, "______", r"\underline{\hspace{3em}}"),
        (told, "−0.5", "-0.5"),
        (ex.Sum((N(2), told)), "2 + (−0.5)", r"2 + \left(-0.5\right)"),
        (ex.Product((N(2), told)), "2 × (−0.5)", r"2 \times \left(-0.5\right)"),
        (ex.Sum((N(2), blank)), "2 + ______", r"2 + \underline{\hspace{3em}}"),
        (ex.Vector((blank, told)), "[______, −0.5]", r"[\underline{\hspace{3em}}, -0.5]"),
    ):
        assert unbreakable(plain(node)) == line
        assert latex(node) == tex


@needs_tex
def test_widths_are_near_enough(tmp_path: Path) -> None:
    """What is taken for a formula's width is no less than TeX's, nor much more."""
    formulas = [
        r"0.422 \times [1.998, 2.265] + 0.155 \times [2.364, -2.364]",
        r"\mathrm{scores}[\text{love}, \text{memory}] = 1.25 + 0.1 - 13.75",
        r"\dfrac{7.389}{12.825 + 0.1} = e^{-0.5 - 1.25} = \sqrt{2.25}",
        r"\max(0, 0.25) + \tanh(1.5) \cdot \pi - \infty",
    ]
    boxes = "\n".join(rf"\setbox0\hbox{{${f}$}}\typeout{{W \the\wd0}}" for f in formulas)
    log = compiled(tmp_path, bare("article", boxes))
    for formula, points in zip(formulas, re.findall(r"^W ([\d.]+)pt", log, re.M), strict=True):
        assert float(points) / 10 * 0.98 <= math_width(formula) <= float(points) / 10 * 1.2


@needs_tex
@pytest.mark.parametrize("fragment", [False, True])
def test_wide_things_stay_inside_the_margins(tmp_path: Path, fragment: bool) -> None:
    row = [Decimal("-1234.5")] * 12
    matrix = Matrix.of_written([row] * 12)
    names = tuple(Word(f"token{k}") for k in range(12))
    numbers = tuple(map(N, row))
    product = ex.Product((N(Decimal("0.125")), ex.Vector(numbers)))
    total = ex.Sum(tuple(ex.Product((a, a)) for a in numbers))
    long = ex.Quotient(total, ex.Root(N(2)))
    name = ex.Symbol(
        "weights", as_words(("a token that has rather a long name", "another of these"))
    )
    numbered = as_words(tuple(map(str, range(12))))
    page = of_blocks(
        MatrixBlock("X", matrix, TableNames(names, names), tuple(range(12))),
        MatrixBlock("Y", matrix, TableNames(names, numbered), tuple(range(12))),
        Derivation((Line(name, (("=", long), ("=", ex.Vector(numbers)), ("≈", numbers[0]))),)),
        ColumnSum(ex.Symbol("output", ("x",)), ((product, ex.Vector(numbers)),) * 3, "=",
                 ex.Vector(numbers)),
        Table(("Said", "By"), ((Word("many words " * 30), Word("somebody " * 10)),) * 50),
    )  # fmt: skip
    source = render(page, "latex", RenderOptions(fragment=fragment))
    log = compiled(tmp_path, bare("article", source) if fragment else source)
    assert overfull(log) == []


ADDRESS = r"[a-z_]{1,12}\[[A-Za-z]{1,6}\]\.[a-z]{1,6}\[[0-9]\]"


@needs_tex
def test_a_picture_is_a_table_of_its_numbers(tmp_path: Path) -> None:
    page = render(of_blocks(*PICTURE_EXAMPLES.values()), "latex", RenderOptions())
    assert "tikz" not in page
    assert overfull(compiled(tmp_path, page)) == []
    text = printed(tmp_path)
    for picture in PICTURE_EXAMPLES.values():
        assert raw(picture.title).split()[0] in text


@given(st.from_regex(ADDRESS, fullmatch=True, alphabet=CHARACTERS))
def test_ordinary_words_are_not_broken(address: str) -> None:
    assert breakable(address) == escaped(address)


@needs_tex
def test_long_words_stay_inside_the_margins(tmp_path: Path) -> None:
    """Words without a space to break them at, wherever words may stand."""
    longest = (
        "Donaudampfschiff" * 8,
        "x" * 300,
        "\\" * 90,
        "шла Саша по шоссе" * 4,
        "猫" * 40,
        "#_" * 70,
        "W" * 21,
        "W" * 30,
    )
    for fragment in (False, True):
        source = render(page_of_words(longest), "latex", RenderOptions(fragment=fragment))
        log = compiled(tmp_path, bare("article", source) if fragment else source)
        assert overfull(log) == []


COMMAND = "attn exercise x_y --step softmax"
ANSWERS = {
    "scores[I, love]": "13.57",
    "scores[love, I]": "-24.68",
    "exp[I]": "86.42",
    "out": "97.53",
}


def exercise(kind: str) -> Document:
    """A paper by hand: blanks in a table, in lines, in a vector and an addition."""
    is_given = kind == "exercise"

    def blank(name: str) -> ex.Blank:
        return ex.Blank(name, N(Decimal(ANSWERS[name])) if is_given else None)

    ids = {(0, 1): "scores[I, love]", (1, 0): "scores[love, I]"}
    numbers = [[Decimal(1), Decimal("13.57")], [Decimal("-24.68"), Decimal(2)]]
    matrix = Matrix.of_written(numbers)
    table = MatrixBlock(
        "scores", matrix if is_given else matrix.without(matrix.marked(ids)),
        TableNames(as_words(("I", "love")), as_words(("I", "love"))), (0, 1),
        made_in="scores", display=TableDisplay(with_sums=True), blanks=ids,
    )  # fmt: skip
    symbol = ex.Symbol("exp", ("I",))
    lines = Derivation(
        (
            Line(symbol, (("=", ex.e_to(N(2))), ("=", blank("exp[I]")))),
            Line(symbol, (("=", ex.Sum((N(1), blank("scores[love, I]")))), ("=", blank("exp[I]")))),
            Line(symbol, (("=", ex.Quotient(blank("exp[I]"), N(3))), ("=", blank("out")))),
            Line(symbol, (("=", ex.Vector((blank("exp[I]"), blank("out")))),)),
        )
    )
    product = ex.Product((blank("exp[I]"), ex.Vector((N(1), N(2)))))
    addition = ColumnSum(
        ex.Symbol("output", ("I",)),
        ((product, ex.Vector((blank("out"), N(2)))),),
        "=",
        ex.Vector((blank("out"), blank("exp[I]"))),
    )
    worked = Derivation((Line(symbol, (("=", ex.e_to(N(2))), ("=", N(Decimal("86.42"))))),))
    sections = (
        Section("scores", 4, ("Attention scores",), (ex.Equation(ex.Symbol("scores"), ex.Symbol("X")),),
                (table, AnswerSpace(3)), questions=(Item("a", 2), Item("b", 3))),
        Section("softmax", 5, ("Softmax",), (), (lines, addition), questions=(Item("c"),),
                solution=(Paragraph(("This is how it is worked.",)), worked) if is_given else ()),
        Section("out", 6, ("Nothing asked",), (), (Paragraph(("Only read.",)),)),
    )  # fmt: skip
    return Document(
        Word("A sheet_1"), sections, DefinitionList((("Rounding", ("carry",)),)),
        opening=(Fields(("Name", "Date", "Points of 6")), Paragraph(("Read this first.",))),
        paper=Paper(kind, "A", "1a2b3c4d", Word("" if kind == "sheet" else COMMAND), 6),
    )  # fmt: skip


def test_a_sheet_has_no_answers_and_blanks_of_one_width() -> None:
    sheet, whole = (
        render(exercise(kind), "latex", RenderOptions()) for kind in ("sheet", "exercise")
    )
    for page in (sheet, whole):
        assert page.startswith(r"\documentclass[addpoints")
        assert set(re.findall(r"\\fillin\[[^]]*\](\[.*?\])", page)) <= {
            "[9mm]",
            "[12mm]",
            "[15mm]",
            "[18mm]",
        }
        assert page.count(r"\fillin") == 13
        assert page.count("\\medskip\n\\question") == 2  # the first stands on the first page
        assert r"\question[5] \textbf{4 · Attention scores}" in page
        assert r"\question \textbf{6 · Nothing asked}" in page
    assert not any(answer.lstrip("-") in sheet for answer in ANSWERS.values())
    assert "printanswers" not in sheet
    assert "solution" not in sheet
    assert all(rf"\fillin[${answer}$]" in whole for answer in ANSWERS.values())
    without_answers = re.sub(r"\\fillin\[[^]]*\]", r"\\fillin[]", whole)
    assert r"(\text{\fillin" not in without_answers  # a negative answer's parentheses would tell it
    unsolved = re.sub(
        r"\\begin\{solution\}.*?\\end\{solution\}\s*", "", without_answers, flags=re.DOTALL
    )
    either = re.compile(r"\\ifprintanswers\b.*?\\else ?(.*?)\\fi\b", re.DOTALL)
    unsolved = either.sub(r"\1", body(unsolved))
    assert unsolved.split() == body(sheet).split()


@needs_exam
@pytest.mark.parametrize("kind", ["sheet", "exercise"])
def test_one_file_prints_as_sheet_or_as_key(tmp_path: Path, kind: str) -> None:
    source = render(exercise(kind), "latex", RenderOptions())
    assert overfull(compiled(tmp_path, source)) == []
    shown = printed(tmp_path)
    assert not any(answer.lstrip("-") in shown for answer in ANSWERS.values())
    assert "This is how it is worked" not in shown
    assert COMMAND not in " ".join(shown.split())
    for words_ in ("A sheet_1", "form A", "1a2b3c4d", "Name", "Points of 6",
                   "(5 points)", "(1 point)", "Read this first."):  # fmt: skip
        assert words_ in " ".join(shown.split()), words_
    if kind == "exercise":
        start = r"\def\withanswers{}\input{page}"
        for key, begin in ((source, start), (source.replace("% \\print", "\\print"), "page")):
            assert overfull(compiled(tmp_path, key, start=begin)) == []
            shown = printed(tmp_path).replace("−", "-")
            assert all(answer in shown for answer in ANSWERS.values())
            assert "This is how it is worked" in shown
            assert COMMAND in " ".join(shown.split())


@needs_exam
@pytest.mark.parametrize("kind", ["sheet", "exercise"])
def test_a_paper_goes_into_another_exam(tmp_path: Path, kind: str) -> None:
    fragment = render(exercise(kind), "latex", RenderOptions(fragment=True))
    compiled(tmp_path, bare("exam", rf"\printanswers {fragment}"))
    assert ("86.42" in printed(tmp_path)) == (kind == "exercise")


@needs_exam
@pytest.mark.parametrize("fragment", [False, True])
def test_a_paper_of_any_words_compiles(tmp_path: Path, fragment: bool) -> None:
    """In its title, its footer and its command, too."""
    paper = exercise("exercise")
    assert paper.paper is not None
    command = paper.paper._replace(command=Word(" ".join(NASTY)))
    words_ = page_of_words(NASTY)._replace(paper=command, title=Word("".join(NASTY[:50])))
    page = render(words_, "latex", RenderOptions(fragment=fragment))
    compiled(tmp_path, bare("exam", page) if fragment else page)


@needs_exam
@pytest.mark.parametrize("kind", ["key", "hints"])
def test_keys_and_hints_are_articles(tmp_path: Path, kind: str) -> None:
    page = render(exercise(kind), "latex", RenderOptions())
    assert r"{article}" in page
    compiled(tmp_path, page)
    assert "1a2b3c4d" in printed(tmp_path)


def test_fragments_of_the_command(tmp_path: Path) -> None:
    def run(*arguments: str) -> tuple[int, str, str]:
        result = CliRunner().invoke(app, list(arguments))
        return result.exit_code, result.stdout, result.stderr

    for command in (["run", "i_love_ai"], ["explain", "--step", "scores"]):
        status, out, _ = run(*command, "--format", "latex", "--fragment")
        assert status == 0
        assert out.startswith("% To be \\input into")
        target = tmp_path / f"{command[0]}.tex"
        assert run(*command, "--fragment", "-o", str(target)) == (0, "", "")
        assert target.read_text("utf-8") == out
        for form in ("markdown", "json", "terminal"):
            status, out, wrong = run(*command, "--format", form, "--fragment")
            assert (status, out) == (2, "")
            assert wrong == f"--fragment: {form} has no preamble to leave out; add --format latex\n"
        status, _, wrong = run(*command, "--fragment", "-o", str(tmp_path / "page.md"))
        assert status == 2
        assert "markdown" in wrong
        assert not (tmp_path / "page.md").exists()


def test_headings_are_those_of_other_formats() -> None:
    """What another section tells has none."""
    document = document_of(trace_of(SHIPPED["encoder_block"]), "rows")
    tex = re.findall(r"^\\section\*\{(.*)\}$", render(document, "latex", RenderOptions()), re.M)
    markdown = re.findall(r"^## (.*)$", render(document, "markdown", RenderOptions()), re.M)
    assert [words(heading).split(" ")[0] for heading in tex] == [
        heading.split(" ")[0] for heading in markdown
    ]


def test_a_product_without_room_is_told_in_lines() -> None:
    """Softmax beside it is left out first."""
    wide = render(document_of(trace_of(SHIPPED["alice_met_bob"])), "latex", RenderOptions())
    (product,) = re.findall(r"\\begin\{tabular\}.*1\.6em.*?\\end\{tabular\}", wide, re.DOTALL)[:1]
    assert "scores" in product
    assert "weights" not in product
    wider = render(document_of(trace_of(SHIPPED["tennis_and_rafael"])), "latex", RenderOptions())
    assert "1.6em" not in wider
    assert r"\mathrm{scores}[" in wider
