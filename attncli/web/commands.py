"""The commands of pages in a browser: `attn serve`, `site`."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from attncli.commands.arguments import SCENARIO, Allowed, Output
from attncli.commands.declaring import argument, command, flag, text
from attncli.efforts import Effort
from attncli.errors import UserError


class ServeArguments(NamedTuple):
    """A request to serve a scenario, and where."""

    scenario: Annotated[str, SCENARIO]
    port: Annotated[
        str | None, text("--port", "N", "The port of the page; by default any that is free.")
    ] = None
    no_open: Annotated[bool, flag("--no-open", "Only print the address; open no browser.")] = False
    allowed: Allowed = Allowed()


@command(ServeArguments, effort=Effort(steps=1.5, numbers=12, memory=7), talks=True)
def serve(typed: ServeArguments) -> int:
    """Show a scenario in the browser, as it is saved.

    Numbers that are changed in the page are worked at once, and can be written into the file. The
    page is for this machine only. Ctrl-C ends it. It takes `pip install 'attncli[serve]'`.

    Examples:

      attn serve mine.yaml

      attn serve mine.yaml --port 8000 --no-open
    """
    try:
        from attncli.web.server import serve
    except ImportError:
        wrong = "it needs the packages starlette and uvicorn, which are not installed"
        raise UserError.of("attn serve", wrong, "pip install 'attncli[serve]'") from None
    return serve(typed)


class SiteArguments(NamedTuple):
    """A request for a site: its folder, and whose scenarios it has."""

    folder: Annotated[str, argument("FOLDER", "The folder to write.")]
    from_: Annotated[
        str | None,
        text(
            "--from", "FOLDER", "The scenario files of this folder, in place of the shipped ones."
        ),
    ] = None
    allowed: Allowed = Allowed()
    force: Annotated[bool, flag("--force", "Write over an existing file.")] = False


@command(SiteArguments, effort=Effort(steps=3, numbers=20, memory=8))
def site(typed: SiteArguments) -> Output:
    """Write scenarios as a small website with lessons and sheets.

    It needs no server: begin at its index.html.

    Examples:

      attn site course/

      attn site course/ --from my_scenarios/
    """
    from attncli.web.site import site_of

    return site_of(typed)
