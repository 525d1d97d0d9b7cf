"""What lasts is shown on a terminal, and nowhere else."""

from __future__ import annotations

import io
import sys
import time
from typing import NamedTuple

import pytest

from attncli.cli.calling import function_of
from attncli.commands import progress
from attncli.commands.arguments import TextOutput
from attncli.commands.declaring import command
from attncli.commands.progress import lasting, show_no_more, watched

LONG = 300
"""Seconds after which nothing comes any more."""


class Screen(io.StringIO):
    """A terminal's standard error."""

    def isatty(self) -> bool:
        return True

    def wait_for(self, text: str) -> None:
        """Waits until it shows a text."""
        end = time.monotonic() + LONG
        while text not in self.getvalue():
            assert time.monotonic() < end, self.getvalue()
            time.sleep(0.01)


@pytest.fixture(name="screen")
def _screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    return Screen()


class Nothing(NamedTuple):
    """What is asked of a command without options."""


def slow(screen: io.StringIO, *, text: str = "") -> object:
    """A command that lasts until it is seen, of any that there may be."""

    def mulling(_: Nothing) -> TextOutput:
        """Lasts."""
        if isinstance(screen, Screen):
            screen.wait_for("attn mulling")
        return TextOutput(text)

    return function_of(command(Nothing)(mulling))(no_pager=True)


def test_any_command_that_lasts_shows_it(
    screen: Screen, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", screen)
    slow(screen, text="the page\n")
    assert capsys.readouterr().out == "the page\n"
    assert screen.getvalue().endswith("\x1b[2K")  # it is taken away


def test_a_pipe_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    slow(pipe)
    with lasting("long"):
        assert [*watched("abc", 3, "Letters")] == ["a", "b", "c"]
    assert pipe.getvalue() == ""


def test_parts_are_counted_in_the_same_line(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", screen)
    with lasting("attn grade"):
        screen.wait_for("attn grade")
        for letter in watched("abcd", 4, "Papers"):
            if letter == "c":
                screen.wait_for("Papers")
    assert screen.getvalue().count("\x1b[?25l") == 1  # one bar, which hides the cursor once


def test_nothing_is_shown_after_it_was_stopped(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", screen)
    with lasting("attn run") as stop:
        screen.wait_for("attn run")
        stop()
        before = screen.getvalue()
        for _ in watched("abcd", 4, "Papers"):
            pass
    assert screen.getvalue() == before


def test_what_is_over_at_once_is_not_shown(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "PATIENCE", float(LONG))
    with lasting("attn run"):
        pass
    assert screen.getvalue() == ""


def test_nothing_is_shown_once_somebody_is_asked(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The question would be written over."""
    monkeypatch.setattr(sys, "stderr", screen)
    with lasting("mulling"):
        screen.wait_for("mulling")
        show_no_more()
        assert screen.getvalue().endswith("\x1b[2K")
        before = screen.getvalue()
        time.sleep(0.2)  # twice as long as a spinner takes to turn
        assert screen.getvalue() == before
