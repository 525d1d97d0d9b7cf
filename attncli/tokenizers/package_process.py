"""The program of the process in which the package `tokenizers` runs; `saved_steps` asks it.

A tokenizer.json that somebody made to do harm may take the package years, or all memory, and where
its Rust panics, it writes to stderr, or ends the process. Here that harms nobody.

The first line of standard input is Python's path; each further one is a question: a tokenizer.json,
the name of one of its steps, texts, and the seconds that the answer may take. An answer is what the
step makes of each text, or what is wrong, and the seconds that it took. It imports nothing of
attncli, so that it starts in the time that the package takes.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache

MOST_BYTES = 2 << 30
_ALARMS = hasattr(signal, "alarm")


def main() -> None:
    """Answers the questions of standard input until it ends."""
    sys.path[:] = json.loads(sys.stdin.readline())
    with suppress(ImportError, OSError, ValueError):  # not every system has limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    from tokenizers import Tokenizer

    saved_as = lru_cache(maxsize=2)(Tokenizer.from_str)
    steps: dict[str, Callable[[str, str], list[str]]] = {
        "normalizer": lambda saved, text: [saved_as(saved).normalizer.normalize_str(text)],
        "pre_tokenizer": lambda saved, text: [
            word for word, _ in saved_as(saved).pre_tokenizer.pre_tokenize_str(text)
        ],
    }
    print("ready", flush=True)
    for line in sys.stdin:
        saved, step, texts, seconds = json.loads(line)
        began = time.process_time()
        if _ALARMS:  # lest it goes on when nobody waits any more
            signal.alarm(int(seconds) + 2)
        answer = _answer(steps[step], saved, texts)
        if _ALARMS:
            signal.alarm(0)
        print(json.dumps([answer, time.process_time() - began]), flush=True)


def _answer(
    step: Callable[[str, str], list[str]], saved: str, texts: Sequence[str]
) -> list[list[str]] | str:
    try:
        return [step(saved, text) for text in texts]
    except Exception as error:
        return str(error)
    except BaseException as error:  # so that it isn't taken for any other, a panic is none of those
        if type(error).__name__ != "PanicException":
            raise
        return str(error)


if __name__ == "__main__":
    main()
