# Made by `make generate` from contract/. Do not edit.
"""Functions of both the synchronous and the asynchronous client."""

from __future__ import annotations

import json
import math
import random
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any
from urllib.parse import quote, urlencode, urlsplit

import httpx

from ._api import ApiError, NoResponseError, Operation
from .errors import classes


@dataclass(frozen=True)
class Call:
    operation: Operation
    target: str
    content: bytes | None
    has_revision: bool
    options: Mapping[str, Any]


@dataclass(frozen=True)
class ParsedResponse:
    body: Any
    response: httpx.Response


def base_of(base_url: str) -> str:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{base_url} is no address: give one such as https://bots.example.com")
    return base_url.rstrip("/")


def call_of(
    operation: Operation,
    ids: Mapping[str, str],
    body: Any = None,
    query: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Call:
    options = options or {}
    if "if_match" in options and options["if_match"] is None:
        raise TypeError("if_match is None: without an entity tag, leave it out")
    has_revision = isinstance(body, Mapping) and "revision" in body
    return Call(operation, _target_of(operation, ids, query or {}), _content_of(body), has_revision, options)


def _target_of(operation: Operation, ids: Mapping[str, Any], query: Mapping[str, Any]) -> str:
    path = operation.path
    for name, value in ids.items():
        # An empty id, or one that proxies resolve as a parent folder, would change the path.
        if not isinstance(value, str) or value in ("", ".", ".."):
            raise ValueError(f"{name} is not an id")
        path = path.replace(f"{{{name}}}", quote(value, safe=""))
    given = {name: _text_of(value) for name, value in query.items() if value is not None}
    if operation.needs:
        if not any(name in given for name in operation.needs):
            raise ValueError(f"{' or '.join(operation.needs)} is missing")
        # The service reads an empty list as no list, which means everything.
        for name in operation.needs:
            if given.get(name) == "":
                raise ValueError(f"{name} is empty")
    return f"{path}?{urlencode(given)}" if given else path


def _text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else ",".join(value) if hasattr(value, "__iter__") else str(value)


def _content_of(body: Any) -> bytes | None:
    if body is None or isinstance(body, bytes):
        return body
    if hasattr(body, "read"):
        file: IO[bytes] = body
        return file.read()
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair: JSON can escape it, but UTF-8 cannot encode it.
        return json.dumps(body, allow_nan=False, separators=(",", ":")).encode()


def headers_of(
    call: Call, key: str | None, token: str | None, version: str, headers: Mapping[str, str]
) -> httpx.Headers:
    operation, options = call.operation, call.options
    content_type = "application/octet-stream" if operation.file else "application/json"
    own = {
        "User-Agent": f"bot-builder-client-python/{version}",
        "Authorization": f"Bearer {token}" if token and not operation.open else None,
        "Content-Type": content_type if call.content is not None else None,
        "Accept": "text/event-stream" if operation.events else None,
        "Idempotency-Key": key,
        "If-Match": options.get("if_match"),
        "Prefer": "return=minimal" if options.get("minimal") else None,
    }
    sent = httpx.Headers({name: value for name, value in own.items() if value is not None})
    sent.update(headers)
    sent.update(options.get("headers", {}))
    return sent


def timeout_of(call: Call, timeout: float | None) -> httpx.Timeout:
    seconds = call.options.get("timeout", call.operation.timeout if timeout is None else timeout)
    return httpx.Timeout(None if seconds == math.inf else seconds)


def new_key() -> str:
    return secrets.token_hex(16)


def is_event_stream(response: httpx.Response) -> bool:
    content_type: str = response.headers.get("content-type", "")
    return content_type.startswith("text/event-stream")


def body_of(response: httpx.Response) -> Any:
    """Parses the JSON of a response that was read."""
    if response.status_code == 304:
        return None
    body = parse_json(response.text)
    if response.is_success and body is not None:
        return body
    raise error_of(response.status_code, response.headers, body, response.text)


def error_of(status: int, headers: httpx.Headers, body: Any, text: str) -> ApiError:
    try:
        code, issues, message = body["code"], list[Any](body["issues"]), body["message"]
        return classes.get(code, ApiError)(status, headers, code, issues, message, text)
    except (KeyError, TypeError):
        return ApiError(status, headers, "UNKNOWN", [], "Not a response of the service", text)


def parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def is_in_progress(error: Exception) -> bool:
    return isinstance(error, ApiError) and any(issue["code"] == "in_progress" for issue in error.issues)


def is_stale(error: ApiError) -> bool:
    return error.status == 409 and not is_in_progress(error)


def is_done_before(error: Exception, call: Call, attempts: int) -> bool:
    """True if a retried deletion got a 404, since the first attempt deleted the record."""
    is_missing = isinstance(error, ApiError) and error.status == 404
    return is_missing and attempts > 0 and call.operation.method == "DELETE"


def wait_after(error: Exception, call: Call, key: str | None, attempts: int) -> float | None:
    """Returns the delay in seconds; None if a retry is unsafe or `Retry-After` exceeds the maximum of a call."""
    operation = call.operation
    is_repeatable = operation.method == "GET" or key is not None or operation.repeatable or call.has_revision
    if not _may_repeat(error, is_repeatable, key is not None):
        return None
    retry_after = error.retry_after if isinstance(error, ApiError) else None
    if retry_after is not None:
        return retry_after if retry_after <= 60 else None
    return min(0.5 * 2.0**attempts, 8.0) * (1 - random.random() / 4)


def _may_repeat(error: Exception, is_repeatable: bool, has_key: bool) -> bool:
    """True if a retry is safe. A 429 means that nothing was done; after other failures it may have taken effect."""
    if not isinstance(error, ApiError):
        return is_repeatable and isinstance(error, NoResponseError)
    if error.status == 429:
        return True
    if error.status == 500:
        return has_key
    return is_repeatable and (error.status in (408, 502, 503, 504) or is_in_progress(error))
