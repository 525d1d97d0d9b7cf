"""Formats only for exercises: answers files come back whole, Moodle's fields mark as the key does."""

from __future__ import annotations

import csv
import io
import re
from decimal import Decimal
from html.parser import HTMLParser
from typing import get_args
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from attncli.classroom.formats._self_marking import interval_text, number_text
from attncli.classroom.formats.moodle import in_field
from attncli.commands.output import chosen_format
from attncli.document import blocks as doc
from attncli.document.blocks import Derivation, Document, Line, Paragraph, Section
from attncli.document.pictures import PICTURES
from attncli.document.questions import Interval, Item, MistakenAnswer, Paper, RightAnswer
from attncli.document.tables import (
    DataTable,
    MatrixBlock,
    ProductBlock,
    SideBySide,
    TableDisplay,
    TableNames,
)
from attncli.formats import RenderOptions, exercise_format_names, format_names, info_of, render
from attncli.formats.html.blocks import HtmlStyle, blocks_html
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import (
    Blank,
    Equation,
    Expression,
    Number,
    Omitted,
    Product,
    Quotient,
    Sum,
    Symbol,
    Vector,
    constant,
    e_to,
)
from attncli.maths.notation.escaping import guarded, unguarded
from attncli.names import Word, words
from tests.conftest import CHARACTERS

NASTY = (
    "}",
    "~#\\",
    "]]>",
    "<b>&amp;</b>",
    "{1:NUMERICAL:=1}",
    "{#1}",
    "\"'\n\r\t",
    "🦊 \\(x\\) $$y$$",
    "שלום",
    "\x00\x1b\u202e\u2028\x85\ufeff\uffff",
    "# : - =1+1, @x",
    " lead",
)
PAGE = RenderOptions()


def key(number: str, *slips: tuple[str, str], half: str = "0.005") -> RightAnswer:
    value = constant(number)
    around = Decimal(half)
    made = tuple(
        MistakenAnswer(
            name,
            f"In {name} <i>}}~#\\</i>.",
            constant(x),
            Interval(Decimal(x) - around, Decimal(x) + around),
        )
        for name, x in slips
    )
    accepted = Interval(value.shown - around, value.shown + around)
    return RightAnswer(value, accepted, value, value, made)


def paper(kind: str, *sections: Section, title: str = "Title") -> Document:
    points = sum(section.points for section in sections)
    made = Paper(kind, "A", "12e45678", Word("attn exercise x --forms 2"), points, share=50)
    facts = doc.DefinitionList((("Rounding", ("carry, 2 decimals",)),))
    return Document(Word(title), sections, facts, paper=made)


def table(
    blanks: dict[tuple[int, int], str], rows: tuple[str, ...], *, answers: bool
) -> MatrixBlock:
    values = [[Decimal(f"{i}.{j}5") - 1 for j in range(2)] for i in range(len(rows))]
    matrix = Matrix.of_written(values)
    matrix = matrix if answers else matrix.without(matrix.marked(blanks))
    return MatrixBlock(
        "weights",
        matrix,
        TableNames(words(rows), words(("a", rows[0]))),
        tuple(range(len(rows))),
        "softmax",
        blanks=blanks,
    )


