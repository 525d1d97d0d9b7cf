"""Files, folders and standard output: whole or not there, whatever happens meanwhile."""

from __future__ import annotations

import io
import itertools
import json
import os
import random
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, suppress
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import settings

from attncli.output_files import OutputError, _FileMove, put_right, settle, write_file, write_files
from tests.conftest import THOROUGH
from tests.helpers.processes import COMMAND, attn

if sys.platform == "win32":
    pytest.skip("signals, locks and limits are those of POSIX", allow_module_level=True)

ROUNDS = settings().max_examples // 12
"""How often each sort of writing is interrupted in each way."""
NAMES = [f"form_{k}.txt" for k in range(30)]
UNFINISHED = ".attn-unfinished-"

ENDLESS = """
import sys, itertools, signal
from attncli.output_files import write_file, write_files
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # what runs tests may ignore these: nohup, a shell
signal.signal(signal.SIGINT, signal.default_int_handler)
place, names = sys.argv[1], sys.argv[2:]
print("ready", flush=True)
for k in itertools.count():
    text = "ab"[k % 2] * 20_000
    if names:
        write_files(place, dict.fromkeys(names, text), force=True)
    else:
        write_file(place, text, force=True)
"""
ONCE = """
import sys
from attncli.output_files import OutputError
from attncli.output_files import write_file, write_files
place, text, names = sys.argv[1], sys.argv[2] * 20_000, sys.argv[3:]
print("ready", flush=True)
sys.stdin.read(1)
try:
    write_files(place, dict.fromkeys(names, text), force=False) if names else write_file(place, text, force=False)
except OutputError as error:
    sys.exit(str(error))
"""


WHOLE = {"PYTHONDONTWRITEBYTECODE": "1"}
"""Where files are cut short, so would Python's own be: it reads them, but writes none."""


def python(
    program: str, *arguments: str | Path, preexec_fn: Callable[[], None] | None = None
) -> subprocess.Popen[str]:
    """A process that runs a program, and has begun to."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **WHOLE},
        preexec_fn=preexec_fn,  # noqa: PLW1509 - it sets a limit, no more
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def version(place: Path) -> str:
    """Which version is there, all of it."""
    texts = {path.read_text() for path in (place.iterdir() if place.is_dir() else (place,))}
    assert texts in ({"a" * 20_000}, {"b" * 20_000}, {"ab" * 10_000})
    return texts.pop()


def refuse(*_: object) -> None:
    raise OSError(38, "Function not implemented")


def interrupted(how: signal.Signals, place: Path, inside: list[str]) -> Iterator[None]:
    """Each time a process that writes without end is ended at a random moment."""
    moments = random.Random(f"{how} {len(inside)}")
    for _ in range(ROUNDS):
        process = python(ENDLESS, place, *inside)
        time.sleep(moments.uniform(0.01, 0.1))
        process.send_signal(how)
        process.communicate()
        assert process.returncode == -how
        yield


STEPWISE = """
import json, os, signal, sys, traceback
from attncli.output_files import write_file, write_files
steps = {"open", "os.mkdir", "os.rename", "os.link", "os.remove", "os.rmdir", "os.chmod"}

def written(how, when, place, text, *names):
    count = 0
    def at_step(event, details):
        nonlocal count
        count += event in steps
        if event in steps and count == int(when):
            os.kill(os.getpid(), getattr(signal, how))
    sys.addaudithook(at_step)
    if len(names) == 2:
        write_file(place + "/" + names[0], text * 2, force=True, beside={names[1]: text * 2})
    elif names:
        write_files(place, dict.fromkeys(names, text * 2), force=True)
    return count

if sys.argv[1:]:
    sys.exit(0 if written(*sys.argv[1:]) else "nothing was written")
for line in sys.stdin:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, str(written(*json.loads(line))).encode())
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    os.close(writing)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps([status, int(os.read(reading, 99) or 0)]), flush=True)
    os.close(reading)
