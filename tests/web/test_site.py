"""`attn site`: a small website that anybody can put anywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
import yaml
from openpyxl import load_workbook
from typer.testing import CliRunner

from attncli.cli import app
from attncli.formats.html.webpage import shared_files
from attncli.pipeline import load, work
from attncli.scenario.file import shipped
from attncli.web.site import DOUBT, INDEX, shipped_sources
from tests.conftest import ROOT, THOROUGH
from tests.helpers import hostile
from tests.helpers.browser import findings, opened

LARGEST = 10_000_000
"""Bytes of a whole site."""
FEW = ("pasta_lookup", "i_love_ai", "bpe", "i_love_tennis")


class Page(HTMLParser):
    """The links, the ids and the text of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.scripts: list[str] = []
        self.text = ""
        self.of_settings = False
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        by_name = dict(attrs)
        if tag == "script":
            self.scripts.append(by_name.get("src") or by_name.get("type") or "")
        if tag == "select":
            self.of_settings = "data-key" in by_name
        chosen = () if self.of_settings else ("value",)  # a lesson to choose is a file
        keys = chosen if tag == "option" else ("href", "src")
        self.links += [value for key in keys if (value := by_name.get(key)) is not None]
        self.ids += [by_name["id"] or ""] if "id" in by_name else []

    def handle_data(self, data: str) -> None:
        self.text += data