def section_about(tokens: tuple[str, ...], *, answers: bool = True) -> Section:
    """A table whose second column is asked for, and a line for each of its rows."""
    blanks = {(i, 1): f"weights[{word}, {tokens[0]}]" for i, word in enumerate(tokens)}
    block = table(blanks, tokens, answers=answers)
    questions = [
        Item(
            name, 2, key(f"{i - Decimal('0.85')}", ("upside_down", f"{i}.05")) if answers else None
        )
        for i, name in enumerate(blanks.values())
    ]
    lines = []
    for word in tokens:
        answer = constant("0.25") if answers else None
        name = f"exp[{word}]"
        parts = (
            ("=", Quotient(constant("-0.5"), Symbol("sum", (Word(word),)))),
            ("=", Blank(name, answer)),
        )
        lines.append(Line(Symbol("exp", words((word, tokens[0]))), parts))
        questions.append(Item(name, 1, key("0.25") if answers else None))
    formula = Equation(Symbol("exp"), e_to(Symbol("scores", ("i", "j"))))
    blocks = (
        Paragraph(("About ", Word(tokens[0]))),
        doc.Fields(("Name",)),
        Derivation(tuple(lines)),
        block,
    )
    solution = (Paragraph(("See ", Word("".join(tokens)))), block) if answers else ()
    return Section(
        "softmax",
        3,
        ("Softmax",),
        (formula,),
        blocks,
        questions=tuple(questions),
        solution=solution,
    )


EXERCISE = paper(
    "exercise",
    section_about(NASTY),
    Section("x", 4, ("Nothing asked",), (), ()),
    title="".join(NASTY),
)
SHEET = paper("sheet", section_about(NASTY, answers=False), title="".join(NASTY))


# Formats are found.


def test_formats_are_found_in_their_folders() -> None:
    assert exercise_format_names() == ["canvas", "csv", "moodle", "qti", "yaml"]
    assert not set(exercise_format_names()) & set(format_names())
    found = {form: info_of(form).papers.keys for form in exercise_format_names()}
    assert found == {
        "canvas": ("embedded",),
        "csv": ("none", "separate"),
        "moodle": ("embedded",),
        "qti": ("embedded",),
        "yaml": ("none", "separate"),
    }


def test_suffixes_mean_formats_among_those_that_may_be() -> None:
    both = [*format_names(), *exercise_format_names()]
    found = {
        end: chosen_format(None, f"a.{end}", both) for end in ("csv", "YAML", "yml", "xml", "md")
    }
    assert found == {"csv": "csv", "YAML": "yaml", "yml": "yaml", "xml": "moodle", "md": "markdown"}


@pytest.mark.parametrize("form", exercise_format_names())
def test_documents_of_no_exercise_are_refused(form: str) -> None:
    with pytest.raises(ValueError, match=f"{form} is a format for exercises only"):
        render(Document(Word("x"), ()), form, PAGE)


@pytest.mark.parametrize("form", exercise_format_names())
def test_the_same_bytes_each_time_and_nothing_hidden(form: str) -> None:
    text = render(EXERCISE, form, PAGE)
    assert text == render(EXERCISE, form, PAGE)
    hidden = "\x1b\u202e\ufeff" if form == "csv" else "\x00\x1b\u202e\u2028\x85\ufeff\uffff"
    assert form == "csv" or not set(hidden) & set(text)


# Answers files.


def ids(document: Document) -> list[str]:
    return [question.id for section in document.sections for question in section.questions]


def numbers(document: Document) -> list[str]:
    keys = [question.key for section in document.sections for question in section.questions]
    return [f"{key.number.shown}" for key in keys if key is not None]


def rows_of(document: Document) -> list[dict[str, str]]:
    text = render(document, "csv", PAGE)
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_an_empty_answers_file_has_every_blank_in_order() -> None:
    data = yaml.safe_load(render(SHEET, "yaml", PAGE))
    assert list(data) == ["form", "hash", "answers"]
    assert (data["form"], data["hash"]) == ("A", "12e45678")
    assert list(data["answers"]) == ids(SHEET)
    assert set(data["answers"].values()) == {None}
    rows = rows_of(SHEET)
    assert [unguarded(row["cell"]) for row in rows] == ids(SHEET)
    assert all(row["cell"].isprintable() for row in rows)
    assert {row["answer"] for row in rows} == {""}
    assert {unguarded(row["hash"]) for row in rows} == {"12e45678"}
    assert {row["form"] for row in rows} == {"A"}


