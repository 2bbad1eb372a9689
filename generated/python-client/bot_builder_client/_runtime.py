# Made by `make generate` from contract/. Do not edit.
"""Requests, pages, streams, edits and chats of the client."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Callable, Mapping
from time import monotonic
from typing import Any, Generic, TypeVar, Unpack

import httpx
from time import sleep
from httpx_sse import EventSource

from ._api import ApiError, Attempt, NoResponseError, RequestOptions, ResponseTimeoutError
from ._shared import (
    Call,
    ParsedResponse,
    base_of,
    body_of,
    error_of,
    headers_of,
    is_done_before,
    is_event_stream,
    is_in_progress,
    is_stale,
    new_key,
    timeout_of,
    wait_after,
)
from .types import ContinuedChatBody, Message, StartedChatBody
from .version import version

Page = TypeVar("Page", bound=Mapping[str, Any])
Entry = TypeVar("Entry")

Token = str | Callable[[], str]


class Caller:
    def __init__(
        self,
        base_url: str,
        token: Token | None,
        headers: Mapping[str, str],
        timeout: float | None,
        max_retries: int,
        logger: Callable[[Attempt], object] | None,
        http_client: httpx.Client | None,
    ) -> None:
        self._base = base_of(base_url)
        self._token = token
        self._headers = headers
        self._timeout = timeout
        self._max_retries = max_retries
        self._logger = logger
        self._owns_http = http_client is None
        self._http = http_client or httpx.Client()

    def close(self) -> None:
        if self._owns_http:
            self._http.close()

    def call(self, call: Call) -> Any:
        return (self.send(call)).body

    def send(self, call: Call) -> ParsedResponse:
        options = call.options
        key = (options.get("idempotency_key") or new_key()) if call.operation.key else None
        retries: int = options.get("max_retries", self._max_retries)
        running_since: float | None = None
        attempts = 0
        while True:
            try:
                result = self._logged(call, key, attempts + 1)
                break
            except (ApiError, NoResponseError) as error:
                if is_done_before(error, call, attempts):
                    result = ParsedResponse({"message": "success"}, httpx.Response(204))
                    break
                if is_in_progress(error) and running_since is None:
                    running_since = monotonic()
                # Waits for the first request for one timeout, counted from when it was found in progress.
                limit = timeout_of(call, self._timeout).read
                is_running = is_in_progress(error) and (limit is None or monotonic() - (running_since or 0) < limit)
                is_last = attempts >= retries and not (is_running and retries > 0)
                wait = wait_after(error, call, key, attempts)
                if is_last or wait is None:
                    raise
            sleep(wait)
            attempts += 1
        on_response: Callable[[httpx.Response], object] | None = options.get("on_response")
        if on_response:
            on_response(result.response)
        return result

    def _logged(self, call: Call, key: str | None, count: int) -> ParsedResponse:
        if self._logger is None:
            return self._attempt(call, key)
        began = monotonic()
        method, url = call.operation.method, self._base + call.target
        try:
            result = self._attempt(call, key)
        except (ApiError, NoResponseError) as error:
            status, request_id = (error.status, error.request_id) if isinstance(error, ApiError) else (None, None)
            self._logger(Attempt(method, url, count, monotonic() - began, status, request_id, error))
            raise
        status, request_id = result.response.status_code, result.response.headers.get("x-request-id")
        self._logger(Attempt(method, url, count, monotonic() - began, status, request_id))
        return result

    def _attempt(self, call: Call, key: str | None) -> ParsedResponse:
        """Sends a request once. The caller reads and closes a stream."""
        operation = call.operation
        token = self._token() if callable(self._token) else self._token
        timeout = timeout_of(call, self._timeout)
        name = f"{operation.method} {call.target}"
        request = self._http.build_request(
            operation.method,
            self._base + call.target,
            headers=headers_of(call, key, token, version, self._headers),
            content=call.content,
            timeout=timeout,
        )
        try:
            response = self._http.send(request, stream=True)
            if response.is_success and (operation.raw or (operation.events and is_event_stream(response))):
                return ParsedResponse(response, response)
            try:
                if response.is_success and is_event_stream(response):
                    # A caller without a stream gets the last event, which has the whole response.
                    return ParsedResponse(_last_event(response), response)
                response.read()
            finally:
                response.close()
        except httpx.TimeoutException as cause:
            raise ResponseTimeoutError(f"{name} had no response in {timeout.read} s") from cause
        except httpx.RequestError as cause:
            raise NoResponseError(f"{name} had no response") from cause
        return ParsedResponse(body_of(response), response)

    def events(self, call: Call) -> Iterator[Any]:
        """Events of a chat as they arrive. The last one has the whole response. Raises the error of a failed turn."""
        result = self.send(call)
        if not is_event_stream(result.response):
            # If a proxy does not support streams, the response is one JSON body.
            yield {"type": "answer", "answer": result.body}
            return
        try:
            for event in _events(result.response):
                yield event
        except httpx.RequestError as cause:
            raise NoResponseError("The stream broke off") from cause
        finally:
            result.response.close()


def _events(response: httpx.Response) -> Iterator[Any]:
    for sent in EventSource(response).iter_sse():
        if not sent.data:
            continue
        event = json.loads(sent.data)
        if event["type"] == "error":
            raise error_of(event["status"], response.headers, event["error"], json.dumps(event["error"]))
        yield event
        if event["type"] == "answer":
            return
    raise NoResponseError("The stream ended before the last event")


def _last_event(response: httpx.Response) -> Any:
    last: Any = None
    for event in _events(response):
        last = event
    return last["answer"]


class Pages(Generic[Page, Entry]):
    """A list. Iterate over it for the entries of all pages. Each page is requested when it is needed."""

    def __init__(self, get_page: Callable[[str | None], Any], entries: str) -> None:
        self._get_page = get_page
        self._entries = entries

    def first(self) -> Page:
        """Returns the first page only."""
        page: Page = self._get_page(None)
        return page

    def pages(self) -> Iterator[Page]:
        """Iterates over the pages."""
        page = self.first()
        while True:
            yield page
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str):
                return
            page = self._get_page(cursor)

    def __iter__(self) -> Iterator[Entry]:
        for page in self.pages():
            for entry in page[self._entries]:
                yield entry


class Download:
    """A response that is not JSON. `text` and `read` read it whole; a `with` statement streams it in pieces."""

    def __init__(self, send: Callable[[], ParsedResponse]) -> None:
        self._send = send
        self._response: httpx.Response | None = None

    def text(self) -> str:
        return (self.read()).decode()

    def read(self) -> bytes:
        with self as response:
            return response.read()

    def __enter__(self) -> httpx.Response:
        self._response = (self._send()).response
        return self._response

    def __exit__(self, *_: object) -> None:
        if self._response is not None:
            self._response.close()


class Conversation:
    """A chat that stores its session and revision between answers."""

    def __init__(self, started: StartedChatBody, proceed: Callable[..., ContinuedChatBody]) -> None:
        self.session_id = started["sessionId"]
        self.turn: StartedChatBody | ContinuedChatBody = started
        """The latest response."""
        self._proceed = proceed

    def say(self, message: Message, **options: Unpack[RequestOptions]) -> ContinuedChatBody:
        """Sends an answer and returns the next turn."""
        body: dict[str, Any] = {"message": message}
        if "revision" in self.turn:
            body["revision"] = self.turn["revision"]
        turn = self._proceed(self.session_id, body, **options)
        self.turn = turn
        return turn


def edit_bot(
    get: Callable[..., Any],
    update: Callable[..., Any],
    change: Callable[[Any], Any],
    attempts: int,
) -> Any:
    """Reads a bot, applies the change and writes it. If the bot has changed in between, starts again."""
    for attempt in range(1, attempts + 1):
        bot = (get())["bot"]
        version, updated_at = bot["version"], bot["updatedAt"]
        changed = change(bot)
        if not isinstance(changed, Mapping):
            raise TypeError("The change has to return the properties to write")
        try:
            return update({"bot": {"version": version, **changed, "updatedAt": updated_at}})
        except ApiError as error:
            if not is_stale(error) or attempt == attempts:
                raise
        sleep(0.1 * attempt * random.random())
