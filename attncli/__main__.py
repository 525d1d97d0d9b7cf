"""`python -m attncli`, and the entry point of `attn`."""

import gc
import sys

_OBJECTS_BEFORE_COLLECTION = 50_000
_INTERRUPTED = 130
"""What shells say of a command that Ctrl-C ended."""


def main() -> None:
    """Runs the command line.

    Importing makes many objects and little garbage: looking for it less often, from before
    the first import on, starts us sooner.
    """
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTION)
    try:
        from attncli.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