@pytest.mark.parametrize("kind", ["exercise", "key"])
def test_a_filled_in_answers_file_is_the_key(kind: str) -> None:
    document = paper(kind, *EXERCISE.sections)
    data = yaml.safe_load(render(document, "yaml", PAGE))
    assert list(data["answers"]) == ids(document)
    assert [Decimal(str(x)) for x in data["answers"].values()] == list(
        map(Decimal, numbers(document))
    )
    assert [row["answer"] for row in rows_of(document)] == numbers(document)


def test_a_sheet_tells_no_answer_even_where_it_has_one() -> None:
    document = paper("sheet", *EXERCISE.sections)
    assert set(yaml.safe_load(render(document, "yaml", PAGE))["answers"].values()) == {None}
    assert {row["answer"] for row in rows_of(document)} == {""}


def test_a_paper_that_asks_nothing_still_loads() -> None:
    document = paper("sheet", Section("x", 1, ("X",), (), ()))
    assert yaml.safe_load(render(document, "yaml", PAGE))["answers"] == {}
    assert rows_of(document) == []


def test_a_number_that_yaml_has_no_number_for_is_a_text() -> None:
    endless = Number(Decimal("-Infinity"), Decimal("-Infinity"))
    asked = Item("x", 1, key("1")._replace(number=endless))
    document = paper("key", Section("x", 1, ("X",), (), (), questions=(asked,)))
    assert yaml.safe_load(render(document, "yaml", PAGE))["answers"] == {"x": "-∞"}


@given(
    st.lists(
        st.text(CHARACTERS, max_size=40),
        min_size=1,
        max_size=5,
        unique=True,
    ),
    st.text(CHARACTERS, max_size=5),
)
def test_any_ids_come_back_whole(names: list[str], title: str) -> None:
    asked = tuple(Item(name) for name in names)
    document = paper("sheet", Section("x", 1, (Word(title),), (), (), questions=asked), title=title)
    data = yaml.safe_load(render(document, "yaml", PAGE))
    assert data["answers"] == dict.fromkeys(names)
    assert [unguarded(row["cell"]) for row in rows_of(document)] == names


def test_very_long_ids_come_back_whole() -> None:
    name = "weights[" + "long " * 1000 + "]"
    document = paper(
        "key",
        Section("x", 1, ("X",), (), (), questions=(Item(name, 1, key("1")), Item("b"))),
    )
    assert yaml.safe_load(render(document, "yaml", PAGE))["answers"] == {name: 1, "b": None}
    assert rows_of(document)[0]["cell"] == name


@given(st.text(CHARACTERS, max_size=12))
def test_no_cell_begins_like_a_formula(text: str) -> None:
    cell = guarded(Word(text))
    for piece in cell.split(";"):
        assert not piece.lstrip('" ').startswith(("=", "+", "-", "@", "\t", "\r"))
    assert unguarded(cell) == text


@given(st.text("=+-@';\"1 ,/:eE%．１a\r\n\t\\x0␣", max_size=9))
def test_guarded_cells_come_back_whole(text: str) -> None:
    assert unguarded(guarded(Word(text))) == text
    assert unguarded(guarded(text)) == text


@pytest.mark.parametrize("text", ["'t Hart", "Anna; 'x", "O'Neil", "'n', "])
def test_an_apostrophe_that_guards_nothing_is_the_texts_own(text: str) -> None:
    assert unguarded(text) == text


@pytest.mark.parametrize("text", ["-2.5", "+1", "0.0005", "1e-5", "-3,5", "1234567890123456"])
def test_numbers_of_ours_stay_numbers(text: str) -> None:
    assert guarded(text) == text
    assert guarded(Word(text)) == f"'{text}"


@pytest.mark.parametrize("text", ["0", "17", "123456789012345"])
def test_ids_that_a_spreadsheet_leaves_alone_are_written_as_they_are(text: str) -> None:
    assert guarded(Word(text)) == text
    assert unguarded(f"'{text}") == text


