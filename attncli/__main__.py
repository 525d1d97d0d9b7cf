"""`python -m attncli`, and the entry point of `attn`."""

import gc

_OBJECTS_BEFORE_COLLECTION = 50_000


def main() -> None:
    """Runs the command line.

    Importing makes many objects and little garbage: looking for it less often, from before
    the first import on, starts us sooner.
    """
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTION)
    from attncli.cli import main as run

    run()


if __name__ == "__main__":
    main()
