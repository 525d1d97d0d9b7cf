"""One hostile text stands in every field of every file that takes words, and on no page of any
command does it do anything: it is printed.

Which fields there are is read from the schemas that the keys of files declare, so that a new one is
tried as well.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html.parser import HTMLParser
from itertools import count, product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest
import yaml
from markdown_it import MarkdownIt
from typer.testing import CliRunner

import attncli
from attncli.classroom.files.exam_file import EXAM
from attncli.classroom.files.exercise_file import EXERCISE
from attncli.classroom.files.scheme import SCHEME
from attncli.cli import app
from attncli.errors import UserError
from attncli.scenario.file import shipped
from attncli.steps.schema import SCENARIO
from tests.conftest import THOROUGH, share
from tests.helpers.marking_cases import run
from tests.helpers.readers import ISOLATE, POP, refused

HOSTILE = (
    '\x1b[31m\u202e\x08<script>alert(1)</script>[a](javascript:b)\\input{c}#import "d"`e`$f$]]>'
)
Path_ = tuple[str | int, ...]
_numbers = count(1)


def hostile(about: str) -> str:
    """The text, of which no two are the same."""
    return f"{about}{next(_numbers)}{HOSTILE}"


# --------------------------------------------------------------------------------------------------
# The fields of files.


def fields(schema: Mapping[str, Any], path: Path_ = ()) -> Iterator[Path_]:
    """Where a schema takes any text, by keys; `0` is an item of a list, `*` what stands behind any
    key of a map, and `KEY` such a key. What stands in itself is told once."""
    for other in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from fields(other, path)
    kinds = schema.get("type", ())
    if "string" in ([kinds] if isinstance(kinds, str) else kinds) and not {"pattern", "enum"} & {
        *schema
    }:
        yield path
    for key, inner in schema.get("properties", {}).items():
        if key not in path:
            yield from fields(inner, (*path, key))
    if isinstance(schema.get("additionalProperties"), Mapping):
        yield (*path, "KEY")
        yield from fields(schema["additionalProperties"], (*path, "*"))
    if isinstance(schema.get("items"), Mapping):
        yield from fields(schema["items"], (*path, 0))


def test_fields_are_found() -> None:
    found = {*fields(EXAM.schema())}
    assert found > {
        ("exam",),
        ("parts", 0, "questions", 0, "options", 0),
        ("scheme", "grades", "KEY"),
    }
    assert {*fields(SCENARIO.schema())} > {("title",), ("variants", "KEY"), ("corpus", "KEY")}


def planted(data: object, path: Path_ = ()) -> Iterator[Path_]:
    """Where some data has the text, as `fields` says it."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            own = HOSTILE in key
            yield from [(*path, "KEY")] * own
            yield from planted(value, (*path, "*" if own else key))
    elif isinstance(data, list):
        for value in data:
            yield from planted(value, (*path, 0))
    elif isinstance(data, str) and HOSTILE in data:
        yield path


def with_text(path: Path_, text: str) -> Any:
    """Data that has a text at a path, and a number behind a key."""
    if not path:
        return text
    key, *rest = path
    if key == "KEY":
        return {text: 1}
    inner = with_text(tuple(rest), text)
    return [inner] if key == 0 else {"m" if key == "*" else key: inner}


# --------------------------------------------------------------------------------------------------
# What a page must not have, by its format.


