"""The server: this machine only, one secret in its address, one thing worked at a time."""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from attncli.errors import UserError
from attncli.formats import RenderOptions, render
from attncli.library.arguments import ServeArguments, whole_number
from attncli.output_files import encoded, write_out
from attncli.serving.page import PANELS, exercise_links, inside, with_state
from attncli.serving.session import ServedScenario

T = TypeVar("T")
LARGEST_BODY = 4096
"""Bytes of a request: a key and a value."""
MOST_AT_ONCE = 128
"""Connections, streams among them; who comes beyond them is told to come later."""
_OFTEN = 0.25
"""Seconds between two looks at the file."""
_PATIENCE = 2
"""Seconds that answers have to end when the server does."""
_HEADERS = {
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class PageServer:
    """A session in a browser, at an address that has a secret in it."""

    def __init__(self, session: ServedScenario, listening: socket.socket) -> None:
        self.session = session
        self.port = listening.getsockname()[1]
        self.token = secrets.token_urlsafe(24)
        self.address = f"http://127.0.0.1:{self.port}/{self.token}/"
        self._listening = listening
        self._one, self._telling = asyncio.Lock(), asyncio.Lock()
        self._server = uvicorn.Server(
            uvicorn.Config(
                Guard(self._routes(), self.port, self.token),
                ws="none",
                log_config=None,
                access_log=False,
                limit_concurrency=MOST_AT_ONCE,
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
                Route(f"{at}events", self._events),
                Route(f"{at}change", self._change, methods=["POST"]),
                *(Route(f"{at}{act}", self._act, methods=["POST"], name=act) for act in acts),
                Route(f"{at}panel/{{panel}}", self._panel),
                Route(f"{at}exercise/{{file}}", self._exercise),
            ],
            lifespan=self._following,
            exception_handlers={UserError: _wrong},
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

    async def _do(self, act: Callable[..., T], *given: Any) -> T:  # noqa: ANN401
        """One after the other, so that nobody sees half of anything."""
        async with self._one:
            return await _in_thread(act, *given)

    async def _tell(self, told: Callable[..., T], *given: Any) -> T:  # noqa: ANN401
        """What is told of what was worked, which stays as it is meanwhile: it waits for no act, as
        they may take long."""
        async with self._telling:
            return await _in_thread(told, *given)

    # -- what is answered --------------------------------------------------------------------------

    async def _page(self, _: Request) -> Response:
        return HTMLResponse(encoded(with_state(self.session)))

    async def _events(self, _: Request) -> Response:
        return StreamingResponse(self._versions(), media_type="text/event-stream")

    async def _versions(self) -> AsyncIterator[str]:
        """The number of each version, as long as there is a server."""
        told = None
        while not self._server.should_exit:
            if told != self.session.version:
                told = self.session.version
                yield f"data: {told}\n\n"
            await asyncio.sleep(_OFTEN / 4)

    async def _change(self, request: Request) -> Response:
        body = b""
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST_BODY:  # no more of it is read
                    raise HTTPException(413, headers={"connection": "close"})
            asked = json.loads(body)
            key, value = asked["key"], asked["value"]
            if not (isinstance(key, str) and isinstance(value, str)):
                raise TypeError
        except (ValueError, TypeError, KeyError, RecursionError, ClientDisconnect):
            return JSONResponse({"wrong": "send a key and a value"}, 400)
        return await self._answer(self.session.change, key, value)

    async def _act(self, request: Request) -> Response:
        return await self._answer(getattr(self.session, request.url.path.rpartition("/")[2]))

    async def _answer(self, act: Callable[..., None], *given: str) -> Response:
        await self._do(act, *given)
        return JSONResponse({"version": self.session.version})

    async def _panel(self, request: Request) -> Response:
        panel, cell = request.path_params["panel"], request.query_params.get("cell", "")
        if panel not in PANELS:
            return Response(status_code=404)
        return HTMLResponse(encoded(await self._tell(self._told, panel, cell)))

    def _told(self, panel: str, cell: str) -> str:
        if panel == "exercise":
            return exercise_links(self.session.exercise())
        page = self.session.why(cell) if panel == "why" else getattr(self.session, panel)()
        return inside(render(page, "html", RenderOptions()))

    async def _exercise(self, request: Request) -> Response:
        texts = await self._tell(self.session.exercise)
        text = texts.get(request.path_params["file"])
        return Response(status_code=404) if text is None else HTMLResponse(encoded(text))


async def _in_thread(act: Callable[..., T], *given: Any) -> T:  # noqa: ANN401
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


async def _wrong(_: Request, error: Exception) -> Response:
    """What can't be done as it is asked for."""
    return JSONResponse({"wrong": str(error)}, 409)


class Guard:
    """Refuses whoever isn't the page itself: another host's name (one that somebody has pointed to
    this machine), another origin, no secret."""

    def __init__(self, app: Any, port: int, token: str) -> None:  # noqa: ANN401
        self._app, self._token = app, token.encode()
        self._hosts = [f"{name}:{port}" for name in ("127.0.0.1", "localhost")]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401
        refused = self._refused(scope) if scope["type"] == "http" else 0
        await (Response(status_code=refused) if refused else self._app)(scope, receive, send)

    def _refused(self, scope: Any) -> int:  # noqa: ANN401
        """The status that a request is refused with, 0 where it isn't."""
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 421
        if any(origin != f"http://{hosts[0]}" for origin in origins):
            return 403
        token = scope["path"].split("/")[1].encode(errors="replace")
        return 0 if hmac.compare_digest(token, self._token) else 403


def listening_at(port: int) -> socket.socket:
    """A socket that this machine alone can reach; port 0 is any that is free. Raises UserError."""
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
    if not typed.no_open:
        webbrowser.open(server.address)
    with suppress(KeyboardInterrupt):
        server.run()
    write_out("attn serve has ended\n")
    return 0
