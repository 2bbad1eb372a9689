# Made by `make generate` from contract/. Do not edit.
"""Public types of the client, for both its synchronous and its asynchronous form."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypedDict

import httpx

if TYPE_CHECKING:
    from .types import ErrorIssue


class RequestOptions(TypedDict, total=False):
    """Options of every call."""

    headers: Mapping[str, str]
    """Replace headers of the client with the same name, regardless of case."""

    timeout: float
    """Replaces the timeout of the client."""

    max_retries: int
    """Replaces the maximum of the client."""

    on_response: Callable[[httpx.Response], object]
    """Called with the response that succeeded, for its status and headers."""


class KeyOptions(RequestOptions, total=False):
    """Options of writes that take effect once, even if they are sent several times."""

    idempotency_key: str
    """
    The same key and request get the same response for 7 days. By default every call has a key of its own. Set one if
    the request must take effect once although the program may restart.
    """


class MatchOptions(RequestOptions, total=False):
    """Options of writes that can be limited to one state of the record."""

    if_match: str
    """`ETag` of the record that was read. If it has changed since, the call raises `PreconditionFailedError`."""


class KeyMatchOptions(KeyOptions, MatchOptions, total=False):
    """Options of writes that take both."""


@dataclass(frozen=True)
class Attempt:
    """One attempt of a request, for a log. It has no headers and no body, so no secrets."""

    method: str
    url: str
    attempt: int
    """Counts from 1."""
    seconds: float
    status: int | None = None
    """None if no response arrived."""
    request_id: str | None = None
    error: Exception | None = None
    """None if the attempt succeeded."""


class ApiError(Exception):
    """The service rejected the request, or failed. Every code has a class; unknown codes have this one."""

    status: int
    """Status of the response."""
    code: str
    """Code of the error, such as `NOT_FOUND`; `UNKNOWN` if the response is not from the service."""
    message: str
    """Message of the error for people."""
    issues: list[ErrorIssue]
    """Issues of the request; may be empty."""
    request_id: str | None
    """Id of the request in the log of the service."""
    retry_after: float | None
    """Seconds to wait before a retry, if the service sent `Retry-After`."""
    headers: httpx.Headers
    """Headers of the response."""
    body: str
    """Body of the response as it arrived."""

    def __init__(
        self, status: int, headers: httpx.Headers, code: str, issues: list[ErrorIssue], message: str, body: str
    ) -> None:
        # Stored unchanged, so that `copy` and `pickle` can recreate the error.
        super().__init__(status, headers, code, issues, message, body)
        self.status = status
        self.headers = headers
        self.code = code
        self.issues = issues
        self.message = message
        self.body = body
        self.request_id = headers.get("x-request-id")
        self.retry_after = _seconds_of(headers.get("retry-after"))

    def __str__(self) -> str:
        where = "".join(f" ({'.'.join(issue['path'])}: {issue['message']})" for issue in self.issues[:1])
        return f"{self.status} {self.code}: {self.message}{where}"


class NoResponseError(Exception):
    """No response arrived; `__cause__` has the reason. The request may have taken effect."""


class ResponseTimeoutError(NoResponseError):
    """No response arrived in time. The request may have taken effect."""


@dataclass(frozen=True)
class Operation:
    """Properties of a call of one operation."""

    method: str
    path: str
    key: bool = False
    """True if it takes an idempotency key."""
    open: bool = False
    """True if it takes no token."""
    repeatable: bool = False
    """True if a repeated request has no further effect."""
    file: bool = False
    """True if the body is a file, sent as raw bytes."""
    events: bool = False
    """True if the response is a stream of events."""
    raw: bool = False
    """True if the response is not JSON."""
    entries: str = ""
    """Property of a page that holds its entries."""
    needs: tuple[str, ...] = ()
    """Parameters of the query. One is required, since without them the request would mean everything."""
    timeout: float = 60
    """Default timeout in seconds."""


def _seconds_of(retry_after: str | None) -> float | None:
    if not retry_after:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return None
