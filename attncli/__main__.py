"""`python -m attncli`, and the entry point of `attn`."""

import atexit
import gc
import os
from typing import NoReturn

_OBJECTS_BEFORE_COLLECTION = 200_000
_INTERRUPTED = 130
"""What shells say of a command that Ctrl-C ended."""


def main() -> NoReturn:
    """Runs the command that the arguments name, and ends the process.

    Importing makes many objects and little garbage, so it is looked for less often, from before
    the first import on. At the end Python would take everything apart, piece by piece, which takes
    a tenth of the time of a short command: after what was registered for the end has run, the
    system takes it all at once. Nothing is lost by that: the standard streams keep nothing back
    (`output_files.standard_streams`), and files are closed when they are written.
    """
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTION)
    try:
        from attncli.cli import app
        from attncli.cli.errors import complaining
        from attncli.output_files import standard_streams

        with standard_streams(), complaining():
            app(prog_name="attn")
    except KeyboardInterrupt:
        _end(_INTERRUPTED)
    except SystemExit as ended:
        if isinstance(ended.code, int):
            _end(ended.code)
        raise
    _end(0)


def _end(status: int) -> NoReturn:
    atexit._run_exitfuncs()  # what Python itself calls at this place
    os._exit(status)


if __name__ == "__main__":
    main()