class _Markup(HTMLParser):
    """What would run of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag
        self.runs += [name for name, value in attrs if name.startswith("on") or _runs(value)]

    def handle_endtag(self, _: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside == "script" and data.strip().startswith("alert(1)"):
            self.runs.append(data)


def _runs(value: str | None) -> bool:
    return (value or "").strip().startswith("javascript:")


def hidden(text: str) -> None:
    """Nothing is hidden, but for isolates and what ends lines and pages."""
    bare = re.sub(f"[\n\f\xa0{ISOLATE}{POP}]", "", text)
    found = [character for character in refused(bare) if character != "\t"]
    place = text.index(found[0]) if found else 0
    assert not found, text[max(0, place - 200) : place + 40]


def web(text: str) -> None:
    hidden(text)
    reader = _Markup()
    reader.feed(text)
    assert reader.runs == []


def markdown(text: str) -> None:
    hidden(text)
    for block in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        assert block.type != "html_block" or "script" not in block.content
        for token in block.children or ():
            assert token.type not in ("link_open", "image"), block.content
            assert token.type != "html_inline" or "script" not in token.content, block.content


def xml(text: str) -> None:
    hidden(text)
    for element in ElementTree.fromstring(text.encode()).iter():
        assert not element.tag.endswith("script")
        assert not any(name.startswith("on") or _runs(value) for name, value in element.items())


def moodle(text: str) -> None:
    """The texts of questions are pages again."""
    xml(text)
    for place in ("questiontext", "generalfeedback", "feedback", "hint", "info"):
        for element in ElementTree.fromstring(text.encode()).iterfind(f".//{place}/text"):
            web(element.text or "")


def latex(text: str) -> None:
    hidden(text)
    assert "\\input{c" not in text


def rows(text: str) -> None:
    hidden(text.replace("\r\n", "\n"))
    for cell in (cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row):
        assert not re.match("[=+@]", cell), cell


def packed(data: bytes) -> None:
    with ZipFile(io.BytesIO(data)) as file:
        for name in file.namelist():
            if name.endswith((".xml", ".html")):
                CHECKS[name.rpartition(".")[2]](file.read(name).decode())


CHECKS: Mapping[str, Callable[[str], None]] = {
    "txt": hidden, "json": hidden, "yaml": hidden, "md": markdown, "html": web, "xml": xml,
    "svg": xml, "tex": latex, "csv": rows, "moodle": moodle,
}  # fmt: skip
SUFFIXES = {"terminal": "txt", "markdown": "md", "latex": "tex"}


def check(page: str, form: str) -> None:
    """A page of a format; of a package all files in a row."""
    suffix = SUFFIXES.get(form, form)
    CHECKS.get(suffix, hidden)(page)


def check_files(folder: Path) -> None:
    """All files that were written, and what they are called."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    for path in files:
        hidden(path.name)
        if path.suffix == ".zip":
            packed(path.read_bytes())
        elif path.suffix not in (".xlsx", ".js", ".css"):
            kind = "moodle" if "moodle.xml" in path.name else path.suffix[1:]
            CHECKS[kind](path.read_text("utf-8"))


def attn(*words: object) -> str:
    """What a command prints; its messages have nothing hidden, either."""
    result = CliRunner().invoke(app, [*map(str, words)])
    assert result.exit_code in (0, 1, 2, 3), (words, result.exception)
    hidden(result.stderr)
    return result.stdout


def written(path: Path, data: object) -> Path:
    path.write_text(yaml.safe_dump(data, sort_keys=False), "utf-8")
    return path


# --------------------------------------------------------------------------------------------------
# Exams: the file, the class, its answers, what a teacher says of them.

TOKENS = [hostile("token"), hostile("token"), "c"]
HEAD = {
    "tokens": TOKENS, "scale": "none", "rounding": {"decimals": 2}, "X": [[1, 0], [0, 1], [1, 1]],
    "W_Q": [[1, 0], [0, -1]], "W_K": [[1, 0], [0, 1]], "W_V": [[1, 0], [0, 1]],
}  # fmt: skip
OPTIONS = [hostile("option") for _ in range(3)]
EXAM_DATA: dict[str, Any] = {
    "exam": hostile("exam"),
    "forms": 2,
    **{key: hostile(key) for key in ("course", "date", "duration", "tools", "institution")},
    "instructions": hostile("instructions"),
    "scheme": {"grades": {hostile("grade"): 90, hostile("grade"): 50, hostile("grade"): 0}},
    "parts": [
        {
            "title": hostile("part"),
            "scenario": "s.yaml",
            "ask": [
                "softmax",
                {"step": "weighted_sum", "token": TOKENS[0]},
                {"step": "scores", "rows": [TOKENS[1]], "columns": [TOKENS[0]]},
                "attends_most",
            ],
        },
        {
            "title": hostile("part"),
            "questions": [
                {"ask": hostile("ask"), "options": OPTIONS, "right": OPTIONS[0]},
                {
                    "ask": hostile("ask"),
                    "number": 2.5,
                    "table": [[hostile("cell"), "x"], ["1", "2"]],
                },
                {"ask": hostile("ask"), "title": hostile("title"), "answer": hostile("answer")},
            ],
        },
        {
            "title": hostile("part"),
            "pool": [
                {"ask": hostile("ask"), "options": OPTIONS, "right": OPTIONS[0]},
                {
                    "ask": hostile("ask"),
                    "title": hostile("title"),
                    "answer": hostile("answer"),
                    "table": [[hostile("cell"), "x"], ["1", hostile("cell")]],
                },
            ],
            "take": 1,
        },
    ],
}
PLACES, SIDES = ("head", "layer", "time"), ("rows", "columns")
NAMES_OF_OURS = {
    ("parts", 0, *path)
    for path in (
        ("allow",), ("allow", 0), ("points", "KEY"), ("scenario",), ("pool", 0, "cell"),
        ("ask", 0, "cell"), ("questions", 0, "picture"), ("pool", 0, "picture"),
        *((*of, place) for of in ((), ("ask", 0), ("pool", 0)) for place in PLACES),
        *((*of, side, *k) for of in ((), ("ask", 0), ("pool", 0)) for side in SIDES for k in ((), (0,))),
        ("token",), ("pool", 0, "token"),
    )
} | {("scheme", "free", 0)}  # fmt: skip
"""Fields that take any text as such, and then only names that the program, or a scenario, knows;
where messages name it, they are tried below."""