def attn(*arguments: str) -> Any:
    result = CliRunner().invoke(app, ["site", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def pages_of(site: Path) -> dict[str, Page]:
    return {path.name: Page(path) for path in site.glob("*.html")}


def broken_links(site: Path) -> Iterator[str]:
    """Links that lead nowhere, or out of the site."""
    pages = pages_of(site)
    for name, page in pages.items():
        for link in page.links:
            file, _, place = link.partition("#")
            there = file or name
            known = there in pages and (not place or place in pages[there].ids)
            if not known and not (
                there == Path(there).name and not place and (site / there).is_file()
            ):
                yield f"{name}: {link}"


def is_lesson(link: str) -> bool:
    return link.endswith(".html") and "-" not in link and link not in (INDEX, DOUBT)


def chain(site: Path, first: str) -> list[str]:
    """The pages from the first one on, by their links to the next."""
    found = [first]
    while True:
        text = (site / found[-1]).read_text("utf-8")
        before, mark, _ = text.partition('" rel="next"')
        if not mark:
            return found
        found.append(before.rpartition('href="')[2])


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of a few scenarios; thoroughly of all shipped ones."""
    folder = tmp_path_factory.mktemp("site")
    if THOROUGH:
        assert attn(str(folder / "out")).exit_code == 0
        return folder / "out"
    (folder / "from").mkdir()
    for name in FEW:
        (folder / "from" / f"{name}.yaml").write_bytes(shipped.path_of(name).read_bytes())
    assert attn(str(folder / "out"), "--from", str(folder / "from")).exit_code == 0
    return folder / "out"


@pytest.mark.wing("classroom")
def test_every_link_leads_somewhere(site: Path) -> None:
    assert [*broken_links(site)] == []
    for name, page in pages_of(site).items():
        assert len({*page.ids}) == len(page.ids), name
    leads_to = {link for page in pages_of(site).values() for link in page.links}
    assert {path.name for path in site.iterdir()} == {
        file for link in leads_to if (file := link.partition("#")[0])
    }


def test_a_site_is_small(site: Path) -> None:
    """That of all shipped scenarios; of some no more than their share."""
    share = 1 if THOROUGH else len(FEW) / len(shipped_sources())
    assert sum(path.stat().st_size for path in site.iterdir()) < LARGEST * share


def test_pages_follow_each_other_in_the_order_of_the_index(site: Path) -> None:
    index = pages_of(site)[INDEX].links
    order = [link for link in index if is_lesson(link)]
    assert chain(site, order[0]) == order
    assert len(order) == len(shipped_sources() if THOROUGH else FEW)


def test_the_shipped_ones_come_in_the_order_of_learning() -> None:
    sources = shipped_sources()
    readme = (ROOT / "README.md").read_text("utf-8")
    five = re.findall(r"^\d\. `attn run (\w+)`", readme, re.MULTILINE)
    assert [source.scenario for source in sources if source.group == sources[0].group] == five
    assert {source.scenario for source in sources} == {*shipped.names()}


def test_each_lesson_has_its_answer_a_picture_and_minutes_on_the_first_page(site: Path) -> None:
    text = (site / INDEX).read_text("utf-8")
    cards = re.findall('(?s)<li data-of="([^"]*)">(.*?)</li>', text)
    assert len(cards) == len(shipped_sources() if THOROUGH else FEW)
    for name, card in cards:
        page = (site / f"{name}.html").read_text("utf-8")
        (answer,) = re.findall('<p class="answer">(.*?)</p>', card)
        (told,) = re.findall("In short: (.*?)\\.</p>", page)
        said = unescape(re.sub("<[^>]*>", "", told))
        assert unescape(answer).lower() == said.lower()
        assert re.search('<div class="sign"><svg.*<(rect|path)', card, re.DOTALL)
        (minutes,) = re.findall(r"<small>(\d+) min</small>", card)
        words = len(re.sub("(?s)<(script|svg|table).*?</\\1>|<[^>]*>", " ", page).split())
        assert 1 <= int(minutes) <= 1 + words / 20
    weights = dict(cards)["pasta_lookup"]
    assert re.search("<text[^>]*>0.808</text>", weights)


def test_pages_share_their_looks_and_scripts(site: Path) -> None:
    """No page has them inside, but what a sheet's printed foot says; none may run what is."""
    for path in site.glob("*.html"):
        text = path.read_text("utf-8")
        assert "script-src 'self' file:;" in text
        assert "<script>" not in text
        assert all(own.startswith("@page {") for own in re.findall("<style>(.*)", text))


def test_a_page_has_what_lessons_say_of_its_steps(site: Path) -> None:
    """Each mistake that `attn explain` tells on the scenario's numbers, folded away."""
    for name in ("pasta_lookup", "i_love_ai"):
        lessons = CliRunner().invoke(app, ["explain", name, "--format", "html"]).stdout
        parts = re.findall("(?s)<h3>Common mistakes</h3>.*?</section>", lessons)
        told = [says for part in parts for says in re.findall("(?s)<li>.*?</li>", part)]
        folds = re.findall(
            "(?s)<summary>Shapes and common mistakes</summary>.*?</section>",
            (site / f"{name}.html").read_text("utf-8"),
        )
        assert told
        assert len(folds) >= len(parts)
        plain = [re.sub("<[^>]*>", "", text) for text in (*told, "".join(folds))]
        assert all(says in plain[-1] for says in plain), name


def test_each_scenario_has_a_spreadsheet(site: Path) -> None:
    """Whose size stands beside the link; the numbers of one are those of its page."""
    for path in site.glob("*.yaml"):
        size = path.with_suffix(".xlsx").stat().st_size
        assert f"Spreadsheet ({round(size / 1000)} kB)" in Page(site / INDEX).text
    book = load_workbook(site / "pasta_lookup.xlsx", data_only=True)
    values = {cell.value for sheet in book for row in sheet.iter_rows() for cell in row}
    assert any(isinstance(value, float) and abs(value - 0.808) < 1e-9 for value in values)


def test_a_scenario_comes_with_the_files_that_it_names(tmp_path: Path) -> None:
    """Unpacked anywhere it works, also where they lie beside its folder."""
    folder, out = tmp_path / "mine", tmp_path / "out"
    (folder / "numbers").mkdir(parents=True)
    np.savez(folder / "numbers/w.npz", W_Q=[[1, 2]], W_K=[[3, 4]])
    np.save(tmp_path / "q.npy", [[5.0, 6.0]])
    text = "variants:\n  other: {K: {file: numbers/w.npz, key: W_K}}\n"
    (folder / "a.yaml").write_text(
        f"Q: {{file: ../q.npy}}\nK: {{file: numbers/w.npz, key: W_Q}}\n{text}", "utf-8"
    )
    (folder / "b.yaml").write_text(f"Q: {{file: {tmp_path / 'q.npy'}}}\nK: [[1, 2]]\n", "utf-8")
    (folder / "c.yaml").write_text(
        "Q: [[1]]\nK: [[2]]\npublished: {file: numbers/w.npz}\n", "utf-8"
    )
    attn(str(out), "--from", str(folder), "--files-outside")
    assert [*broken_links(out)] == []
    assert not [*out.glob("b.yaml"), *out.glob("b.zip")]
    with ZipFile(out / "a.zip") as package:
        assert package.namelist() == ["mine/a.yaml", "q.npy", "mine/numbers/w.npz"]
        package.extractall(tmp_path / "elsewhere")
    trace = work(load(tmp_path / "elsewhere/mine/a.yaml", outside=True))
    assert trace["scores"].values[0, 0] == 5 * 1 + 6 * 2


def test_without_the_package_of_spreadsheets_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/a.yaml").write_text("Q: [[1]]\nK: [[1]]\n", "utf-8")
    monkeypatch.setattr("attncli.formats.find_spec", lambda _: None)
    result = attn(str(tmp_path / "out"), "--from", str(tmp_path / "mine"))
    assert "pip install 'attncli[xlsx]'" in result.stdout
    assert not [*(tmp_path / "out").glob("*.xlsx")]
    assert [*broken_links(tmp_path / "out")] == []


@pytest.mark.wing("classroom")
def test_what_has_nothing_to_ask_for_has_no_sheet(site: Path) -> None:
    assert (site / "pasta_lookup-sheet.html").is_file()
    assert not (site / "i_love_tennis-sheet.html").exists()
    sheet = Page(site / "pasta_lookup-sheet.html").text
    assert "0.808" in Page(site / "pasta_lookup.html").text
    assert "0.808" not in sheet


@pytest.mark.wing("classroom")
def test_a_broken_scenario_stops_nothing(tmp_path: Path) -> None:
    folder, out = tmp_path / "mine", tmp_path / "out"
    folder.mkdir()
    (folder / "a.yaml").write_text("sentence: [", "utf-8")
    (folder / "b.yml").write_text("Q: [[1]]\nK: [[1]]\n", "utf-8")
    (folder / "c.yaml").write_text("Q: [[1]]\nK: [[1, 2]]\n", "utf-8")
    (folder / "d.yaml").write_text("scenario: b.yml\n", "utf-8")
    result = attn(str(out), "--from", str(folder))
    assert result.exit_code == 1
    assert f"{folder / 'a.yaml'}:2:1" in result.stderr
    assert f"{folder / 'c.yaml'}:" in result.stderr
    assert "d.yaml" not in result.stderr
    assert "leads to 1 scenario;" in result.stdout
    own = {path.name for path in out.iterdir()} - shared_files().keys()
    stems = {"index", "doubt", "b", "b-numbers", "b-sheet"}
    assert {Path(name).stem for name in own} == stems
    assert [*broken_links(out)] == []


def test_a_site_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    folder, out = tmp_path / "mine", tmp_path / "out"
    folder.mkdir()
    assert "no scenario files" in attn(str(out), "--from", str(folder)).stderr
    assert "no such folder" in attn(str(out), "--from", str(tmp_path / "x")).stderr
    (folder / "a.yaml").write_text("sentence: [", "utf-8")
    assert attn(str(out), "--from", str(folder)).exit_code == 1
    assert not out.exists()
    out.mkdir()
    (out / "a-sheet.html").write_text("mine", "utf-8")
    (folder / "a.yaml").write_text("Q: [[1]]\nK: [[1]]\n", "utf-8")
    refused = attn(str(out), "--from", str(folder))
    assert refused.exit_code == 2
    assert "add --force" in refused.stderr
    assert [path.read_text() for path in out.iterdir()] == ["mine"]
    assert attn(str(out), "--from", str(folder), "--force").exit_code == 0
    assert (out / INDEX).is_file()


def test_hostile_titles_and_names_stay_data(tmp_path: Path) -> None:
    folder, out = tmp_path / "mine", tmp_path / "out"
    folder.mkdir()
    titles = (
        "</title><script>alert(1)</script>",
        '"><a href="javascript:x">',
        "</head><body>\u202ea",
    )
    names = ("a b", "A_b", "<b>", "-", "index", "doubt", "猫", "x-sheet", "x")
    for k, name in enumerate(names):
        data = {"title": titles[k % len(titles)], "Q": [[1]], "K": [[k]]}
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(data), "utf-8")
    random = Random(7)
    hostile.written(hostile.attention(random, folder), folder / "drawn.yaml")
    assert attn(str(out), "--from", str(folder)).exit_code == 0
    assert [*broken_links(out)] == []
    pages = pages_of(out)
    index = pages[INDEX]
    known = {"application/json", "application/octet-stream", *shared_files()} - {"page.css"}
    assert {name for page in pages.values() for name in page.scripts} == known
    assert all(
        title.replace("\u202e", "") in index.text.replace("␣", "") or "\u202e" in title
        for title in titles
    )
    assert len([*filter(is_lesson, pages)]) == len(names) + 1
    assert len({name.lower() for name in pages}) == len(pages)


def test_the_site_in_a_browser(site: Path, chromium: Any) -> None:
    """By its links from the index to a page, its lessons and back."""
    for name, scheme, width in (
        (INDEX, "light", 360),
        ("pasta_lookup.html", "dark", 360),
        *([(INDEX, "dark", 1280)] if THOROUGH else []),
    ):
        view: Any = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
        with opened(chromium, site / name, **view) as page:
            assert findings(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    with opened(chromium, site / "pasta_lookup.html") as page:
        page.locator("main [data-n]").first.click()
        assert page.locator("#how").is_visible()
        page.keyboard.press("Escape")
        page.locator("svg [data-n]").first.focus(timeout=5000)
        first = page.locator("#how").inner_text()
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.matches('main [data-n]')")
        assert page.locator("#how").inner_text() not in ("", first)
        page.goto((site / "pasta_lookup-sheet.html").as_uri())
        assert page.locator("#check").is_visible()
        page.goto((site / INDEX).as_uri())
        page.locator("h3").get_by_role("link", name="Looking Pasta up").click()
        assert page.url.endswith("pasta_lookup.html")
        page.get_by_role("link", name="All lessons").click()
        assert page.url.endswith(INDEX)


def index_of(site: Path) -> Any:
    """What the search knows."""
    text = (site / INDEX).read_text("utf-8")
    return json.loads(text.partition('id="index">')[2].partition("</script>")[0])


def test_a_search_finds_sections_by_what_is_in_them(site: Path) -> None:
    """Each place that it knows is a section of the page, with that heading."""
    data = index_of(site)
    assert {page for page, *_ in data["lessons"]} == {*filter(is_lesson, pages_of(site))}
    for page, *_, places, _ in data["lessons"]:
        told = (site / page).read_text("utf-8")
        for k, (heading, step, *_) in enumerate(places, 1):
            section = told.partition(f'<section id="s{k}"')[2]
            seen = re.sub(
                "<[^>]*>", "", unescape(section.partition("<h2")[2].partition("</h2>")[0])
            )
            assert seen.partition(">")[2].split() == heading.split()
            assert step in data["steps"] or not step
    by_page = {page: places for page, *_, places, _ in data["lessons"]}
    softmax = next(place for place in by_page["pasta_lookup.html"] if place[1] == "softmax")
    assert "weights" in softmax[2]
    assert len(json.dumps(data)) < 3000 * len(data["lessons"])


@pytest.mark.wing("classroom")
def test_a_page_is_followed_by_its_source_and_its_commands(site: Path) -> None:
    """No command stands on it but there; on those of lessons and sheets nothing is folded away."""
    text = (site / "i_love_ai.html").read_text("utf-8")
    before, _, after = text.partition("On the command line")
    assert escape(shipped.path_of("i_love_ai").read_text("utf-8")) in before
    assert "attn run" in after
    assert "attn explain" in after
    assert "attn explain" not in before
    for path in site.glob("*.html"):
        page = re.sub("(?s)<pre.*?</pre>", "", path.read_text("utf-8"))
        assert not re.search("<code[^>]*>(<[^>]*>)*(attn |--)", page), path
    assert 'class="copied"' not in (site / "i_love_ai-sheet.html").read_text("utf-8")


def test_the_first_page_has_a_live_number_and_finds_lessons(site: Path, chromium: Any) -> None:
    with opened(chromium, site / INDEX) as page:
        page.locator("main td [data-n]").first.hover()
        assert "=" in page.locator("#how .line").inner_text()
        page.fill("#sought", "softmax sugar")
        assert "No lesson" in page.locator("#search [role=status]").inner_text()
        page.fill("#sought", "WEIGHTS softmax")
        found = page.locator("#search li").all_inner_texts()
        assert any("Softmax" in text and "Looking Pasta up" in text for text in found)
        assert findings(page) == []
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r"\.html#s\d+$"))
        assert "softmax" in page.locator("section:target h2").inner_text().lower()


