"""The server: this machine only, one secret in its address, one thing worked at a time."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import secrets
import signal
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from attncli.commands.arguments import whole_number
from attncli.errors import UserError
from attncli.formats import RenderOptions, render
from attncli.output_files import encoded, write_out
from attncli.web.page import exercise_links, inside, panels, with_state
from attncli.web.session import ServedScenario

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from attncli.web.commands import ServeArguments

T = TypeVar("T")
LARGEST_BODY = 4096
"""Bytes of a request: a key and a value."""
MOST_AT_ONCE = 128
"""Connections. Who comes beyond them takes the place of one that waits for nothing, and where there
is none is told to come later."""
_OFTEN = 0.25
"""Seconds between two looks at the file."""
_PATIENCE = 2
"""Seconds that answers have to end when the server does."""
_SILENCE = 5
"""Seconds that a request may take to come, and that a connection may wait for its next one."""
_HEADERS = {
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class PageServer:
    """A server of a session to a browser, at an address that has a secret in it."""

    def __init__(self, session: ServedScenario, listening: socket.socket) -> None:
        self.session = session
        self.port = listening.getsockname()[1]
        self.token = secrets.token_urlsafe(24)
        self.address = f"http://127.0.0.1:{self.port}/{self.token}/"
        self._listening = listening
        self._one, self._telling = asyncio.Lock(), asyncio.Lock()
        self._server = _Server(
            uvicorn.Config(
                Guard(self._routes(), self.port, self.token),
                http=Connection,
                ws="none",
                log_config=None,
                access_log=False,
                limit_concurrency=MOST_AT_ONCE,
                timeout_keep_alive=_SILENCE,
                timeout_graceful_shutdown=_PATIENCE,
                server_header=False,
                headers=[*_HEADERS.items()],
            )
        )

    def run(self) -> None:
        """Serves until somebody ends it."""
        self._server.run(sockets=[self._listening])

    def stop(self) -> None:
        """Ends `run`, which is in another thread."""
        self._server.should_exit = True

    def _routes(self) -> Starlette:
        at = f"/{self.token}/"
        acts = ("write", "undo", "drop")
        return Starlette(
            routes=[
                Route(at, self._page),
                Route(f"{at}version", self._version),
                Route(f"{at}change", self._change, methods=["POST"]),
                *(Route(f"{at}{act}", self._act, methods=["POST"], name=act) for act in acts),
                Route(f"{at}panel/{{panel}}", self._panel),
                Route(f"{at}exercise/{{file}}", self._exercise),
            ],
            lifespan=self._following,
            exception_handlers={UserError: self._wrong},
        )

    @asynccontextmanager
    async def _following(self, _: Starlette) -> AsyncIterator[None]:
        task = asyncio.create_task(self._follow())
        yield
        task.cancel()

    async def _follow(self) -> None:
        while True:
            await self._do(self.session.follow)
            await asyncio.sleep(_OFTEN)

    async def _do(self, act: Callable[..., T], *given: object) -> T:
        """Does one act after the other, so that nobody sees half of anything; returns what it
        does."""
        async with self._one:
            return await _in_thread(act, *given)

    async def _tell(self, told: Callable[..., T], *given: object) -> T:
        """Returns what is told of what was worked, which stays as it is meanwhile: it waits for no
        act, as they may take long."""
        async with self._telling:
            return await _in_thread(told, *given)

    async def _page(self, _: Request) -> Response:
        return HTMLResponse(encoded(with_state(self.session)))

    async def _version(self, _: Request) -> Response:
        """Returns the version, which each tab asks for again and again: a stream for each would
        take all connections that a browser has for one server, six of them, and the next tab would
        never come."""
        return PlainTextResponse(str(self.session.version))

    async def _change(self, request: Request) -> Response:
        try:
            asked = json.loads(await asyncio.wait_for(_body(request), _SILENCE))
            key, value = asked["key"], asked["value"]
            if not (isinstance(key, str) and isinstance(value, str)):
                raise TypeError
        except (ValueError, TypeError, KeyError, RecursionError, ClientDisconnect):
            return JSONResponse({"wrong": "send a key and a value"}, 400)
        except TimeoutError:
            raise HTTPException(408, headers={"connection": "close"}) from None
        return await self._answer(self.session.change, key, value)

    async def _act(self, request: Request) -> Response:
        return await self._answer(getattr(self.session, request.url.path.rpartition("/")[2]))

    async def _answer(self, act: Callable[..., None], *given: str) -> Response:
        await self._do(act, *given)
        return JSONResponse({"version": self.session.version})

    async def _panel(self, request: Request) -> Response:
        panel, cell = request.path_params["panel"], request.query_params.get("cell", "")
        if panel not in panels():
            return Response(status_code=404)
        return HTMLResponse(encoded(await self._tell(self._panel_html, panel, cell)))

    def _panel_html(self, panel: str, cell: str) -> str:
        if panel == "exercise":
            return exercise_links(self.session.exercise())
        page = self.session.why(cell) if panel == "why" else getattr(self.session, panel)()
        return inside(render(page, "html", RenderOptions()))

    async def _wrong(self, _: Request, error: Exception) -> Response:
        """Returns the answer to what can't be done as it is asked for."""
        told = self.session.told(error) if isinstance(error, UserError) else str(error)
        return JSONResponse({"wrong": told}, 409)

    async def _exercise(self, request: Request) -> Response:
        texts = await self._tell(self.session.exercise)
        text = texts.get(request.path_params["file"])
        return Response(status_code=404) if text is None else HTMLResponse(encoded(text))


