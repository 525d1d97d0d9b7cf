"""The normalizer and pre-tokenizer of a tokenizer.json, run by Hugging Face's package `tokenizers`.

The package runs in a process of its own (`package_process`), which is ended when its time is over:
of an expression such as `(a+)+$` all ways in which it may match are tried, and nothing ends that
from within.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from attncli.tokenizers import package_process

SECONDS = 5.0
"""The seconds that the package may take for all texts of one tokenizer together. Only its own time
counts, whatever else the machine does."""
LONGEST_TEXT = 100_000
"""The most characters of a text while it is normalized and cut."""
_LONGEST_REASON = 200
_OTHERWISE = "give another tokenizer, or the tokens"
_INSTALL = "install it with: pip install 'attncli[tokenizers]'"


class SavedStepsError(Exception):
    """The error of steps that the package can't do, with what is wrong and what would be right."""

    def __init__(self, wrong: str, right: str) -> None:
        self.wrong, self.right = wrong, right
        super().__init__(wrong)


class SavedSteps:
    """The steps that a tokenizer.json lets a text go through before its words are cut into
    pieces."""

    def __init__(
        self, normalizer: Mapping[str, object] | None, cut: Mapping[str, object] | None
    ) -> None:
        """Takes both as the file has them. Raises SavedStepsError where the package is missing, or
        refuses one of them."""
        if find_spec("tokenizers") is None:
            wrong = "a tokenizer.json takes the package tokenizers, which isn't installed"
            raise SavedStepsError(wrong, _INSTALL)
        self._left = SECONDS
        self._known: dict[tuple[str, str], list[str]] = {}
        self._normalizer = _file("normalizer", normalizer)
        self._cut = _file("pre_tokenizer", cut)
        self._cut_later = _file("pre_tokenizer", _never_first(cut))
        for part, saved in (("normalizer", self._normalizer), ("pre_tokenizer", self._cut)):
            self._answers(part, saved, [""])

    def normalized(self, texts: Sequence[str]) -> list[str]:
        """Returns the texts as the normalizer writes them. Raises SavedStepsError."""
        return [text for (text,) in self._answers("normalizer", self._normalizer, texts)]

    def words(self, text: str, *, first: bool) -> list[str]:
        """Returns the words that the pre-tokenizer cuts a normalized text into; `first` is a part
        with which the whole text begins. Raises SavedStepsError."""
        saved = self._cut if first else self._cut_later
        (words,) = self._answers("pre_tokenizer", saved, [text])
        return [word for word in words if word]

    def _answers(self, step: str, saved: str | None, texts: Sequence[str]) -> list[list[str]]:
        """Returns what a step makes of texts, each of which is asked for once."""
        if saved is None:
            return [[text] for text in texts]
        new = [text for text in dict.fromkeys(texts) if (saved, text) not in self._known]
        if new:
            made = self._asked(step, saved, new)
            self._known |= {(saved, text): some for text, some in zip(new, made, strict=True)}
        return [self._known[saved, text] for text in texts]

    def _asked(self, step: str, saved: str, texts: Sequence[str]) -> list[list[str]]:
        try:
            _check_lengths([text] for text in texts)
            made, seconds = _PROCESS.ask(saved, step, texts, self._left)
        except TimeoutError:
            most = package_process.MOST_BYTES >> 30
            wrong = f"its {step} takes more than {SECONDS:g} seconds, or {most} GiB"
            raise SavedStepsError(wrong, _OTHERWISE) from None
        self._left -= seconds
        if isinstance(made, str):
            reason = re.sub(r" at line 1 column \d+$", "", " ".join(made.split()))
            wrong = f"its {step} is refused by the package tokenizers"
            raise SavedStepsError(f"{wrong} ({reason[:_LONGEST_REASON]})", _OTHERWISE)
        _check_lengths(made)
        return made


def _check_lengths(texts: Iterable[Sequence[str]]) -> None:
    """Raises SavedStepsError where the words of a text have too many characters together."""
    if any(sum(map(len, words)) > LONGEST_TEXT for words in texts):
        wrong = f"the text that it cuts has more than {LONGEST_TEXT:,} characters"
        raise SavedStepsError(wrong, "give a shorter text, or another tokenizer")


def _file(name: str, part: Mapping[str, object] | None) -> str | None:
    """Writes a tokenizer.json of one part, with a model that knows nothing."""
    if part is None:
        return None
    model = {"type": "WordLevel", "vocab": {}, "unk_token": ""}
    return json.dumps({"version": "1.0", "model": model, name: part}, default=float)


def _never_first(part: object) -> Any:  # noqa: ANN401
    """Returns a part of a file as it treats texts with which nothing begins: no `▁` is put before
    them."""
    if isinstance(part, Mapping):
        changed = {"prepend_scheme": "never"} if part.get("prepend_scheme") == "first" else {}
        return {key: _never_first(value) for key, value in part.items()} | changed
    return [*map(_never_first, part)] if isinstance(part, list) else part


class _Process:
    """The process of the package, one for each process that asks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[int, subprocess.Popen[str]] = {}

    def ask(
        self, saved: str, step: str, texts: Sequence[str], seconds: float
    ) -> tuple[list[list[str]] | str, float]:
        """Returns what a step makes of each text, or what is wrong, and how many seconds that took.
        Raises TimeoutError where the process doesn't answer in time."""
        if seconds <= 0:
            raise TimeoutError
        with self._lock:
            line = self._line(json.dumps([saved, step, texts, seconds]), seconds)
        made, took = json.loads(line)
        return made, took

    def _line(self, question: str, seconds: float) -> str:
        process = self._running.get(os.getpid()) or begun()
        self._running = {}  # unless it answers in time
        end = threading.Timer(seconds, process.kill)
        end.start()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(question + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        except BaseException:
            process.kill()
            raise
        finally:
            end.cancel()
        if not line:
            process.kill()
            process.communicate()
            raise TimeoutError
        self._running = {os.getpid(): process}
        return line


def begun() -> subprocess.Popen[str]:
    """Starts the process of the package, and waits until it has imported it. Raises
    SavedStepsError."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", package_process.__file__],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, "TOKENIZERS_PARALLELISM": "false"},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(sys.path) + "\n")
    process.stdin.flush()
    if not process.stdout.readline():
        process.communicate()
        raise SavedStepsError("the package tokenizers can't be imported", _INSTALL)
    return process


_PROCESS = _Process()