def test_a_search_for_a_number_leads_to_its_cell(site: Path, chromium: Any) -> None:
    with opened(chromium, site / INDEX) as page:
        page.fill("#sought", "0,808")
        links = page.locator("#search li")
        links.first.wait_for(state="visible")
        told = links.all_inner_texts()
        assert any("weights[Pasta, Food]" in text and "Looking Pasta up" in text for text in told)
        page.fill("#sought", "0.80799999")
        page.get_by_text("No lesson has this number.").wait_for(state="visible")
        page.fill("#sought", "0.808")
        cell = page.locator("#search li a").filter(has_text="weights[Pasta, Food]").first
        cell.wait_for(state="visible")
        cell.click()
        page.wait_for_url(re.compile(r"pasta_lookup\.html#n\d+$"))
        how = page.locator("#how")
        how.wait_for(state="visible")
        assert "weights[Pasta, Food]" in how.inner_text()
        assert "0.808" in how.inner_text()


SENTENCES = """() => [...document.querySelectorAll("main > section[id]")].map((section) =>
  [section.id, [...section.querySelectorAll("p, aside")].map((one) => one.textContent).join(" ")])"""
"""The texts of a lesson's sections, what is folded away in them too, by the places of these."""


def test_the_search_finds_each_word_of_a_lessons_texts(site: Path, chromium: Any) -> None:
    texts: dict[str, str] = {}
    for link, *_, places, _ in index_of(site)["lessons"]:
        # what is before the first and behind the last section is found as the page's
        counted = {f"s{k}" for k in range(1, len(places))}
        with opened(chromium, site / link) as page:
            for place, text in page.evaluate(SENTENCES):
                name = f"{link}#{place}" if place in counted else link
                texts[name] = f"{texts.get(name, '')} {text.lower()}"
    words = sorted({word for text in texts.values() for word in re.findall(r"[a-z]{3,}", text)})
    with opened(chromium, site / INDEX) as page:
        for word in [*Random(1).sample(words, 40), "temperature"]:
            page.fill("#sought", word)
            found = page.locator("#search li a").evaluate_all(
                "all => all.map(one => one.getAttribute('href'))"
            )
            has = {
                place for place, text in texts.items() if all(part in text for part in word.split())
            }
            assert has
            known = {*found, *(link.partition("#")[0] for link in found)}
            assert has <= known or len(found) == 20, word