"""
"""Writes texts and sends itself a signal just before a step that changes something on the disk; once,
or in a child for each line that it is given: to start Python anew takes longer than to write."""


class Ended(NamedTuple):
    """How a process that wrote has ended, and after how many steps."""

    status: int
    steps: int


Stepwise = Callable[..., Ended]


@pytest.fixture(scope="module")
def stepwise() -> Iterator[Stepwise]:
    """Writes in a process that gets a signal before one of its steps."""
    with subprocess.Popen(
        [sys.executable, "-c", STEPWISE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **WHOLE},
    ) as process:
        asked, told = process.stdin, process.stdout
        assert asked is not None
        assert told is not None

        def ended(how: str, when: int, place: Path, text: str, *inside: str) -> Ended:
            print(json.dumps([how, when, str(place), text, *inside]), file=asked, flush=True)
            return Ended(*json.loads(told.readline()))

        yield ended


def texts_in(place: Path) -> dict[str, str]:
    """The files in a folder, apart from what is unfinished."""
    return {
        path.relative_to(place).as_posix(): path.read_text()
        for path in place.rglob("*")
        if path.is_file() and UNFINISHED not in str(path.relative_to(place))
    }


@pytest.mark.parametrize(
    "inside", [("a", "deep/b", "c", "new"), ("a", "new")], ids=["folder", "beside"]
)
def test_a_kill_before_each_step_loses_no_file(
    tmp_path: Path, inside: tuple[str, ...], stepwise: Stepwise
) -> None:
    """At each of its places a file is the old one or the new one; what is run next finds all as it
    was, or all new, and leaves nothing unfinished."""
    place = tmp_path / "forms"
    old = {name: "old" for name in inside if name != "new"} | {"mine": "mine"}
    new = {"mine": "mine"} | dict.fromkeys(inside, "bb")
    when = 0
    while True:
        when += 1
        shutil.rmtree(place, ignore_errors=True)
        write_files(str(place), old, force=True)
        done = stepwise("SIGKILL", when, place, "b", *inside)
        after = texts_in(place)
        assert all(after.get(name) in (text, new[name]) for name, text in old.items()), when
        assert after.keys() - old.keys() <= {"new"}
        if done.status == 0:
            assert (after, names(tmp_path)) == (new, ["forms"])
            break
        assert done.status == -signal.SIGKILL
        left = [*place.glob(f"{UNFINISHED}*")]
        again = io.StringIO()
        with redirect_stderr(again):
            put_right(str(place))
        assert [*place.glob(f"{UNFINISHED}*")] == []
        assert texts_in(place) in (old, new), when
        assert again.getvalue().count("attn was killed while it wrote here; ") == len(left)
        assert stepwise("SIGKILL", 0, place, "c", *inside).status == 0
        assert texts_in(place) == {"mine": "mine"} | dict.fromkeys(inside, "cc")
    assert when > 3 * len(inside)  # each file has a few


def test_a_kill_while_a_new_folder_is_filled(tmp_path: Path, stepwise: Stepwise) -> None:
    place, when = tmp_path / "forms", 0
    while stepwise("SIGKILL", when := when + 1, place, "b", "a", "b", "c").status:
        there = place.exists()
        assert not there or texts_in(place) == dict.fromkeys("abc", "bb")
        put_right(str(place))
        assert names(tmp_path) == ["forms"] * there
        shutil.rmtree(place, ignore_errors=True)
    assert texts_in(place) == dict.fromkeys("abc", "bb")


def test_what_was_changed_after_a_kill_stays(tmp_path: Path, stepwise: Stepwise) -> None:
    place, inside = tmp_path / "forms", ("a", "b", "c")
    changed = 0
    for when in itertools.count(1):
        write_files(str(place), dict.fromkeys(inside, "old"), force=True)
        if stepwise("SIGKILL", when, place, "b", *inside).status == 0:
            break
        if texts_in(place)["a"] == "bb":
            (place / "a").write_text("mine")
            changed += 1
            put_right(str(place))
            assert texts_in(place)["a"] == "mine"
            assert {texts_in(place)[name] for name in "bc"} in ({"old"}, {"bb"})
        put_right(str(place))
    assert changed > 3


def test_nothing_outside_of_a_folder_is_put_back(tmp_path: Path) -> None:
    """Somebody may hand out a folder with a stage in it."""
    mine, place = tmp_path / "mine", tmp_path / "handed_out"
    mine.write_text("mine")
    state = mine.stat()
    for k, name in enumerate(("../mine", str(mine), "link/mine", "deep/../../mine")):
        stage = place / f"{UNFINISHED}{k}"
        (stage / "new").mkdir(parents=True)
        (stage / "old").mkdir()
        moves = [(name, state.st_size, state.st_mtime_ns)]
        (stage / "moves.json").write_text(json.dumps(moves))
    (place / "deep").mkdir()
    (place / "link").symlink_to(tmp_path)
    (place / f"{UNFINISHED}theirs").mkdir()
    (place / f"{UNFINISHED}theirs" / "thesis").write_text("not ours")
    put_right(str(place))
    assert mine.read_text() == "mine"
    assert sorted(names(place)) == [f"{UNFINISHED}theirs", "deep", "link"]


@pytest.mark.parametrize("there", [False, True], ids=["new", "there"])
def test_two_that_write_over_a_folder_do_not_mix(
    tmp_path: Path, there: bool, stepwise: Stepwise
) -> None:
    """The second waits where the first one is stopped among its files, at whichever step."""
    place = tmp_path / "forms"
    for _ in range(1 + there):
        steps = stepwise("SIGSTOP", 0, place, "a", *NAMES[:4]).steps
    for when in range(steps // 2, steps, 3 if THOROUGH else 6):
        shutil.rmtree(place)
        if there:
            write_files(str(place), dict.fromkeys(NAMES[:4], "old"), force=True)
        first = subprocess.Popen(
            [sys.executable, "-c", STEPWISE, "SIGSTOP", str(when), str(place), "a", *NAMES[:4]]
        )
        os.waitpid(first.pid, os.WUNTRACED)
        second = subprocess.Popen(
            [sys.executable, "-c", STEPWISE, "SIGSTOP", "0", str(place), "b", *NAMES[:4]]
        )
        with suppress(subprocess.TimeoutExpired):  # it may have nothing to wait for
            second.wait(0.3)
        first.send_signal(signal.SIGCONT)
        assert (first.wait(), second.wait()) == (0, 0)
        assert len({*texts_in(place).values()}) == 1, when
        assert names(place) == sorted(NAMES[:4])
        assert names(tmp_path) == ["forms"]


def test_a_folder_that_another_one_has_is_refused_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    monkeypatch.setattr("attncli.output_files._LONGEST_WAIT", 0.1)
    descriptor = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    with pytest.raises(OutputError, match="another attn is writing there"):
        write_files(str(tmp_path), {"a": "text"}, force=True)
    os.close(descriptor)
    write_files(str(tmp_path), {"a": "text"}, force=True)


HOWS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL]


@pytest.mark.parametrize("how", HOWS)
def test_a_signal_at_any_moment_leaves_the_old_or_the_new(
    tmp_path: Path, how: signal.Signals
) -> None:
    place = tmp_path / "place"
    write_once(place, [])
    for _ in interrupted(how, place, []):
        version(place)
        left = [name for name in names(tmp_path) if name != "place"]
        assert len(left) <= (how == signal.SIGKILL)
        assert all(name.startswith(UNFINISHED) for name in left)
        put_right(str(place))
        assert names(tmp_path) == ["place"]


def write_once(place: Path, inside: list[str]) -> None:
    text = "ab" * 10_000
    if inside:
        write_files(str(place), dict.fromkeys(inside, text), force=False)
    else:
        write_file(str(place), text, force=False)


@pytest.mark.parametrize("how", HOWS)
def test_a_signal_while_a_folder_is_filled(tmp_path: Path, how: signal.Signals) -> None:
    """Only a process that is killed leaves new files and old ones, each of them whole, until the
    next one writes there."""
    place = tmp_path / "place"
    write_once(place, NAMES)
    for _ in interrupted(how, place, NAMES):
        files = [path for path in place.iterdir() if path.is_file()]
        texts = {path.read_text() for path in files}
        assert texts <= {"a" * 20_000, "b" * 20_000, "ab" * 10_000}
        assert names(tmp_path) == ["place"]
        if how == signal.SIGKILL:
            put_right(str(place))
            texts = {path.read_text() for path in place.iterdir()}
        assert len(texts) == 1
        assert names(place) == sorted(NAMES)


def test_a_command_that_is_ended_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    folder = tmp_path / "forms"
    order = ["exercise", "i_love_ai", "--step", "scores", "--forms", "3", "-o", str(folder)]
    assert attn(*order).returncode == 0
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    command = [*COMMAND, *order, "--seed", "2", "--force"]
    moments = random.Random(1)
    for how in HOWS * max(1, ROUNDS // 3):
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        time.sleep(moments.uniform(0.2, 1))
        process.send_signal(how)
        _, error = process.communicate()
        assert process.returncode in (0, -how, *((130,) if how == signal.SIGINT else ()))
        assert b"Traceback" not in error or b" in main" not in error  # else it had not begun
        after = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        assert names(tmp_path) == ["forms"]
        if how != signal.SIGKILL:
            assert after.keys() == before.keys()
            assert sum(before[name] == after[name] for name in before) in (0, len(before))
        else:  # which may leave some files new and some old
            assert attn(*order, "--force").returncode == 0
            assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("inside", [(), NAMES], ids=["file", "folder"])
@pytest.mark.parametrize("there", [False, True], ids=["new", "there"])
def test_of_several_writers_one_wins(tmp_path: Path, inside: list[str], there: bool) -> None:
    place = tmp_path / "place"
    if there and inside:
        place.mkdir()
    writers = [python(ONCE, place, text, *inside) for text in "abab"]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("x")
        writer.stdin.flush()
    errors = [writer.communicate()[1] for writer in writers]
    winners = [k for k, writer in enumerate(writers) if writer.returncode == 0]
    assert len(winners) == 1
    assert version(place)[0] == "abab"[winners[0]]
    assert all("exists already" in error for error in errors if error)
    assert names(tmp_path) == ["place"]


def limited(size: int) -> Callable[[], None]:
    """A disk on which files have so many bytes at most, for a process."""
    import resource

    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("inside", [[], NAMES], ids=["file", "folder"])
@pytest.mark.parametrize("there", [False, True], ids=["new", "there"])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, inside: list[str], there: bool) -> None:
    place = tmp_path / "place"
    if there:
        write_once(place, inside)
    program = ENDLESS if there else ONCE.replace("sys.stdin.read(1)", "")
    arguments = inside if there else ["b", *inside]
    size = random.Random(len(inside)).randrange(1, 20_000)
    process = python(program, place, *arguments, preexec_fn=limited(size))
    _, error = process.communicate()
    assert process.returncode == 1
    assert "can't be written (File too large); choose another place" in error
    assert names(tmp_path) == ["place"] * there
    assert not there or version(place).startswith("ab")


@pytest.mark.parametrize("there", [False, True], ids=["new", "there"])
def test_a_full_disk_leaves_no_scenario_without_its_schema(tmp_path: Path, there: bool) -> None:
    """One of them has room, and the other one hasn't."""
    for name in ("mine.yaml", "attncli.schema.json") if there else ():
        (tmp_path / name).write_text("old")
    result = attn(
        *("new", str(tmp_path / "mine.yaml"), "--force"),
        environment=WHOLE,
        preexec_fn=limited(20_000),
    )
    assert result.returncode == 2
    assert b"mine.yaml: can't be written (File too large); choose another place" in result.stderr
    assert names(tmp_path) == ["attncli.schema.json", "mine.yaml"] * there
    assert {path.read_text() for path in tmp_path.iterdir()} <= {"old"}


