"""What callers of the client give and get, whether they wait or not."""

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
    """What every call takes beside its own arguments."""

    headers: Mapping[str, str]
    """They replace headers of the client with the same name, in any case."""

    timeout: float
    """In place of the one of the client."""

    max_retries: int
    """In place of the one of the client."""

    on_response: Callable[[httpx.Response], object]
    """Called with the response that succeeded, for its status and headers."""


class KeyOptions(RequestOptions, total=False):
    """Of writes that are done once, however often they arrive."""

    idempotency_key: str
    """
    Names the effect: the same key and request give the same answer for 7 days. Every call has a key of its own when
    this is absent; give one for what must be done once although the program may end and start again.
    """


class MatchOptions(RequestOptions, total=False):
    """Of writes that can be made to one state of the record alone."""

    if_match: str
    """The `ETag` of the response that the record was read with. In another state it is a `PreconditionFailedError`."""


class KeyMatchOptions(KeyOptions, MatchOptions, total=False):
    """Of writes that are both."""


@dataclass(frozen=True)
class Attempt:
    """One attempt of a request, for a log. It has no header and no body, so no secret."""

    method: str
    url: str
    attempt: int
    """Counts from 1."""
    seconds: float
    status: int | None = None
    """None where no response came."""
    request_id: str | None = None
    error: Exception | None = None
    """None where the attempt succeeded."""


class ApiError(Exception):
    """The service refused, or failed. There is a class for every code; a code without one has this class."""

    status: int
    """Status of the response."""
    code: str
    """Code of the error, such as `NOT_FOUND`; `UNKNOWN` where something else than the service answered."""
    message: str
    """What is wrong, for people."""
    issues: list[ErrorIssue]
    """What is wrong and where; may be empty."""
    request_id: str | None
    """Names the request in the log of the service."""
    retry_after: float | None
    """After how many seconds to try again, where the service said so."""
    headers: httpx.Headers
    """Headers of the response."""
    body: str
    """The body of the response as it came."""

    def __init__(
        self, status: int, headers: httpx.Headers, code: str, issues: list[ErrorIssue], message: str, body: str
    ) -> None:
        # As they are, so that copies and other processes can make it again.
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
    """No response came: `__cause__` says why. What was asked for may have been done."""


class ResponseTimeoutError(NoResponseError):
    """No response came in time. What was asked for may have been done."""


@dataclass(frozen=True)
class Operation:
    """How one operation is called."""

    method: str
    path: str
    key: bool = False
    """Whether it takes an idempotency key."""
    open: bool = False
    """Whether it takes no token."""
    repeatable: bool = False
    """Whether a repeat does no more than the first request did."""
    file: bool = False
    """Whether the body is a file, sent as it is."""
    events: bool = False
    """Whether the response is a stream of events."""
    raw: bool = False
    """Whether the response is something else than JSON."""
    entries: str = ""
    """The property of a page that holds its entries."""
    needs: tuple[str, ...] = ()
    """The parameters of the query of which one has to be given, since without them it would mean everything."""
    timeout: float = 60
    """Default of the time limit in seconds."""


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