def test_the_browser_keeps_what_was_read_and_solved(site: Path, chromium: Any) -> None:
    with opened(chromium, site / INDEX) as page:
        assert page.locator("#progress").inner_text().startswith("Begin with")
        page.goto((site / "pasta_lookup.html").as_uri())
        assert not page.locator("#read").is_visible()
        page.locator(".ending").scroll_into_view_if_needed()
        page.locator("#read").wait_for(state="visible")
        page.goto((site / "pasta_lookup-sheet.html").as_uri())
        field = page.locator(".field input").last
        field.fill("12345")
        field.blur()
        page.reload()
        assert field.input_value() == "12345"
        assert page.locator(".field").last.get_attribute("data-state") == "wrong"
        page.goto((site / INDEX).as_uri())
        assert "1 of" in page.locator("#progress").inner_text()
        assert page.locator('[data-of="pasta_lookup"] .done').inner_text() == "✓ read"
        page.get_by_role("button", name="Clear progress").click()
        assert page.locator(".done").count() == 0
        page.goto((site / "pasta_lookup-sheet.html").as_uri())
        assert field.input_value() == ""
        page.evaluate("localStorage.setItem('attncli course', '[')")
        page.goto((site / INDEX).as_uri())
        assert page.locator("#progress").inner_text().startswith("Begin with")