async def _body(request: Request) -> bytes:
    """Reads what a request sends. Raises HTTPException for more than it should be."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_BODY:  # no more of it is read
            raise HTTPException(413, headers={"connection": "close"})
    return body


async def _in_thread(act: Callable[..., T], *given: object) -> T:
    """Does something in a thread that the end of the program doesn't wait for."""
    done: Future[T] = Future()
    done.set_running_or_notify_cancel()

    def work() -> None:
        try:
            done.set_result(act(*given))
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return await asyncio.wrap_future(done)


class _Server(uvicorn.Server):
    """A server that ends in one way, however often it is told to."""

    def handle_exit(self, _sig: int, _frame: FrameType | None) -> None:
        """Ends it; answers that are being made have some time."""
        self.should_exit = True


class Connection(H11Protocol):
    """A connection that ends where nothing is asked for over it."""

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401
        """Begins to wait for a request; where there are too many, another ends."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._waiting = self.loop.call_later(_SILENCE, self._end_waiting)
        if len(self.connections) >= MOST_AT_ONCE:
            self._take_a_place()

    def _take_a_place(self) -> None:
        """Ends the connection that waits longest, if another one does."""
        others = (one for one in self.connections if isinstance(one, Connection))
        idle = [one for one in others if one.is_idle and one is not self]
        if idle:
            min(idle, key=lambda one: one._since).end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Waits for nothing any more."""
        self._waiting.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Begins to wait for the next request."""
        self._since = self.loop.time()
        super().on_response_complete()

    @property
    def is_idle(self) -> bool:
        """Tells whether no request has come that is yet to be answered."""
        return self.cycle is None or self.cycle.response_complete

    def end(self) -> None:
        """Ends it without an answer."""
        self.connections.discard(self)
        self.transport.abort()

    def _end_waiting(self) -> None:
        """Ends it if it has waited too long, or looks again when it will have: a part of a request
        that comes now and then doesn't count."""
        waited = self.loop.time() - self._since
        if self.is_idle and waited >= _SILENCE:
            self.end()
            return
        left = _SILENCE - waited if self.is_idle else _SILENCE
        self._waiting = self.loop.call_later(left, self._end_waiting)


class Guard:
    """A guard that refuses whoever isn't the page itself: another host's name (one that somebody
    has pointed to this machine), another origin, no secret."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self._app, self._token = app, token.encode()
        self._hosts = [f"{name}:{port}" for name in ("127.0.0.1", "localhost")]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = self._refused(scope) if scope["type"] == "http" else 0
        await (Response(status_code=refused) if refused else self._app)(scope, receive, send)

    def _refused(self, scope: Scope) -> int:
        """Returns the status that a request is refused with, 0 where it isn't."""
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 421
        if any(origin != f"http://{hosts[0]}" for origin in origins):
            return 403
        root, _, rest = scope["path"].partition("/")
        token = rest.partition("/")[0].encode(errors="replace")
        return 0 if not root and hmac.compare_digest(token, self._token) else 403


def listening_at(port: int) -> socket.socket:
    """Opens a socket that this machine alone can reach; port 0 is any that is free. Raises
    UserError."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen(MOST_AT_ONCE)
    except OSError as error:
        listening.close()
        right = "choose another one, or none for any that is free"
        raise UserError.of(f"--port {port}", f"can't be used ({error.strerror})", right) from None
    return listening


def serve(typed: ServeArguments) -> int:
    """Serves a scenario until Ctrl-C. Raises UserError."""
    port = 0 if typed.port is None else whole_number("--port", typed.port, 1, 65535)
    session = ServedScenario(typed)
    session.read()  # which says what is meant by a name that no file has
    server = PageServer(session, listening_at(port))
    write_out(f"{session.path.name} is shown at {server.address} (Ctrl-C ends it)\n")
    # what others send, and answers that are cut off in the end, are nothing to tell
    logging.getLogger("uvicorn").addHandler(logging.NullHandler())
    logging.getLogger("uvicorn").propagate = False
    signal.signal(signal.SIGINT, lambda *_: server.stop())  # before, and once more after it has run
    with TemporaryDirectory(prefix="attn-") as folder:
        if not typed.no_open:
            page = _leading_to(server.address, Path(folder)).as_uri()
            # some come back only when the browser is closed
            threading.Thread(target=webbrowser.open, args=[page], daemon=True).start()
        server.run()
    write_out("attn serve has ended\n")
    return 0


def _leading_to(address: str, folder: Path) -> Path:
    """Writes a page that leads to an address: all who are on a machine may see what a browser is
    called with, and only its owner what is in such a folder."""
    page = folder / "page.html"
    page.write_text(f'<meta http-equiv="refresh" content="0; url={address}">\n')
    return page
