"""A served page, in Debian's chromium: typing in the file and in the page, errors, tabs, undo; and
whoever isn't the page."""

from __future__ import annotations

import errno
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.conftest import sampled
from tests.helpers.browser import findings
from tests.helpers.marking_cases import run

pytest.importorskip("uvicorn")
from attncli.web.commands import ServeArguments
from attncli.web.server import LARGEST_BODY, MOST_AT_ONCE, PageServer, listening_at
from attncli.web.session import ServedScenario

PATIENCE = 120
"""Seconds in which a busy machine, too, has answered."""
TEXT = """\
# numbers for   monday
sentence: I love AI          # three words
embeddings: {I: [1, 0], love: [0,1], AI: [1.0, 1]}
W_Q:
  - [1, 0]   # as they are
  - [0, 1]
W_K: [[1, 1], [0, 1]]
W_V: [[1, 2], [2, 1]]
scale: none
"""


class Served(NamedTuple):
    file: Path
    server: PageServer

    def ask(self, path: str = "", method: str = "GET", body: Any = None, **headers: str) -> Any:
        """The status and the text of an answer; a path that begins with / is the whole one."""
        whole = path if path.startswith("/") else f"/{self.server.token}/{path}"
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        try:
            connection.request(method, whole, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def act(self, act: str) -> Any:
        return self.ask(act, "POST")

    def change(self, key: str, value: str) -> int:
        status: int = self.ask("change", "POST", json.dumps({"key": key, "value": value}))[0]
        return status

    def until(self, holds: Callable[[str], bool]) -> str:
        """The page once something holds of it."""
        for _ in range(2000):
            page = str(self.ask()[1])
            if holds(page):
                return page
            time.sleep(0.05)
        raise AssertionError("it never holds")


@contextmanager
def serving(file: Path) -> Iterator[Served]:
    session = ServedScenario(ServeArguments(str(file)))
    server = PageServer(session, listening_at(0))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield Served(file, server)
    finally:
        server.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    file = tmp_path / "mine.yaml"
    file.write_text(TEXT)
    with serving(file) as value:
        value.until(lambda page: 'data-version="1"' in page)
        yield value


@contextmanager
def tab(browser: Any, served: Served) -> Iterator[Any]:
    """A page of the browser, on which nothing goes wrong."""
    context = browser.new_context(viewport={"width": 1280, "height": 500}, reduced_motion="reduce")
    page, texts = context.new_page(), list[str]()
    page.on("pageerror", lambda error: texts.append(str(error)))
    page.set_default_timeout(30_000)
    page.goto(served.server.address)
    yield page
    context.close()
    assert texts == []


def save(file: Path, text: str) -> None:
    """Saves as editors do: another file takes the place."""
    beside = file.with_suffix(".new")
    beside.write_text(text)
    beside.replace(file)


def shows(page: Any, text: str, inside: str = "main") -> None:
    page.wait_for_function(
        "([where, text]) => document.querySelector(where)?.textContent.includes(text)",
        arg=[inside, text],
        polling=50,
    )


WEIGHTS = "() => [...document.querySelectorAll('main [data-n]')].map(one => one.textContent).join()"


def test_a_saved_file_shows_in_place_in_each_tab(chromium: Any, served: Served) -> None:
    with tab(chromium, served) as page, tab(chromium, served) as other:
        page.evaluate("scrollTo({top: 900, behavior: 'instant'})")
        page.evaluate("window.kept = document.querySelectorAll('main > section')[2]")
        top, before = page.evaluate("scrollY"), page.evaluate(WEIGHTS)
        save(served.file, TEXT.replace("[1, 0]   #", "[4.75, 0]   #"))
        page.wait_for_selector("main .fresh")
        for each in (page, other):
            shows(each, "4.75")
        assert page.evaluate("scrollY") == top > 0
        assert page.evaluate("document.contains(kept)")
        after = page.evaluate(WEIGHTS)
        assert after != before
        assert other.evaluate(WEIGHTS) == after
        page.reload()
        assert page.evaluate(WEIGHTS) == after


def test_what_takes_long_is_painted_soon_and_follows(chromium: Any, tmp_path: Path) -> None:
    given = [f"{name}: {{file: {name}.npy}}" for name in ("X", "W_Q", "W_K", "W_V")]
    for seed, line in enumerate(given):
        numbers = np.random.default_rng(seed).normal(0, 0.1, (512, 512))
        np.save(tmp_path / f"{line.partition(':')[0]}.npy", numbers)
    tokens = [f"t{k}" for k in range(1, 513)]
    (tmp_path / "large.yaml").write_text("\n".join([f"tokens: {json.dumps(tokens)}", *given]))
    with serving(tmp_path / "large.yaml") as served, tab(chromium, served) as page:
        first = page.evaluate(PAINTED)
        assert first <= 2000
        page.wait_for_selector("main table [data-n]", state="attached")
        assert "being worked out" not in page.inner_text("main")


PAINTED = """() => new Promise((tell) => new PerformanceObserver((seen) => tell(
    seen.getEntriesByName("first-contentful-paint")[0].startTime
)).observe({type: "paint", buffered: true}))"""
"""Milliseconds from opening a page to what is seen of it first."""


def test_an_error_shows_at_its_line_and_the_page_stays(chromium: Any, served: Served) -> None:
    with tab(chromium, served) as page:
        before = page.evaluate(WEIGHTS)
        save(served.file, TEXT.replace("scale: none", "scale: nonne"))
        shows(page, "mine.yaml:9:8", "#served")
        assert (
            page.evaluate("Number(getComputedStyle(document.querySelector('main')).opacity)") < 0.8
        )
        shows(page, "The numbers above are as they were before", "#served")
        assert page.inner_text("#served mark").split() == ["9", "scale:", "nonne"]
        served.file.unlink()
        shows(page, "no such", "#served")
        assert page.evaluate(WEIGHTS) == before
        save(served.file, TEXT)
        page.wait_for_selector("#served .wrong", state="detached")
        assert page.evaluate(WEIGHTS) == before
        assert page.evaluate("getComputedStyle(document.querySelector('main')).opacity") == "1"


def test_a_change_in_the_page_is_worked_written_and_undone(chromium: Any, served: Served) -> None:
    with tab(chromium, served) as page:
        page.locator("main td > [data-set='W_K[1,2]']").first.click()
        page.fill("input.change", "x")
        page.press("input.change", "Enter")
        shows(page, "W_K[1,2]=x", "#why")
        page.keyboard.press("Enter")
        page.fill("input.change", "-0.25")
        page.press("input.change", "Enter")
        shows(page, "Not in the file: W_K[1, 2] 1 → -0.25.", "#served .made")
        page.select_option("#changes [data-key='rounding.decimals']", "2")
        shows(page, "1 → -0.25; rounding.decimals (not said) → 2.", "#served .made")
        assert served.file.read_text() == TEXT
        page.click("[data-panel=compare] summary")
        shows(page, "as changed", "[data-panel=compare] div")
        after = page.evaluate(WEIGHTS)
        page.click("text=Write to mine.yaml")
        page.wait_for_selector("[data-act=write]", state="detached")
        written = TEXT.replace("[1, 1], [0", "[1, -0.25], [0") + "rounding: {decimals: 2}\n"
        assert served.file.read_text() == written
        assert page.evaluate(WEIGHTS) == after
        shows(page, "mine.yaml:7 W_K[1, 2] 1 → -0.25", "#served .made")
        page.click("text=Take the writing back")
        page.wait_for_selector(
            "#changes [data-key='rounding.decimals'] :text-is('3')[selected]", state="attached"
        )
        page.wait_for_selector("[data-act=undo]", state="detached")
        assert served.file.read_text() == TEXT


def test_a_tablet_changes_writes_and_undoes_by_touch(chromium: Any, served: Served) -> None:
    """What is said of it stands on the bar below, without a gap; settings are there if asked for."""
    size = {"width": 768, "height": 1024}
    context = chromium.new_context(viewport=size, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(served.server.address)
    between = "() => bar.getBoundingClientRect().top - served.getBoundingClientRect().bottom"
    page.wait_for_function("() => window.bar?.offsetHeight && window.served")
    assert abs(page.evaluate(between)) <= 1
    decimals = page.locator("#changes [data-key='rounding.decimals']")
    assert decimals.is_hidden()
    page.locator(".settings").tap()
    decimals.select_option("2")
    shows(page, "rounding.decimals (not said) → 2.", "#served .made")
    page.locator("main td > [data-set='W_K[1,2]']").first.tap()
    page.fill("input.change", "-0.25")
    page.press("input.change", "Enter")
    shows(page, "W_K[1, 2] 1 → -0.25", "#served .made")
    page.locator("text=Write to mine.yaml").tap()
    page.wait_for_selector("[data-act=write]", state="detached")
    assert "[1, -0.25]" in served.file.read_text()
    page.locator("text=Take the writing back").tap()
    page.wait_for_selector("[data-act=undo]", state="detached")
    assert served.file.read_text() == TEXT
    assert page.evaluate("document.documentElement.scrollWidth") == size["width"]
    context.close()


def test_the_panels_follow(chromium: Any, served: Served) -> None:
    with tab(chromium, served) as page:
        for name in ("lint", "why", "exercise"):
            page.click(f"[data-panel={name}] summary")
        shows(page, "mine_key.html", "[data-panel=exercise] div")
        page.click("main table.quantity [data-n] >> nth=-1")
        shows(page, "output[AI, 2]", "[data-panel=why] div")
        before = page.inner_text("[data-panel=why] div")
        assert page.inner_text("[data-panel=lint] div")
        served.ask("change", "POST", json.dumps({"key": "W_V[2,2]", "value": "7"}))
        page.wait_for_function(
            "text => document.querySelector('[data-panel=why] div').innerText !== text", arg=before
        )
        name = page.get_attribute("[data-panel=exercise] a", "href")
        status, sheet = served.ask(name)
        assert status == 200
        assert "<title>" in sheet
        assert findings(page, "#served") == []
        page.set_viewport_size({"width": 400, "height": 700})
        assert page.locator("#how").is_visible()
        assert not page.locator("#served").is_visible()  # it would lie below the card
        page.click("#how .close")
        assert page.locator("#served").is_visible()


def test_an_array_that_is_written_is_read_again(tmp_path: Path) -> None:
    np.save(tmp_path / "keys.npy", np.eye(2))
    file = tmp_path / "mine.yaml"
    file.write_text(TEXT.replace("[[1, 1], [0, 1]]", "{file: keys.npy}"))
    with serving(file) as served:
        served.until(lambda page: 'data-version="1"' in page)
        np.save(tmp_path / "keys.npy", np.full((2, 2), 7.25))
        served.until(lambda page: "7.25" in page)
        (tmp_path / "keys.npy").unlink()
        served.until(lambda page: "mine.yaml:7:" in page)


def test_without_its_packages_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "attncli.web.server", None)
    result = run("serve", "i_love_ai", "--no-open")
    assert result.exit_code == 2
    assert "pip install 'attncli[serve]'" in result.stderr


def test_nothing_is_written_over_what_others_wrote(served: Served) -> None:
    assert served.change("W_K[1,2]", "3") == 200
    other = TEXT.replace("monday", "tuesday")
    served.server.session.follow = lambda: None  # type: ignore[method-assign] # as if just saved
    time.sleep(0.5)  # what looks at the file by now is done
    save(served.file, other)
    assert served.act("write")[0] == 409
    assert served.file.read_text() == other
    served.server.session.renew()
    assert served.act("write")[0] == 200
    save(served.file, TEXT)
    assert served.act("undo")[0] == 409
    assert served.file.read_text() == TEXT


@pytest.mark.parametrize("act", ["write", "undo"])
def test_what_an_editor_saves_while_it_is_written_stays(
    served: Served, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    from attncli.output_files import replace_file
    from attncli.web import session

    assert served.change("W_K[1,2]", "3") == 200
    if act == "undo":
        assert served.act("write")[0] == 200
    other = TEXT.replace("monday", "tuesday")

    def meanwhile(*given: Any) -> None:
        save(served.file, other)
        replace_file(*given)

    monkeypatch.setattr(session, "replace_file", meanwhile)
    status, text = served.act(act)
    assert status == 409
    assert "changed by somebody else" in text
    assert served.file.read_text() == other


def made(served: Served) -> str:
    """What is said of changes, and what can be done about them."""
    (text,) = re.findall('(?s)<p class="made">(.*?)</p>', served.ask()[1]) or [""]
    return unescape(re.sub("<[^>]*>", "", text))


def test_any_sentence_is_typed(chromium: Any, served: Served) -> None:
    """The server works it; one with a word that has no embedding is refused at the field."""
    with tab(chromium, served) as page:
        field = page.get_by_label("Sentence")
        assert field.input_value() == "I love AI"
        field.fill("you love AI")
        field.press("Enter")
        shows(page, "you", "#why")
        field.fill("AI love")
        field.press("Enter")
        shows(page, "2 tokens")
        assert page.locator("table.words td:nth-child(2)").all_inner_texts() == ["AI", "love"]
        page.click("text=Write to mine.yaml")
        page.wait_for_selector("[data-act=write]", state="detached")
        assert served.file.read_text() == TEXT.replace("sentence: I love AI", "sentence: AI love")


def test_each_change_and_each_writing_is_undone(served: Served) -> None:
    """The file never holds what it didn't hold before, nor what wasn't to be written."""
    texts = [TEXT.replace("[[1, 1], [0", f"[[1, {k}], [0") for k in (1, 3, 6)]
    for values in (("2", "3"), ("4", "5", "6")):
        for value in values:
            assert served.change("W_K[1,2]", value) == 200
        assert served.act("write")[0] == 200
    assert served.file.read_text() == texts[2]
    assert served.change("W_K[1,2]", "7") == 200
    assert served.change("W_K[1,2]", "8") == 200
    for undone, text in (
        ("Undo: W_K[1, 2] 8 → 7", texts[2]),
        ("Undo: W_K[1, 2] 7 → 6", texts[2]),
        ("Take the writing back: W_K[1, 2] 6 → 3", texts[2]),
        ("Take the writing back: W_K[1, 2] 3 → 1", texts[1]),
    ):
        assert undone in made(served)
        assert served.file.read_text() == text
        assert served.act("undo")[0] == 200
    assert served.file.read_text() == TEXT
    assert "Undo" not in made(served)
    assert "back" not in made(served)


def test_a_writing_says_what_it_wrote_and_where(served: Served) -> None:
    assert made(served) == ""
    assert served.change("W_K[1,2]", "-0.25") == 200
    assert served.change("W_Q[2,1]", "3") == 200
    assert served.change("rounding.decimals", "2") == 200
    told = "W_K[1, 2] 1 → -0.25; W_Q[2, 1] 0 → 3; rounding.decimals (not said) → 2"
    assert f"Not in the file: {told}." in made(served)
    assert served.act("write")[0] == 200
    lines = served.file.read_text().splitlines()
    said = made(served)
    assert said.startswith("Written: mine.yaml:")
    for line, key, old, new in re.findall(
        r"mine.yaml:(\d+) (\S+(?: \d\])?) (.+?) → ([^;. ]+(?:\.\d+)?)", said
    ):
        assert new in lines[int(line) - 1], key
        assert old in ("1", "0", "(not said)")
    assert "mine.yaml:7 W_K[1, 2] 1 → -0.25" in said
    assert "mine.yaml:6 W_Q[2, 1] 0 → 3" in said
    assert "mine.yaml:10 rounding.decimals (not said) → 2" in said
    assert served.act("undo")[0] == 200
    assert "mine.yaml is as before" in made(served)
    assert served.file.read_text() == TEXT


def test_of_one_that_comes_with_attn_nothing_can_be_written() -> None:
    with serving(Path("i_love_ai")) as served:
        served.until(lambda page: 'data-version="1"' in page)
        assert served.change("W_K[1,2]", "3") == 200
        assert 'data-act="undo"' in served.ask()[1]
        assert 'data-act="write"' not in served.ask()[1]


def test_when_the_server_has_ended_nothing_is_offered(chromium: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(TEXT)
    with ExitStack() as opened:
        with serving(file) as served:
            served.until(lambda page: 'data-version="1"' in page)
            page = opened.enter_context(tab(chromium, served))
            assert served.change("W_K[1,2]", "3") == 200
            page.locator("[data-act=write]").wait_for(state="visible")
        page.wait_for_selector("body.ended")
        for offered in ("#served button", "#served details", "#changes :is(button, select, input)"):
            for one in page.locator(offered).all():
                assert one.is_hidden()
        assert page.locator("main [data-set]").count() == 0
        assert page.locator("nav.contents").is_visible()
        page.locator("main table.quantity td [data-n]").first.click()
        assert page.locator("main input:visible").count() == 0


@pytest.mark.wing("classroom")
def test_the_page_and_its_panels_are_told_while_a_change_is_worked(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, end = threading.Event(), threading.Event()

    def work(*_: str) -> None:
        begun.set()
        end.wait(PATIENCE)

    monkeypatch.setattr(served.server.session, "change", work)
    with ThreadPoolExecutor(1) as pool:
        changing = pool.submit(served.change, "scale", "none")
        try:
            assert begun.wait(PATIENCE)
            for path in ("", "panel/lint", "panel/why?cell=scores[1,1]", "panel/exercise"):
                assert served.ask(path)[0] == 200
            assert not changing.done()
        finally:
            end.set()
        assert changing.result() == 200


def test_a_write_protected_file_stays(served: Served) -> None:
    assert served.change("W_K[1,2]", "3") == 200
    served.file.chmod(0o444)
    status, text = served.act("write")
    assert (status, "write-protected" in text) == (409, True)
    assert served.file.read_text() == TEXT
    served.file.chmod(0o640)
    assert served.act("write")[0] == 200
    assert served.file.stat().st_mode & 0o777 == 0o640


def test_a_folder_that_takes_no_file_is_told(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **named: object) -> str:
        raise OSError(errno.EROFS, "Read-only file system", f"{named['dir']}/.attn-x")

    assert served.change("W_K[1,2]", "3") == 200
    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    status, text = served.act("write")
    assert status == 409
    assert "can't be written (Read-only file system)" in text
    assert ".attn" not in text
    assert served.file.read_text() == TEXT


def test_what_does_not_load_when_it_is_written_is_told_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    text = TEXT.replace("scale: none\n", "published: {scaled: [[1, 2], [3, 4], [5, 6]]}\n")
    file.write_text(text)
    with serving(file) as served:
        served.until(lambda page: 'data-version="1"' in page)
        assert served.change("scale", "none") == 200
        status, said = served.act("write")
        assert (status, ".attn" in said, str(file) in said) == (409, False, False)
        assert file.name in said
        assert [*tmp_path.iterdir()] == [file]
        assert file.read_text() == text


def _pipe(file: Path) -> None:
    os.mkfifo(file)


def _device(file: Path) -> None:
    file.symlink_to("/dev/zero")


def _large(file: Path) -> None:
    file.touch()
    os.truncate(file, 2 * 2**30)


def _latin(file: Path) -> None:
    file.write_bytes(TEXT.replace("monday", "März").encode("latin-1"))


def _nothing(file: Path) -> None:
    file.parent.rmdir()


ODD = {
    _pipe: "this is a pipe or a device",
    _device: "this is a pipe or a device",
    _large: "the file is too large",
    _latin: "the file is not UTF-8 text",
    _nothing: "no such file",
    Path.mkdir: "this is a folder",
}


@pytest.mark.wing("classroom")
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@sampled(2, odd=ODD.items())
def test_what_is_no_scenario_file_is_refused(
    tmp_path: Path, odd: tuple[Callable[[Path], None], str]
) -> None:
    put, wrong = odd
    file = tmp_path / "folder" / "mine.yaml"
    file.parent.mkdir()
    file.write_text(TEXT)
    with serving(file) as served:
        served.until(lambda page: 'data-version="1"' in page)
        assert served.change("W_K[1,2]", "3") == 200
        file.unlink()
        put(file)
        page = served.until(lambda page: wrong in page)
        assert "W_K[1, 2] 1 → 3" in page
        assert str(file.parent) not in page
        for act, status in (("write", 409), ("undo", 200), ("drop", 200)):
            found, text = served.act(act)
            assert (found, ".attn" in text) == (status, False)
        for panel in ("lint", "compare", "exercise"):
            assert served.ask(f"panel/{panel}")[0] in (200, 409)
    if put is not _latin:  # which is mended while it is served
        result = run("serve", str(file), "--no-open")
        assert (result.exit_code, wrong in result.stderr) == (2, True)


def test_the_files_that_a_scenario_names_are_followed(tmp_path: Path) -> None:
    word = "x" * 200_000  # which took minutes where a pattern looked for names
    np.save(tmp_path / "keys.npy", np.eye(2))
    (tmp_path / "other.npy").touch()
    text = TEXT.replace("[[1, 1], [0, 1]]", "{file: keys.npy} # not other.npy")
    file = tmp_path / "mine.yaml"
    file.write_text(f"{text}# {word}\n")
    with serving(file) as served:
        served.until(lambda page: 'data-version="1"' in page)
        assert [*served.server.session._named] == [tmp_path / "keys.npy"]


def test_hostile_requests_are_refused(served: Served) -> None:
    (served.file.parent.parent / "secret.html").write_text("secret")
    own, token = f"127.0.0.1:{served.server.port}", served.server.token
    change = json.dumps({"key": "W_K[1,2]", "value": "3"})
    assert served.ask(Host="evil.example")[0] == 421
    assert served.ask(Host="127.0.0.1:1")[0] == 421
    assert served.ask(Origin="http://evil.example")[0] == 403
    assert served.ask("change", "POST", change, Origin="null")[0] == 403
    assert served.ask("/")[0] == 403
    assert served.ask(f"/{token[:-1]}/")[0] == 403
    assert served.ask("change")[0] == 405
    for path in ("../mine.yaml", "exercise/../../secret.html", "exercise/%2e%2e%2fsecret.html",
                 "panel/..%2fmine.yaml", "panel/renew", "mine.yaml", "//etc/passwd"):  # fmt: skip
        assert served.ask(path)[0] in (403, 404)
    for body in ("[", "[]", '{"key": 1, "value": "2"}', "\xff", "[" * LARGEST_BODY):
        assert served.ask("change", "POST", body)[0] == 400
    assert served.ask("change", "POST", b" " * (LARGEST_BODY + 1))[0] == 413
    with suppress(ConnectionError):  # who goes on sending isn't listened to
        assert served.ask("change", "POST", b" " * 10**7)[0] == 413
    assert served.server.session.changes == ()
    assert served.ask("change", "POST", change, Origin=f"http://{own}")[0] == 200


@sampled(2, target=["*", "foo", "?x", "evil:80", "SECRET", "foo/SECRET/"])
def test_a_target_that_is_no_path_is_refused(
    served: Served, target: str, capfd: pytest.CaptureFixture[str]
) -> None:
    own = target.replace("SECRET", served.server.token)
    with ExitStack() as opened:
        one = connected(opened, served)
        head = f"GET {own} HTTP/1.1\r\nHost: 127.0.0.1:{served.server.port}\r\n"
        one.sendall(f"{head}Connection: close\r\n\r\n".encode())
        assert one.recv(100).split()[1] in (b"400", b"403")
    assert capfd.readouterr().err == ""


def test_nothing_hidden_in_a_broken_file_is_shown(served: Served) -> None:
    save(served.file, TEXT + "foo\u202ebar: 1\n")
    page = served.until(lambda page: "foo" in page)
    assert "foo\\u202ebar: 1" in page
    assert "\u202e" not in page


def test_a_thousand_requests_at_once_are_survived(served: Served) -> None:
    def status(_: int) -> int:
        try:
            return int(served.ask("panel/compare")[0])
        except (OSError, http.client.HTTPException):
            return 0

    with ThreadPoolExecutor(1000) as pool:
        found = {*pool.map(status, range(1000))}
    assert 409 in found  # there is nothing to compare yet
    assert found <= {409, 503, 0}
    assert served.ask()[0] == 200


def test_connections_that_ask_for_nothing_lock_nobody_out(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as opened:
        idle = [connected(opened, served) for _ in range(2 * MOST_AT_ONCE)]
        assert served.ask()[0] == 200
        assert idle[0].recv(1) == b""  # who waited longest went

    monkeypatch.setattr("attncli.web.server._SILENCE", 0.3)
    with ExitStack() as opened:
        never, slowly = connected(opened, served), connected(opened, served)
        for letter in b"GET / HTTP/1.1 and no end":
            try:
                slowly.send(bytes([letter]))
            except ConnectionError:
                break
            time.sleep(0.1)
        else:
            raise AssertionError("it listens on and on")
        with suppress(ConnectionError):
            assert never.recv(1) == b""
        body = connected(opened, served)
        head = (
            f"POST /{served.server.token}/change HTTP/1.1\r\nHost: 127.0.0.1:{served.server.port}"
        )
        body.sendall(f"{head}\r\nContent-Length: 40\r\n\r\n{{".encode())
        assert body.recv(100).startswith(b"HTTP/1.1 408")


def connected(opened: ExitStack, served: Served) -> socket.socket:
    """A connection that says nothing."""
    made = socket.create_connection(("127.0.0.1", served.server.port), timeout=PATIENCE)
    return opened.enter_context(made)


def test_a_browser_has_as_many_tabs_as_it_likes(chromium: Any, served: Served) -> None:
    context = chromium.new_context()
    pages = [context.new_page() for _ in range(9)]  # it has six connections for a server
    for page in pages:
        page.goto(served.server.address, timeout=10_000)
    save(served.file, TEXT.replace("[1, 0]   #", "[4.75, 0]   #"))
    for page in pages:
        page.set_default_timeout(10_000)
        shows(page, "4.75")
    context.close()


@contextmanager
def started(tmp_path: Path, *options: str, **environment: str) -> Iterator[Any]:
    """The command in a process of its own, and what it says first."""
    file = tmp_path / "mine.yaml"
    file.write_text(TEXT)
    command = [sys.executable, "-m", "attncli", "serve", str(file), *options]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **environment},
    ) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline()
        finally:
            process.kill()


@sampled(3, again=[None, 0, 0.02, 0.1])
def test_ctrl_c_ends_it_however_often(tmp_path: Path, again: float | None) -> None:
    with started(tmp_path, "--no-open") as (process, said):
        port, token = re.findall(r"127\.0\.0\.1:(\d+)/([^/]+)/", said)[0]
        connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=PATIENCE)
        connection.request("GET", f"/{token}/version")
        assert connection.getresponse().read().isdigit()  # and it stays open
        process.send_signal(signal.SIGINT)
        if again is not None:
            time.sleep(again)
            process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
        assert process.stdout.read() == "attn serve has ended\n"
        connection.close()


def test_the_secret_is_no_argument_of_the_browser(tmp_path: Path) -> None:
    browser, told = tmp_path / "browser", tmp_path / "told"
    browser.write_text(
        '#!/bin/sh\nfile="${1#file://}"\n'
        f'(echo "$1"; stat -c %a "$(dirname "$file")"; cat "$file") > {told}.new\n'
        f"mv {told}.new {told}; exec sleep 60\n"  # as some do until they are closed
    )
    browser.chmod(0o755)
    with started(tmp_path, BROWSER=f"{browser} %s") as (process, said):
        address = re.findall(r"http://\S+/", said)[0]
        for _ in range(2000):
            if told.exists():
                break
            time.sleep(0.05)
        called, mode, page = told.read_text().splitlines()
        assert address.split("/")[3] not in called
        assert mode == "700"
        assert f"url={address}" in page
        port = int(address.split(":")[2].split("/")[0])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        connection.request("GET", address[address.index("/", 7) :])
        assert connection.getresponse().status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
    assert not Path(called.removeprefix("file://")).exists()
