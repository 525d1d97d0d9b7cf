"""The reader of Moodle's cloze questions: it reads as Moodle does, and sees what that misreads."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.classroom.cloze import (
    Cloze,
    ClozeError,
    Field,
    mark,
    marks,
    overlaps,
    questions,
    visible_size,
)
from tests.classroom.cloze.grammar import take_out
from tests.classroom.cloze.marking import stored, typed

ROW = "{1:NUMERICAL:=0.50:0.005#Well done~%50%-0.50:0.005#The sign~*#Look again}"


def file_of(text: str, more: str = "", name: str = "Weights") -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n'
        '<question type="category"><category><text>$course$/top</text></category></question>\n'
        f'<question type="cloze"><name><text>{name}</text></name>'
        f'<questiontext format="html"><text><![CDATA[{text}]]></text></questiontext>'
        f"{more}</question>\n</quiz>\n"
    )


def read(text: str, more: str = "", name: str = "Weights") -> Cloze:
    (question,) = questions(file_of(text, more, name))
    return question


def field_of(text: str) -> Field:
    (field,) = read(f"<p>{text}</p>").fields
    return field


def faults_of(text: str, more: str = "", name: str = "Weights") -> str:
    with pytest.raises(ClozeError) as raised:
        read(text, more, name)
    return str(raised.value)


# What the documentation shows.

DOCUMENTED = (
    "This question consists of some text with an answer embedded right here {1:MULTICHOICE:Wrong "
    "answer#Feedback for this wrong answer~Another wrong answer#Feedback for the other wrong "
    "answer~=Correct answer#Feedback for correct answer~%50%Answer that gives half the "
    "credit#Feedback for half credit answer} and a short one {1:SHORTANSWER:Wrong answer#Feedback "
    "for this wrong answer~=Correct answer#Feedback for correct answer} and finally we have a "
    "floating point number {2:NUMERICAL:=23.8:0.1#Feedback for correct answer 23.8~%50%23.8:2"
    "#Feedback for half credit answer in the nearby region of the correct answer}.\n a) How good is "
    "this? {:MULTICHOICE:=Yes#Correct~No#We have a different opinion} :-)\n b) What grade would "
    "you give it? {3:NUMERICAL:=3:2}"
)


def test_the_documentations_example() -> None:
    question = read(DOCUMENTED)
    kinds = ["multichoice", "shortanswer", "numerical", "multichoice", "numerical"]
    assert [field.kind for field in question.fields] == kinds
    assert [field.weight for field in question.fields] == [1, 1, 2, 1, 3]
    choice = question.fields[0].alternatives
    assert [a.text for a in choice][2:] == [
        "Correct answer",
        "Answer that gives half the credit",
    ]
    assert [a.share for a in choice] == [0, 0, 1, Decimal("0.5")]
    assert choice[0].feedback == "Feedback for this wrong answer"
    assert question.marked.endswith("{#4} :-)\n b) What grade would you give it? {#5}")


def test_the_documentations_number_is_marked_in_order() -> None:
    number = read(DOCUMENTED).fields[2]
    assert mark(number, "23.9") == (Decimal(1), "Feedback for correct answer 23.8")
    assert mark(number, "23.91")[0] == Decimal("0.5")
    assert mark(number, "25.8")[0] == Decimal("0.5")
    assert mark(number, "25.81") == (Decimal(0), "")
    assert len(overlaps(number)) == 1
    assert mark(read(DOCUMENTED).fields[0], "correct answer")[0] == 1


def test_a_question_has_its_headings() -> None:
    more = (
        '<generalfeedback format="html"><text>&lt;p&gt;\\(\\frac{1}{2}\\)&lt;/p&gt;</text>'
        "</generalfeedback><penalty>0.25</penalty><idnumber> weights-A </idnumber>"
        "<tags><tag><text>softmax</text></tag><tag><text>form A</text></tag></tags>"
    )
    question = read(ROW, more)
    assert question.name == "Weights"
    assert question.feedback == "<p>\\(\\frac{1}{2}\\)</p>"
    assert question.penalty == Decimal("0.25")
    assert (question.tags, question.idnumber) == (("softmax", "form A"), "weights-A")
    assert (read(ROW).penalty, read(ROW).idnumber, read(ROW).tags) == (
        Decimal("0.3333333"),
        None,
        (),
    )


def test_several_questions_and_fields_inside_a_table() -> None:
    table = f"<table><tr><th>I &amp; love</th><td>{ROW}</td><td>{ROW}</td></tr><tr><td>0.3</td></tr></table>"
    text = file_of(table).replace("</quiz>\n", "")
    two = text[text.index('<question type="cloze">') :]
    first, second = questions(text + two + "</quiz>")
    assert first == second
    assert len(first.fields) == 2
    assert "<td>{#1}</td><td>{#2}</td>" in first.marked


def test_latex_is_no_field() -> None:
    question = read(f"<p>\\(\\frac{{1}}{{2}} + \\sqrt{{d_{{k}}}} = \\{{1\\}}\\) is {ROW}</p>")
    assert len(question.fields) == 1
    assert question.marked.startswith("<p>\\(\\frac{1}{2} + \\sqrt{d_{k}} = \\{1\\}\\) is {#1}")


# Escapes and entities.


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("a \\} b", "a } b"),
        ("a # b", "a # b"),
        ("a \\# b", "a # b"),
        ("a &#126; b", "a ~ b"),
        ("a &#125; b", "a } b"),
        ("\\(\\frac{1\\}{2\\}\\)", "\\(\\frac{1}{2}\\)"),
        ("&#92;&#125;", "}"),  # entities come first, so this is an escape as well
        ("&#92;&#92;&#125;", "\\}"),
        ("\\\\(", "\\\\("),  # no escape of Moodle's
        ("I &amp;lt;b&amp;gt; AI", "I &lt;b&gt; AI"),
        ("&lt;b&gt;no&lt;/b&gt;", "<b>no</b>"),  # one layer only: this is bold
        ("&amp;amp;", "&amp;"),
        ("as in {#1\\}", "as in {#1}"),
        ("&apos;&quot;&#39;", "&apos;\"'"),  # HTML 4.01 has no &apos;
        ("&nbsp;&hearts;&#x1F600;", "\u00a0♥😀"),
        ("&#7;&bogus;&amp", "&#7;&bogus;&amp"),
    ],
)
def test_feedback_is_undone_as_moodle_undoes_it(written: str, kept: str) -> None:
    field = field_of("{1:NM:=5:0.1#" + written + "~*#No}")
    assert [a.feedback for a in field.alternatives] == [kept, "No"]


def test_an_answer_goes_on_after_an_ampersand() -> None:
    field = field_of("{1:SA:=R&#38;D&amp;#125;~No}")
    assert [a.text for a in field.alternatives] == ["R&D&#125;", "No"]


def test_a_backslash_is_not_escaped_by_a_backslash() -> None:
    # The field ends at the second }, not at the first.
    fields, _ = take_out("{1:NM:=5:0.1#ends in \\\\} and {here}")
    assert fields[0].alternatives[0].feedback == "ends in \\} and {here"


def test_cdata_is_split_at_its_own_end() -> None:
    question = read("<p>a[b[0]]]]]><![CDATA[> 1</p>" + ROW)
    assert question.text.startswith("<p>a[b[0]]]> 1</p>{1:")


def test_a_field_is_a_plain_copy_of_another() -> None:
    question = read("{1:NM:=5:0.1}{1:NM:=5:0.1} {2:NM:=5:0.1}")
    assert [field.weight for field in question.fields] == [1, 1, 2]
    assert question.marked == "{#1}{#2} {#3}"


# What Moodle would misread.


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{1:NM:5:0.1~6:0.1}", "no right answer"),
        ("{1:NM:%99%5:0.1}", "no right answer"),
        ("{1.5:NM:=5:0.1}", "looks like the start of a field"),
        ("{-1:NM:=5:0.1}", "looks like the start of a field"),
        ("{1:numerical:=5:0.1}", "looks like the start of a field"),
        ("{1:NUMERIC:=5:0.1}", "looks like the start of a field"),
        ("{1:NM:=1:0" + "~2:0#x" * 40, "looks like the start of a field"),
        ("{1:NUMERICAL:", "looks like the start of a field"),
        ("{1:NM:=5}", "has no tolerance"),
        ("{1:NM:=5:-0.1}", "below 0"),
        ("{1:NM:=5:}", "is no number"),
        ("{1:NM:= 5:0.1}", "is no number"),
        ("{1:NM:=+5:0.1}", "is no number"),
        ("{1:NM:=−5:0.1}", "is no number"),
        ("{1:NM:=five:0.1}", "is no number"),
        ("{1:NM:=&#53;:0.1}", "is no number"),
        ("{1:NM:=5:0.1~=#nothing}", "is no number"),
        ("{1:NM:=5:0.1~%33.3%6:0.1}", "no whole number from 0 to 100"),
        ("{1:NM:=5:0.1~%-50%6:0.1}", "no whole number from 0 to 100"),
        ("{1:NM:=5:0.1~%150%6:0.1}", "no whole number from 0 to 100"),
        ("{1:NM:=5:0.1~%50 6:0.1}", "is no number"),
        ("{1:NM:=5:0.1~*#No~6:0.1#late}", "never reached"),
        ("{1:NM:=5:0.1#so ~ or so~*#No}", "is no number"),
        ("{1:NM:=5:0.1#\\(\\frac{1}{2}\\)~*#No}", "closes nothing"),
        ("{1:NM:=5:0.1#a } b~*#No}", "was a field cut short?"),
        ("{1:NM:=5:0.1#a } {b} {c\\} d}", "outside of any field"),
        ("{1:NM:=5:0.1#a \\~ b}", "a backslash stays"),
        ('{1:NM:=5:0.1#a \\" b}', "a backslash stays"),
        ("{1:NM:=5:0.1#a\\} {1:NM:=6:0.1}", "swallowed another"),
        ("{1:NM:=5:0.1~} {1:NM:=6:0.1}", "swallowed another"),
        ("<td>{1:NM:=5:0.1#a\\}</td> {b}", "</td> closes nothing"),
        ("{1:NM:=5:0.1#&lt;b&gt;}", "<b> is never closed"),
        ("\\(\\frac{1:NM:=5:0.1}{2}\\)", "inside mathematics"),
        ("{#1} {1:NM:=5:0.1}", "taken for a place to answer"),
        ("<p>{1:NM:=5:0.1}", "<p> is never closed"),
        ("\\( {1:NM:=5:0.1}", "has no other end"),
        ("no field at all", "there is no field"),
    ],
)
def test_what_moodle_would_misread_is_an_error(text: str, fault: str) -> None:
    assert fault in faults_of(text)


def test_all_faults_are_told_at_once() -> None:
    text = faults_of("{0:NM:=5} {1:NM:6:0.1}", "<penalty>2</penalty>", name="a &lt;s&gt;")
    for fault in ("tag", "penalty 2", "field 1", "no tolerance", "field 2", "no right"):
        assert fault in text


@pytest.mark.parametrize(
    ("xml", "fault"),
    [
        (file_of(ROW).replace("</quiz>", ""), "well-formed"),
        (file_of(ROW).replace("UTF-8", "ISO-8859-1"), "UTF-8"),
        (file_of(ROW + "\x01"), "well-formed"),
        (file_of(ROW + "\ud800"), "well-formed"),
        (file_of(ROW + "]]>"), "well-formed"),
        (file_of(ROW).replace("quiz>", "quizzes>"), "not a <quiz>"),
        (file_of("").replace("<![CDATA[]]>", f"<p>{ROW}</p>"), "neither escaped nor CDATA"),
        (file_of(ROW).replace('"html"', '"markdown"'), "format markdown"),
        (file_of(ROW, name=""), "no name"),
        (file_of(ROW, name="x" * 256), "255"),
        (file_of(ROW, "<penalty>a third</penalty>"), "penalty"),
        (file_of(ROW, f"<idnumber>{'x' * 101}</idnumber>"), "idnumber"),
    ],
)
def test_files_that_are_none(xml: str, fault: str) -> None:
    with pytest.raises(ClozeError, match=fault):
        questions(xml)


# Marking.


@pytest.mark.parametrize(
    ("answer", "share", "feedback"),
    [
        ("0.5", 1, "Well done"),
        ("0.495", 1, "Well done"),
        ("0.505", 1, "Well done"),
        ("0.5050000000000000000001", 0, "Look again"),
        (" .5 ", 1, "Well done"),
        ("0,5", 1, "Well done"),
        ("5e-1", 1, "Well done"),
        ("5 × 10^-1", 1, "Well done"),
        ("0.5 kg", 1, "Well done"),
        ("+0.50", 1, "Well done"),
        ("-0.5", Decimal("0.5"), "The sign"),
        ("7", 0, "Look again"),
        ("−0.5", 0, ""),
        ("", 0, ""),
        ("half", 0, ""),
    ],
)
def test_marks_of_a_field(answer: str, share: Decimal, feedback: str) -> None:
    assert mark(field_of(ROW), answer) == (share, feedback)


def test_commas_as_moodle_takes_them() -> None:
    numbers = ["1,234", "1,234.5", "1,234,567", "1.2.3"]
    taken = ["1.234", "1234.5", "1234567", "1.2"]
    assert [typed(number) for number in numbers] == [Decimal(text) for text in taken]


def test_weights_count() -> None:
    question = read("{1:NM:=1:0}{3:NM:=2:0~%50%4:0}")
    assert marks(question, ["1", "2"]) == 1
    assert marks(question, ["1", "0"]) == Decimal("0.25")
    assert marks(question, ["", "4"]) == Decimal("0.375")
    assert marks(question, ["x", ""]) == 0
    with pytest.raises(ValueError, match="shorter"):
        marks(question, ["1"])


def test_intervals_overlap_where_they_touch() -> None:
    def pairs(text: str) -> list[tuple[str, str]]:
        return [(a.text, other.text) for a, other in overlaps(field_of(text))]

    assert pairs("{1:NM:=0.5:0.005~0.51:0.005~*}") == [("0.5", "0.51")]
    assert pairs("{1:NM:=0.5:0.005~0.51:0.00499~*#No}") == []
    assert pairs("{1:NM:=1:0~2:5~1.5:0.1}") == [("1", "2"), ("2", "1.5")]


# The width of a field.


@pytest.mark.parametrize(
    ("alternatives", "size"),
    [
        ("=5:0.1", 1),
        ("=0.50:0.005", 3),  # kept as the number 0.5
        ("=-0.25:0.005", 5),
        ("=1:0.1~0.1234:0~*#No", 6),  # wrong ones count as well
        ("=12.00:0.1", 2),
        ("=,5:0.1", 3),
        ("=-0.00:0.1", 1),
        ("=0.00001:0", 6),  # 1.0E-5
        ("=0.00012:0", 7),
        ("=123456789012345678:0", 18),
    ],
)
def test_visible_size(alternatives: str, size: int) -> None:
    assert visible_size(field_of("{1:NM:" + alternatives + "}")) == size


def test_a_field_is_never_wider_than_sixty() -> None:
    assert visible_size(field_of("{1:SA:=" + "x" * 80 + "}")) == 60
    assert visible_size(field_of("{1:SA:= four }")) == 4


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        *[("0.10", "0.1"), ("100.0", "100"), ("1e3", "1000"), ("5.", "5")],
        *[
            ("0.00015", "0.00015"),
            ("0.000015", "1.5E-5"),
            ("1e15", "1.0E+15"),
            ("1.5e20", "1.5E+20"),
        ],
        *[("0.123456789012345", "0.12345678901234"), ("-007", "-7"), ("-0", "0")],
    ],
)
def test_numbers_are_kept_as_php_writes_them(written: str, kept: str) -> None:
    assert stored(field_of(f"{{1:NM:={written}:1}}").alternatives[0]) == kept