def test_where_nothing_is_kept_the_rest_works(site: Path, chromium: Any) -> None:
    page = chromium.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw Error() } })"
    )
    for name in ("pasta_lookup.html", "pasta_lookup-sheet.html", DOUBT, INDEX):
        page.goto((site / name).as_uri())
    assert page.locator("#search").is_visible()
    assert not page.locator("#progress").is_visible()
    page.close()
    assert wrong == []


def test_without_scripts_there_are_texts_and_links(site: Path, chromium: Any) -> None:
    page = chromium.new_page(java_script_enabled=False)
    page.goto((site / INDEX).as_uri())
    assert not page.locator("#search").is_visible()
    page.locator("h3").get_by_role("link", name="Looking Pasta up").click()
    assert page.locator("details.copied").first.is_visible()
    page.get_by_role("link", name="Which number do you doubt?").first.click()
    assert "needs JavaScript" in page.locator("main").inner_text()
    page.close()


def test_the_working_of_a_number_that_somebody_doubts(site: Path, chromium: Any) -> None:
    """By its name; what `attn why` tells of it."""
    name = "weights[Pasta, Food]"
    why = ["why", name, "pasta_lookup", "--depth", "all", "--format", "json"]
    (told,) = json.loads(CliRunner().invoke(app, why).stdout)["cells"]
    with opened(chromium, site / "pasta_lookup.html") as page:
        page.get_by_role("link", name="Which number do you doubt?").first.click()
        page.locator("#cells option").first.wait_for(state="attached")
        page.fill("#cell", f" {name.upper().replace(' ', '')} ")
        page.keyboard.press("Enter")
        while told["from"] and "text" in told["from"][0]:
            line = page.locator(".tree summary").filter(has_text=told["cell"]).first
            assert line.inner_text().replace("\u00a0", " ") == told["text"]
            told = told["from"][0]
            page.locator(".tree summary").filter(has_text=told["cell"] + " =").first.press("Enter")
        assert findings(page) == []
        page.fill("#cell", "weights[Pasta, <b>]")
        page.keyboard.press("Enter")
        wrong = page.locator("#doubt [role=status]").inner_text()
        assert wrong.startswith(
            "“Looking Pasta up” shows no number weights[Pasta, <b>]. It has weights["
        )
        page.set_viewport_size({"width": 360, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