@pytest.mark.parametrize(
    "name", ["weights[love, AI]", "layers[1].heads[2].Q[=1, -2]", "exp_sum[1e5]"]
)
def test_ids_of_quantities_are_written_as_they_are(name: str) -> None:
    assert guarded(Word(name)) == name


@pytest.mark.parametrize(
    "text",
    [
        *("=1", "+1", "-x", "@sum", "'x", "12e45678", "007", "＝1", "0012", "2/1", "1:30", "5%"),
        *("2024-01-05", "1.2.3", "TRUE", "-2+3+cmd|' /C calc'!A0"),
    ],
)
def test_what_a_spreadsheet_would_change_is_guarded(text: str) -> None:
    assert guarded(Word(text)) == f"'{text}"


@pytest.mark.parametrize(
    "cell", ["Anna;{}=1+1", 'x;{}=1+1;"y', 'x;{}"=1+1"', "x; y;{} =1+1", "{}=;{}="]
)
def test_what_another_separator_would_cut_off_is_guarded(cell: str) -> None:
    assert guarded(Word(cell.format("", ""))) == cell.format("'", "'")


# Moodle.

FIELD = re.compile(
    r"\{(\d+):NUMERICAL:((?:[^~#}]+(?:#(?:\\.|[^\\~}])*)?)(?:~[^~#}]+(?:#(?:\\.|[^\\~}])*)?)*)\}"
)


def questions(document: Document) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(render(document, "moodle", PAGE).encode())
    assert root.tag == "quiz"
    category, *asked = root
    assert category.get("type") == "category"
    return asked


def text_at(question: ElementTree.Element, path: str) -> str:
    text = question.findtext(path)
    assert text is not None
    return text


def alternatives(field: str) -> list[tuple[str, Decimal, Decimal, str]]:
    """What earns how much, from where to where, and what is said then."""
    found = []
    for part in re.split(r"(?<!\\)~", field):
        answer, _, said = part.partition("#")
        match = re.fullmatch(r"(=|%\d+%)(-?[0-9.E-]+):([0-9.E-]+)", answer)
        assert match, part
        centre, around = Decimal(match[2]), Decimal(match[3])
        found.append((match[1], centre - around, centre + around, said))
    return found


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open += [] if tag in ("br", "img") else [tag]
        assert not {name for name, _ in attrs} & {"href", "onclick"}
        assert all((value or "").startswith("data:") for name, value in attrs if name == "src")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def text_of(html: str) -> str:
    """What a browser shows of HTML whose tags pair."""
    reader = _Text()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader.text


def test_every_question_has_its_field_and_marks_as_the_key_does() -> None:
    (question,) = questions(EXERCISE)
    assert question.get("type") == "cloze"
    fields = FIELD.findall(text_at(question, "questiontext/text"))
    asked = EXERCISE.sections[0].questions
    keys = {
        (str(q.points), q.key.accepted.low, q.key.accepted.high) for q in asked if q.key is not None
    }
    shown = {q.key.number.shown for q in asked if q.key is not None}
    found = [(points, alternatives(field)) for points, field in fields]
    assert len(found) == len(asked)
    rights = [(points, [e for e in rows if e[0] == "="]) for points, rows in found]
    assert {(points, rows[-1][1], rows[-1][2]) for points, rows in rights} == keys
    assert {(rows[0][1] + rows[0][2]) / 2 for _, rows in rights} == shown
    assert all(rows[0][0] == "=" for _, rows in found)
    slips = [rows[1] for _, rows in found if len(rows) == 3]
    assert len(slips) == len(NASTY)
    assert {share for share, *_ in slips} == {"%50%"}
    assert all(r"upside down" in text and r"amp;\#125;" in text for *_, text in slips)