def test_what_stands_beside_a_link_is_beside_the_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "near").mkdir()
    link = tmp_path / "near" / "page"
    link.symlink_to(tmp_path / "real" / "page")
    for text in ("one", "two"):
        write_file(str(link), text, force=True, beside={"other": text})
        assert (tmp_path / "real" / "page").read_text() == text
        assert (tmp_path / "near" / "other").read_text() == text
    assert (names(tmp_path / "near"), names(tmp_path / "real")) == (["other", "page"], ["page"])


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_told_of_standard_output(tmp_path: Path, unbuffered: str) -> None:
    out = tmp_path / "out"
    with out.open("wb", buffering=0) as file:
        file.write(b"before\n")
        result = attn(
            *("run", "i_love_ai"),
            stdout=file,
            environment={"PYTHONUNBUFFERED": unbuffered, **WHOLE},
            preexec_fn=limited(1024),
        )
    assert result.returncode == 1
    assert b"standard output: can't be written (File too large)" in result.stderr
    assert out.read_bytes().startswith(b"before\n")


COMMANDS = (
    ("--help",),
    ("--version",),
    ("run", "--help"),
    ("run", "i_love_ai", "--step", "scores"),
    ("explain", "--step", "scores"),
    ("exercise", "i_love_ai", "--step", "scores"),
    ("list", "steps"),
    ("lint", "i_love_ai", "--step", "scores"),
    ("design", "--tokens", "2"),
    ("validate", "i_love_ai"),
    ("new", "-"),
    ("schema",),
    ("help", "rounding"),
    ("run", "no such thing"),
    ("no such command",),
)
WAYS = (">&-", ">/dev/full", "2>&-", "2>/dev/full", ">&- 2>&-", "<&- >&- 2>&-")
"""Streams that are closed or full, as a shell says it."""
CASES = [(words, way, unbuffered) for words in COMMANDS for way in WAYS for unbuffered in ("", "1")]