@pytest.fixture(scope="module")
def exam(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("exam")
    written(place / "s.yaml", {"title": hostile("title"), "about": hostile("about"), **HEAD})
    written(place / "e.yaml", EXAM_DATA)
    with (place / "list.csv").open("w", newline="", encoding="utf-8") as file:
        people = [(hostile("name"), hostile("ID")), ("=1+1\r", hostile("ID")), ("Ann", "7")]
        csv.writer(file).writerows([("name", "ID"), *people])
    return place


def test_an_exam_has_it_in_each_field() -> None:
    assert {*planted(EXAM_DATA)} | NAMES_OF_OURS == {*fields(EXAM.schema())}
    own = {path for path in fields(EXERCISE.schema()) if ("parts", 0, *path) not in NAMES_OF_OURS}
    assert own - {("exercise",), ("ask", 0, "token")} <= {*planted(EXAM_DATA)}
    assert {("scheme", *path) for path in fields(SCHEME.schema())} <= {
        *planted(EXAM_DATA), *NAMES_OF_OURS
    }  # fmt: skip


def test_papers_keys_and_files_for_platforms(exam: Path) -> None:
    for form in ("terminal", "markdown", "html", "latex", "json", "yaml", "csv"):
        folder = exam / f"e_{form}"
        more = ("--students", exam / "list.csv", "-o", f"{folder}/", "--format", form)
        hidden(attn("exam", exam / "e.yaml", *more))
        check_files(folder)


def handed_in(exam: Path, tmp_path: Path) -> Path:
    """The folder of an exam that is made, beside one of papers on it and of what else lies there."""
    folder = tmp_path / "made"
    attn("exam", exam / "e.yaml", "-o", f"{folder}/", "--format", "markdown",
         "--students", exam / "list.csv")  # fmt: skip
    (tmp_path / "in").mkdir()
    made = json.loads((folder / "manifest.json").read_text("utf-8"))["forms"]
    for k, (name, own) in enumerate([*made.items()] * 2):
        ids = [f"{j}/{id_}" for j, p in enumerate(own["parts"], 1) for id_ in p["asked"]]
        texts = [hostile("number"), "0.5", "", "7"]
        answers: dict[str, object] = {id_: texts[(k + n) % 4] for n, id_ in enumerate(ids)}
        answers |= {"2/q1": [*OPTIONS[1:], hostile("none")][k % 3], "2/q2": "2.6"}
        answers |= {"2/q3": hostile("essay") if k % 2 else "1", hostile("cell"): 3}
        says = {
            "student": hostile("student"),
            "id": hostile("ID"),
            "form": (name, hostile("form"))[k % 2],
        }
        paper = {**says, "hash": own["hash"], "answers": answers}
        written(tmp_path / "in" / f"{k}\x1b\u202e<script>alert(1)<.yaml", paper)
    written(tmp_path / "in" / "x\x1b.yaml", {"hash": hostile("hash"), "answers": {"x": 1}})
    written(tmp_path / "in" / "y\u202e.yaml", {hostile("key"): "g", "answers": {"x": 1}})
    (tmp_path / "in" / "\x1b\u202e.jpg").write_text("x")
    return folder


MARKED = [
    (form, anonymous)
    for k, form in enumerate(("terminal", "markdown", "html", "latex", "json", "csv"))
    for anonymous in (False, True)
    if THOROUGH or anonymous == bool(k % 2)
]
"""Formats, every other one without names; thoroughly each with and without."""


@pytest.mark.parametrize(("form", "anonymous"), MARKED)
def test_marked_papers_and_classes(form: str, anonymous: bool, exam: Path, tmp_path: Path) -> None:
    folder = handed_in(exam, tmp_path)
    scheme = {"grades": {hostile("grade"): 0}, "costs": {"slip": 0.5}}
    scheme_file = written(tmp_path / "s\x1b\u202e<script>.yaml", scheme)
    first = min((tmp_path / "in").glob("0*"))
    student = yaml.safe_load(first.read_text("utf-8"))["student"]
    with (tmp_path / "over.csv").open("w", newline="", encoding="utf-8") as file:
        change = (student, "2/3", "1", hostile("reason"))
        csv.writer(file).writerows([("student", "cell", "points", "reason"), change])
    more: tuple[object, ...] = ("--overrides", tmp_path / "over.csv", "--scheme", scheme_file)
    if anonymous:
        more = ("--anonymous",)
    for who in (first,) if anonymous else (tmp_path / "in", first):
        page = attn("grade", folder, who, "--format", form, *more)
        assert "points" in page.lower()
        check(page, form)
    out = tmp_path / "marked"
    typed = () if form == "csv" else ("--format", form)
    hidden(attn("grade", folder, tmp_path / "in", *typed, "-o", f"{out}/", *more))
    check_files(out)


# --------------------------------------------------------------------------------------------------
# Scenarios.

_AGAIN = {"layers", "heads", "encoder", "cross", "variants"}
"""Keys below which those at the top stand again."""


def test_each_field_of_a_scenario(tmp_path: Path) -> None:
    """A page has it harmlessly, or a message."""
    found = {path for path in fields(SCENARIO.schema()) if not _AGAIN & {*path[:-1]}}
    head = {**HEAD, "tokens": ["a", "b", "c"]}
    told = 0
    for path in sorted(found, key=str):
        text = hostile("field")
        file = written(tmp_path / "f.yaml", {**head, **with_text(path, text)})
        try:
            trace = attncli.work(attncli.load(str(file)))
            pages = {form: trace.page(form) for form in ("terminal", "markdown")}
        except UserError as error:
            hidden(str(error))
            continue
        told += 1
        for form, page in pages.items():
            check(page, form)
    assert told >= 7


def in_each_text(data: Any, path: Path_, known: set[Path_], text: Callable[[str], str]) -> Any:
    """A scenario with other texts wherever it has any: values, and keys that are names."""
    if isinstance(data, dict):
        free = (*path, "KEY") in known
        named = {key for key in data if any(p[: len(path) + 1] == (*path, key) for p in known)}
        return {
            text(key) if free and key not in named else key: in_each_text(
                value, (*path, "*" if free and key not in named else key), known, text
            )
            for key, value in data.items()
        }
    if isinstance(data, list):
        return [in_each_text(value, (*path, 0), known, text) for value in data]
    return text(data) if isinstance(data, str) and path in known else data


def loads(file: Path, data: object) -> bool:
    """Whether a scenario can be read; if not, the message is harmless."""
    written(file, data)
    try:
        attncli.work(attncli.load(str(file)))
    except UserError as error:
        hidden(str(error))
        return False
    return True


SHIPPED: Sequence[str] = (
    [*shipped.names()] if THOROUGH else ["dictionary", "three_tokens_assumed", "learning_to_attend"]
)
PAGES = ("terminal", "markdown", "html", "json", "latex")


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_scenarios_of_hostile_words(name: str, tmp_path: Path) -> None:
    """Its tokens, names of rows, sentences and all else that it says in words; but for those that
    have to be as they are, such as the name of a cell."""
    known = {*fields(SCENARIO.schema())}
    data = yaml.load(shipped.find(name).read_text("utf-8"), yaml.BaseLoader)
    texts = dict.fromkeys(collected(data, known))
    file = tmp_path / "s.yaml"

    def other(chosen: set[str]) -> object:
        return in_each_text(data, (), known, lambda t: f"{t}{HOSTILE}" if t in chosen else t)

    chosen = {*texts}
    if not loads(file, other(chosen)):
        chosen = {text for text in texts if loads(tmp_path / "one.yaml", other({text}))}
    assert len(chosen) > 3
    assert loads(file, other(chosen))
    for command, form in share(2, product(("run", "explain", "lint", "exercise"), PAGES), name):
        check(attn(command, file, "--format", form), form)
    if (picture := attn("run", file, "--format", "svg")) != "":
        check(picture, "svg")
    check(attn("compare", file, "--set", "rounding=exact"), "terminal")
    for form in ("moodle", "canvas", "qti", "yaml", "csv"):
        check(attn("exercise", file, "--format", form), form)


def collected(data: object, known: set[Path_]) -> list[str]:
    """The texts of a scenario that others may stand for."""
    found: list[str] = []

    def take(text: str) -> str:
        found.append(text)
        return text

    in_each_text(data, (), known, take)
    return found


def test_a_site_of_hostile_words(tmp_path: Path) -> None:
    (tmp_path / "from").mkdir()
    said = {key: hostile(key) for key in ("title", "about", "source")}
    written(tmp_path / "from" / "a\x1b\u202e<script>alert(1)<.yaml", {**said, **HEAD})
    hidden(attn("site", tmp_path / "site", "--from", tmp_path / "from"))
    index = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "about" in index
    for path in (tmp_path / "site").rglob("*"):
        hidden(path.name)
        if path.suffix in (".html", ".json"):
            CHECKS[path.suffix[1:]](path.read_text("utf-8"))


@pytest.mark.parametrize("asks", [("--step", "softmax"), ("--ask", "attends_most")])
def test_practice_says_it_harmlessly(
    asks: tuple[str, str], exam: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    typed = "99\n99\n?\nc\nshow\n0.5\n7\n-2\nshow\n1\n2\n3\n"
    result = CliRunner().invoke(app, ["practice", str(exam / "s.yaml"), *asks], input=typed)
    assert result.exit_code in (0, 1), result.exception
    assert "To practise again" in result.output
    hidden(result.output)


@pytest.mark.parametrize("form", PAGES)
def test_pages_about_numbers(form: str, exam: Path, tmp_path: Path) -> None:
    """What leads to a number, what a change changes, and where an implementation departs."""
    dump = {"scores": [[9, 8, 7]] * 3, "weights": [[1, 0, 0]] * 3, hostile("tensor"): [[1]]}
    (tmp_path / "d.json").write_text(json.dumps(dump), "utf-8")
    scenario = exam / "s.yaml"
    for words in (
        ("why", "weights[1, 2]", scenario), ("compare", scenario, "--set", "scale=2"),
        ("compare", scenario, "i_love_ai"), ("diff", scenario, tmp_path / "d.json"),
    ):  # fmt: skip
        page = attn(*words, "--format", form)
        assert page
        check(page, form)


def test_messages_name_it_harmlessly(exam: Path, tmp_path: Path) -> None:
    """Where a field takes only names that are known, and where no such key is."""
    (tmp_path / "s.yaml").write_bytes((exam / "s.yaml").read_bytes())
    for path in sorted({*NAMES_OF_OURS, (hostile("key"),), ("parts", 0, hostile("key"))}, key=str):
        part = {"scenario": "s.yaml", "ask": ["softmax"]}
        data: dict[str, Any] = {"exam": "e", "parts": [part]}
        own = with_text(path, hostile("name"))
        data |= {key: value for key, value in own.items() if key != "parts"}
        part.update(own.get("parts", [{}])[0])
        result = CliRunner().invoke(
            app, ["exam", str(written(tmp_path / "e.yaml", data)), "-o", f"{tmp_path}/e/"]
        )
        assert result.exit_code == 2, path
        hidden(result.output)


@pytest.mark.parametrize("kind", ["terminal", "markdown", "html", "latex"])
def test_the_name_of_a_blank_that_many_miss_has_nothing_hidden(tmp_path: Path, kind: str) -> None:
    """In the tables of a class, and in the page for its next lesson."""
    scenario, exam = tmp_path / "m.yaml", tmp_path / "mx.yaml"
    scenario.write_text(
        'title: m\ntokens: ["a\\e[2Jx", "b\\u202ey"]\nX: [[1, 0], [0, 1]]\nW_Q: [[1, 0], [0, 1]]\n'
        "W_K: [[1, 2], [0, 1]]\nW_V: [[1, 0], [3, 1]]\n"
    )
    exam.write_text("exam: M\nparts:\n  - {title: A, scenario: m.yaml, ask: [softmax]}\n")
    assert run("exam", str(exam), "-o", f"{tmp_path}/mx/", "--format", "html").exit_code == 0
    papers = tmp_path / "papers"
    papers.mkdir()
    for k in range(5):
        (papers / f"s{k}.yaml").write_bytes((tmp_path / "mx" / "mx_answers.yaml").read_bytes())
    how = () if kind == "terminal" else ("-o", f"{tmp_path}/out/", "--format", kind)
    printed = run("grade", f"{tmp_path}/mx", str(papers), *how).output
    files = [file.read_text("utf-8") for file in tmp_path.glob("out/*") if file.suffix != ".csv"]
    for text in (printed, *files):
        assert "\x1b[2J" not in text
        assert "\u202e" not in text
    assert "not right in" in printed + "".join(files)