def test_nothing_but_fields_looks_like_one() -> None:
    (question,) = questions(EXERCISE)
    html = FIELD.sub("", text_at(question, "questiontext/text"))
    assert not re.search(r"\{[0-9]*:|\{#", html)
    shown = text_of(html)
    for word in ("{1:NUMERICAL:=1}", "{#1}", "]]>", "<b>&amp;</b>", "שלום", "🦊 \\(x\\) $$y$$"):
        assert word in shown
    assert "Name" not in shown


def test_words_are_kept_from_mathematics() -> None:
    (question,) = questions(EXERCISE)
    html = text_at(question, "questiontext/text")
    assert r"\(\mathrm{exp} = " in html
    assert all("&#92;(x&#92;) &#36;&#36;y" in part for part in html.split("🦊 ")[1:])


def test_the_solution_is_general_feedback() -> None:
    (question,) = questions(EXERCISE)
    shown = text_of(text_at(question, "generalfeedback/text"))
    assert "-0.85" not in shown
    assert "−0.85" in shown
    assert "attn exercise" not in shown


def test_the_name_says_title_form_and_heading() -> None:
    (question,) = questions(EXERCISE)
    name = text_at(question, "name/text")
    assert name.endswith(" · form A · 3 · Softmax")
    assert "&lt;b&gt;&amp;amp;&lt;/b&gt;" in name
    assert [tag.text for tag in question.iterfind("tags/tag/text")] == ["form A", "12e45678"]
    (long,) = questions(paper("exercise", section_about(("a",)), title="<" * 10_000))
    assert len(text_at(long, "name/text")) <= 255
    assert text_at(long, "name/text").endswith("… · form A · 3 · Softmax")


def test_all_fields_have_one_size() -> None:
    (question,) = questions(EXERCISE)
    fields = [
        alternatives(field) for _, field in FIELD.findall(text_at(question, "questiontext/text"))
    ]
    sizes = {max(len(f"{(low + high) / 2}") for _, low, high, _ in field) for field in fields}
    assert sizes == {6}
    assert {field[-1][:3] for field in fields} == {("%0%", Decimal(-99999), Decimal(-99999))}


@pytest.mark.parametrize("answer", ["-99999", "-99999.5", "123456.789", "0.0000001", "-9999999"])
def test_what_gives_the_size_is_never_an_answer(answer: str) -> None:
    document = asking_for(key(answer))
    (field,) = fields_of(document)
    right, size = alternatives(field)
    assert size[2] < right[1] or size[1] > right[2]
    assert len(f"{size[1]}") >= len(answer)


def asking_for(*keys: RightAnswer, share: int = 50) -> Document:
    names = [f"x[{k}]" for k in range(len(keys))]
    lines = [
        Line(Symbol("x"), (("=", Blank(n, k.number)),)) for n, k in zip(names, keys, strict=True)
    ]
    asked = tuple(Item(n, 1, k) for n, k in zip(names, keys, strict=True))
    document = paper(
        "exercise", Section("x", 1, ("X",), (), (Derivation(tuple(lines)),), questions=asked)
    )
    assert document.paper is not None
    return document._replace(paper=document.paper._replace(share=share))


def fields_of(document: Document) -> list[str]:
    (question,) = questions(document)
    return [field for _, field in FIELD.findall(text_at(question, "questiontext/text"))]


def test_mistakes_that_touch_what_is_right_or_each_other_are_left_out() -> None:
    right_answer = key(
        "0.42",
        ("same", "0.42"),
        ("touches", "0.43"),
        ("one", "0.44"),
        ("near", "0.445"),
        ("two", "-0.42"),
    )
    (field,) = fields_of(asking_for(right_answer, share=30))
    assert [(share, low + high) for share, low, high, _ in alternatives(field)[:-1]] == [
        ("=", Decimal("0.84")),
        ("%30%", Decimal("0.88")),
        ("%30%", Decimal("-0.84")),
    ]