def test_every_command_is_tried() -> None:
    from attncli.cli import app

    registered = {r.name or r.callback.__name__ for r in app.registered_commands}  # type: ignore[union-attr]
    assert registered <= {words[0] for words in COMMANDS}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_closed_and_full_streams() -> None:
    """A word about it where one can be said, no traceback, and a status that tells."""
    for words, way, unbuffered in random.Random(2).sample(CASES, min(len(CASES), 2 * ROUNDS)):
        result = subprocess.run(
            ["sh", "-c", f'exec "$@" {way}', "sh", *COMMAND, *words],
            capture_output=True,
            check=False,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )
        wrong, silent = words[-1].startswith("no such"), "2>" in way
        lost = " >" in f" {way}"
        assert result.returncode == (2 if wrong else 1 if lost else 0), (words, way)
        assert b"Traceback" not in result.stderr
        assert b"Exception ignored" not in result.stderr
        assert (result.stderr == b"") == silent
        if lost and not wrong and not silent:
            assert result.stderr.startswith(b"standard output: can't be written (")
            assert result.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    "words", [("run", "i_love_ai", "--step", "softmax"), ("list",), ("practice", "i_love_ai")]
)
def test_without_a_standard_input_commands_work(words: tuple[str, ...]) -> None:
    shell = ["sh", "-c", 'exec "$@" <&-', "sh", *COMMAND, *words]
    result = subprocess.run(shell, capture_output=True, check=False, timeout=60)
    assert b"Traceback" not in result.stderr
    assert result.stdout
    assert result.returncode == 0


