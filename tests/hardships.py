"""What becomes of long commands where things go wrong: `python -m tests.hardships --kills 20`.

Commands are killed at random moments, write to a full disk (a small tmpfs, which takes root), two at
once into one folder; a thousand papers are marked; and a served page has two hundred idle connections
and a foreign Origin. It tells what was tried, how often, and what was left behind; its status is 1 if
a file was neither as it was nor as it should be.
"""

from __future__ import annotations

import http.client
import os
import random
import shutil
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

ATTN = (sys.executable, "-m", "attncli")
FORMS = ("exercise", "i_love_ai", "--step", "softmax", "--forms", "12", "--force", "-o")
_UNFINISHED = ".attn-unfinished-"
_FULL = 192
"""Kilobytes of a disk that is soon full."""
_IDLE = 200
_PAPERS = 1000
_LONGEST = 300
"""Seconds that a command may take."""

Files = dict[str, str]
"""The hashes of files by their names."""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*ATTN, *arguments], capture_output=True, text=True, timeout=_LONGEST, check=False
    )


def files_of(folder: Path) -> Files:
    """What is in a folder."""
    return {
        str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def unlike(folder: Path, *known: Files) -> list[str]:
    """Files of a folder that are none of those known, apart from unfinished ones."""
    return [
        name
        for name, content in files_of(folder).items()
        if _UNFINISHED not in name and content not in {some.get(name) for some in known}
    ]


def unfinished(folder: Path) -> int:
    return sum(_UNFINISHED in name for name in files_of(folder))


def killed(folder: Path, times: int) -> Iterator[str]:
    """Forms over other forms, killed at random moments; afterwards the command is run again."""
    draw, old, new = random.Random(1), folder / "old", folder / "new"
    run(*FORMS, str(old), "--seed", "1")
    began = time.monotonic()
    run(*FORMS, str(new), "--seed", "2")
    takes, left, mixed, wrong = time.monotonic() - began, 0, 0, 0
    known = files_of(old), files_of(new)
    for k in range(times):
        place = folder / f"killed{k}"
        shutil.copytree(old, place)
        process = subprocess.Popen(
            [*ATTN, *FORMS, str(place), "--seed", "2"], stdout=subprocess.DEVNULL
        )
        time.sleep(draw.uniform(0, takes) if k % 2 else draw.uniform(takes * 0.8, takes))
        process.kill()
        process.wait()
        wrong += len(unlike(place, *known))
        left += unfinished(place)
        mixed += files_of(place) not in known
        again = run(*FORMS, str(place), "--seed", "2")
        wrong += again.returncode != 0 or unlike(place, known[1]) != []
    yield f"killed {times} times: {wrong} files wrong, {mixed} folders neither old nor new, {left} unfinished files left"
    yield "" if not wrong else "WRONG: killed"


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A disk of few kilobytes. Raises CalledProcessError where none may be mounted."""
    place = folder / "disk"
    place.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={_FULL}k", "tmpfs", str(place)]
    subprocess.run(["mount", *options], check=True, capture_output=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def full_disk(folder: Path, times: int) -> Iterator[str]:
    """Folders and files to a disk on which they have no room."""
    commands: list[Callable[[Path], tuple[str, ...]]] = [
        lambda disk: (*FORMS, str(disk / "forms"), "--format", "html"),
        lambda disk: ("run", "encoder_block", "-o", str(disk / "page.html")),
        lambda disk: ("run", "i_love_ai", "-o", str(disk / "page.pdf")),
    ]
    wrong = 0
    try:
        with small_disk(folder) as disk:
            for k in range(times):
                before = files_of(disk)
                done = run(*commands[k % len(commands)](disk))
                told = done.returncode == 2 and done.stderr.count("\n") == 1
                wrong += not told or files_of(disk) != before
    except subprocess.CalledProcessError:
        yield "full disk: not tried, no disk may be mounted here"
        return
    yield f"full disk, {times} commands: {wrong} left something or weren't told in a line"
    yield "" if not wrong else "WRONG: full disk"


def two_at_once(folder: Path, times: int) -> Iterator[str]:
    """Two commands write their forms into one folder at the same time."""
    known = []
    for seed in "12":
        run(*FORMS, str(folder / seed), "--seed", seed)
        known.append(files_of(folder / seed))
    wrong = mixed = left = 0
    for k in range(times):
        place = folder / f"both{k}"
        both = [
            subprocess.Popen(
                [*ATTN, *FORMS, str(place), "--seed", seed],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            )
            for seed in "12"
        ]  # fmt: skip
        told = [process.communicate()[1] for process in both]
        wrong += len(unlike(place, *known)) + sum("Traceback" in text for text in told)
        mixed += files_of(place) not in known
        left += unfinished(place)
    yield f"two into one folder, {times} times: {wrong} files wrong, {mixed} folders of both, {left} unfinished files left"
    yield "" if not wrong else "WRONG: two at once"


def many_papers(folder: Path) -> Iterator[str]:
    """A class of a thousand."""
    papers = folder / "papers"
    papers.mkdir()
    text = run("exercise", "i_love_ai", "--step", "softmax", "--format", "yaml").stdout
    for k in range(_PAPERS):
        (papers / f"student{k}.yaml").write_text(
            f"student: student{k}\n{text}".replace("student: \n", ""), "utf-8"
        )
    began = time.monotonic()
    done = run("grade", "i_love_ai", str(papers), "-o", str(folder / "marked"))
    took, count = time.monotonic() - began, len(files_of(folder / "marked"))
    yield f"{_PAPERS} papers: status {done.returncode}, {count} files in {took:.0f} s {done.stderr[-200:]}"
    yield "" if done.returncode in (0, 1) and count >= _PAPERS else "WRONG: many papers"


def asked(port: int, path: str, **headers: str) -> int:
    """The status that is answered."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path, headers=headers)
    status = connection.getresponse().status
    connection.close()
    return status


def served(folder: Path) -> Iterator[str]:
    """A page with idle connections, and asked for from elsewhere."""
    file = folder / "served.yaml"
    run("new", str(file))
    command = [*ATTN, "serve", str(file), "--no-open"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split(" at ")[1].split()[0]
        port, path = int(address.split(":")[2].split("/")[0]), "/" + address.split("/", 3)[3]
        time.sleep(1)
        found = {
            "alone": asked(port, path),
            "foreign Origin": asked(port, path, Origin="http://evil.example"),
        }
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(_IDLE)]
        found[f"{_IDLE} idle"] = asked(port, path)
        for one in idle:
            one.close()
        time.sleep(1)
        found["afterwards"] = asked(port, path)
        process.terminate()
        ended = process.wait(20)
    yield f"served: {found}, ended with {ended}"
    right = found["alone"] == found["afterwards"] == 200 and found["foreign Origin"] == 403
    # who comes beyond so many connections is told to come later
    yield "" if right and found[f"{_IDLE} idle"] in (200, 503) else "WRONG: served"


def main() -> int:
    reader = ArgumentParser(prog="python -m tests.hardships")
    reader.add_argument("--kills", type=int, default=20)
    times = reader.parse_args().kills
    trials: list[Callable[[Path], Iterator[str]]] = [
        served,
        lambda folder: full_disk(folder, times),
        lambda folder: killed(folder, times),
        lambda folder: two_at_once(folder, max(1, times // 4)),
        many_papers,
    ]
    wrong = False
    for trial in trials:
        with TemporaryDirectory() as folder:
            for text in filter(None, trial(Path(folder))):
                wrong |= text.startswith("WRONG")
                print(text, flush=True)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