@given(st.decimals(-1000, 1000, places=6), st.decimals(0, 10, places=9))
def test_centre_and_tolerance_give_both_ends(low: Decimal, size: Decimal) -> None:
    interval = interval_text(Interval(low, low + size))
    centre, around = map(Decimal, interval.split(":"))
    assert (centre - around, centre + around) == (low, low + size)
    assert "e" not in interval.lower()


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("0.500", "0.5"),
        ("-0.00", "0"),
        ("100", "100"),
        ("1e3", "1000"),
        ("-1.5e-7", "-0.00000015"),
        ("3e-300", "3.0E-300"),
        ("1.25e+60", "1.25E+60"),
    ],
)
def test_numbers_of_answers(number: str, text: str) -> None:
    assert number_text(Decimal(number)) == text
    assert Decimal(text) == Decimal(number)


def test_a_feedback_comes_back_as_it_was_written() -> None:
    html = "<b>a &lt; b</b> }~#\\ {1:NUMERICAL:=1} &#35;"
    written = in_field(html)
    assert not re.search(r"(?<!\\)[~{}#]", written)
    once = re.sub(r"&amp;", "&", written).replace(r"\}", "}").replace(r"\#", "#")
    assert text_of(once) == "a < b }~#\\ {1:NUMERICAL:=1} #"


def test_what_moodle_cannot_ask_is_loud() -> None:
    with pytest.raises(ValueError, match="has no key"):
        render(SHEET, "moodle", PAGE)
    off = Section("x", 1, ("X",), (), (), questions=(Item("y", 1, key("1")),))
    with pytest.raises(ValueError, match="no blank on the page for y"):
        render(paper("exercise", off), "moodle", PAGE)
    line = Line(Symbol("x"), (("=", Blank("z", constant(1))),))
    with pytest.raises(ValueError, match="no question of its section asks for z"):
        render(paper("exercise", off._replace(blocks=(Derivation((line,)),))), "moodle", PAGE)
    with pytest.raises(ValueError, match="can't be asked for"):
        render(
            asking_for(key("1")._replace(accepted=Interval(Decimal(0), Decimal("Infinity")))),
            "moodle",
            PAGE,
        )


def test_a_blank_that_comes_twice_is_asked_for_once() -> None:
    section = asking_for(key("0.5")).sections[0]
    document = paper("exercise", section._replace(blocks=section.blocks * 2))
    assert len(fields_of(document)) == 1


# Blocks as HTML.