def test_ctrl_c_before_anything_is_imported() -> None:
    """The entry point says what shells say of an interrupted command, and nothing else."""
    program = (
        "import sys\n"
        "class Impatient:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'attncli.cli': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Impatient())\n"
        "from attncli.__main__ import main\n"
        "main()"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (result.returncode, result.stderr) == (130, b"")


@pytest.mark.parametrize("trouble", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_trouble_at_any_file_undoes_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: BaseException
) -> None:
    folder = tmp_path / "forms"
    folder.mkdir()
    for name in ("a.txt", "mine.md"):
        (folder / name).write_text("old")
    make = _FileMove.make
    for moment in range(1, 4):
        calls = iter(range(1, 5))

        def make_or_not(
            move: _FileMove, *, keep: bool, calls: Iterator[int] = calls, moment: int = moment
        ) -> None:
            if next(calls) == moment:
                raise trouble
            make(move, keep=keep)

        with monkeypatch.context() as patched:
            patched.setattr(_FileMove, "make", make_or_not)
            with pytest.raises((OutputError, KeyboardInterrupt)):
                write_files(
                    str(folder), dict.fromkeys(("a.txt", "b.txt", "c.txt"), "new"), force=True
                )
        assert names(folder) == ["a.txt", "mine.md"]
        assert (folder / "a.txt").read_text() == "old"
        assert names(tmp_path) == ["forms"]


def test_what_else_is_in_a_folder_stays(tmp_path: Path) -> None:
    folder = tmp_path / "forms"
    folder.mkdir()
    folder.chmod(0o750)
    (folder / "a.txt").write_text("old")
    (folder / "a.txt").chmod(0o600)
    (folder / "mine.md").write_text("mine")
    (folder / "link").symlink_to("nowhere")
    mine = (folder / "mine.md").stat()
    for _ in range(2):
        write_files(str(folder), {"a.txt": "new", "b.txt": "new"}, force=True)
        assert (folder / "a.txt").read_text() == (folder / "b.txt").read_text() == "new"
        assert stat.S_IMODE((folder / "a.txt").stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o750
        assert (folder / "mine.md").stat().st_ino == mine.st_ino
        assert (folder / "link").readlink() == Path("nowhere")
        if not (folder / "deeper").exists():
            (folder / "deeper").mkdir()
            (folder / "deeper" / "too.txt").write_text("mine")
    assert names(folder) == ["a.txt", "b.txt", "deeper", "link", "mine.md"]
    assert names(folder / "deeper") == ["too.txt"]
    assert names(tmp_path) == ["forms"]


def test_the_folder_one_works_in_stays_the_one_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = tmp_path.stat().st_ino
    for force in (False, True):
        write_files(".", dict.fromkeys(NAMES, "new"), force=force)
        assert names(Path()) == sorted(NAMES)
    assert tmp_path.stat().st_ino == before


@pytest.mark.parametrize("links", [True, False])
def test_a_system_without_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", refuse)
    page = tmp_path / "page"
    write_file(str(page), "one", force=False)
    for _ in range(2):
        write_file(str(page), "two", force=True)
    (tmp_path / "other").write_text("three")
    with pytest.raises(FileExistsError):
        settle(tmp_path / "other", page)
    assert page.read_text() == "two"
    assert names(tmp_path) == ["other", "page"]


@pytest.mark.parametrize("length", [255, 256, 300, 5000])
def test_names_of_any_length(tmp_path: Path, length: int) -> None:
    place = tmp_path / ("n" * length)
    for write in (file_at, folder_at):
        if length > 255:
            with pytest.raises(OutputError, match="name too long"):
                write(str(place))
            assert names(tmp_path) == []
        else:
            write(str(place))
            write(str(place))
            assert names(tmp_path) == [place.name]
            if place.is_file():
                place.unlink()


def file_at(place: str) -> None:
    write_file(place, "text", force=True)


def folder_at(place: str) -> None:
    write_files(place, {"a": "text"}, force=True)


def test_devices_and_pipes_take_what_comes(tmp_path: Path) -> None:
    write_file(os.devnull, "text", force=False)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_file(str(pipe), "text" * 100_000, force=False)
    reader.join()
    assert read == ["text" * 100_000]
    if Path("/dev/full").exists():
        with pytest.raises(OutputError, match="No space left"):
            write_file("/dev/full", "text", force=False)


@pytest.mark.parametrize("place", ["", " ", "\t", "  "])
def test_a_name_that_nobody_sees_is_none(place: str) -> None:
    for write in (file_at, folder_at):
        with pytest.raises(OutputError, match="names nothing"):
            write(place)


@pytest.mark.parametrize("place", ["''", "' '"])
@pytest.mark.parametrize("command", ["run", "lint", "explain", "exercise", "design", "new"])
def test_no_command_writes_to_no_name(place: str, command: str) -> None:
    from typer.testing import CliRunner

    from attncli.cli import app

    words = {"design": ["-o"], "new": []}.get(command, ["i_love_ai", "-o"])
    result = CliRunner().invoke(app, [command, *words, *shlex.split(place)])
    assert (result.exit_code, result.stdout) == (2, "")
    said = "missing argument 'FILE'" if (command, place) == ("new", "''") else "names nothing"
    assert f"{said}; name " in result.stderr


def test_a_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for place in ("page.md", "./page.md"):
        with pytest.raises(OutputError, match="can't be written"):
            write_file(place, "text", force=False)
    for place in ("forms", "forms/", "."):
        with pytest.raises(OutputError, match="can't be written"):
            write_files(place, {"a": "text"}, force=False)
    monkeypatch.chdir(tmp_path)
    assert names(tmp_path) == []
