"""`python -m attncli`, and the entry point of `attn`."""

import gc
import sys

_OBJECTS_BEFORE_COLLECTION = 200_000
_INTERRUPTED = 130
"""What shells say of a command that Ctrl-C ended."""


def main() -> None:
    """Runs the command that the arguments name.

    Importing makes many objects and little garbage, so it is looked for less often, from before
    the first import on. At the end Python would look through everything once more, which takes a
    tenth of the time of a short command: what is frozen is left to the end of the process.
    """
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTION)
    try:
        from attncli.cli import app
        from attncli.writing import standard_streams

        with standard_streams():
            app(prog_name="attn")
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    finally:
        gc.freeze()


if __name__ == "__main__":
    main()