ONE = constant("0.5")
SMALL = MatrixBlock(
    "Q",
    Matrix.of_written([[Decimal("-1.50"), Decimal(2)]]),
    TableNames(words(("<b>",)), words(("a", "&"))),
    (0,),
)
BLANK = SMALL._replace(
    blanks={(0, 1): "Q[1, 2]"}, display=TableDisplay(with_sums=True), made_in="x"
)
ADDED = doc.ColumnSum(
    Symbol("out", (Word("<b>"),)),
    (
        (Product((ONE, Vector((ONE, ONE)))), Vector((ONE, ONE))),
        Omitted(),
        (Product((constant(-1), Vector((ONE, ONE)))), Vector((ONE, ONE))),
    ),
    "=",
    Vector((ONE, Blank("out[1, 2]"))),
)
EACH: dict[type, tuple[doc.Block, str]] = {
    doc.DefinitionList: (
        doc.DefinitionList((("Name <b>", (Word("<i>"),)),)),
        "\n\nName <b><i>\n\n",
    ),
    doc.Paragraph: (
        Paragraph(("a < b, ", Word("<i>"), doc.Term("x_1"), Sum((ONE, constant(-1))))),
        "a < b, <i>x_10.5 − 1",
    ),
    doc.Bullets: (doc.Bullets((("a",), (Word("<b>"),))), "\na\n<b>\n"),
    doc.Subheading: (doc.Subheading((Word("<h1>"),)), "<h1>"),
    doc.Callout: (doc.Callout(("n & m",)), "n & m"),
    doc.Derivation: (
        Derivation(
            (Line(Symbol("x", (Word("<b>"),)), (("=", Product((ONE, ONE))), ("≈", ONE))), Omitted())
        ),
        "\n\nx[<b>]= 0.5 × 0.5≈ 0.5\n⋮\n\n",
    ),
    doc.ColumnSum: (
        ADDED,
        "\n\nout[<b>]\n\n\n0.5 × [0.5, 0.5]→ [0.5, 0.5]\n+…\n−1 × [0.5, 0.5]→ [0.5, 0.5]\n=[0.5, ]\n\n",
    ),
    doc.Table: (
        doc.Table(("A", "B"), ((Word("<b>"), "&"), (Omitted(), Omitted()))),
        "\n\nAB\n\n\n<b>&\n⋮⋮\n\n",
    ),
    MatrixBlock: (BLANK, "\n\nQa&sum\n\n\n<b>−1.50\n\n"),
    ProductBlock: (
        ProductBlock(SMALL, SMALL, SMALL, (SMALL,)),
        "\n\nQ (given)a&\n\n\n<b>−1.502\n\n",
    ),
    SideBySide: (
        SideBySide("Cap", words(("<b>",)), (0,), (("Q", SMALL),)),
        "Cap\n\n\nTokenQ\n\n\n<b>[−1.50, 2]\n\n",
    ),
    DataTable: (DataTable(SMALL), ""),
    doc.TextList: (doc.TextList("tokens", words(("a",)), words(("a",))), ""),
    doc.Tree: (
        doc.Tree(
            (
                doc.TreeRow(0, "", ("L",)),
                doc.TreeRow(2, "1", ("S",), (Symbol("Q"), " [2]")),
                doc.TreeRow(0, "2", ("T",)),
            )
        ),
        "\nL\n1 · S: Q [2]\n2 · T",
    ),
    doc.Graph: (
        doc.Graph("w", (doc.Edge(Word("<b>"), Word("c"), ONE),)),
        "\n\nfromtow\n\n\n<b>c0.5\n\n",
    ),
    doc.Fields: (doc.Fields(("Name", "Date")), "Name  Date "),
    doc.WordBlank: (
        doc.WordBlank("a", ("Which <i>?",), words(("<b>", "c")), ("a", "b")),
        "Which <i>?a) <b>b) c",
    ),
    doc.Figure: (doc.Figure(Word("a.png"), b""), ""),
    doc.AnswerSpace: (doc.AnswerSpace(3), ""),
}


@pytest.mark.parametrize("kind", [one for one in get_args(doc.Block) if one not in PICTURES])
def test_every_block_has_html(kind: type) -> None:
    block, text = EACH[kind]
    assert text_of(blocks_html((block,), HtmlStyle())) == text


def test_tables_name_their_rows_and_columns() -> None:
    html = blocks_html((SMALL,), HtmlStyle())
    assert html.count('<th scope="col"') == 3
    assert html.count('<th scope="row"') == 1


def test_blanks_stand_among_words_that_look_like_their_marks() -> None:
    word = "".join(map(chr, range(0xE000, 0xE004))) + "______"
    expression: Expression = Sum((Symbol("x", (Word(word),)), Blank("a"), Blank("b")))
    style = HtmlStyle(blank=lambda blank: f"({blank.id})")
    line = Line(Symbol("y"), (("=", expression),))
    shown = text_of(blocks_html((Derivation((line,)),), style))
    assert shown.strip() == f"y= x[{word}] + (a) + (b)"


def test_long_tables_are_elided() -> None:
    wide = Matrix(np.zeros((30, 30)), 0, 0)
    names = words(tuple(map(str, range(30))))
    block = MatrixBlock("Q", wide, TableNames(names, names), tuple(range(30)), "x")
    shown = text_of(blocks_html((block,), HtmlStyle()))
    assert "…29" in shown
    assert "⋮" in shown
