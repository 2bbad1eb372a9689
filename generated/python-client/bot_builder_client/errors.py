# Made by `make generate` from contract/. Do not edit.
"""An error for every code of the service."""

from __future__ import annotations

from ._api import ApiError


class BadRequestError(ApiError):
    """The input does not fit the contract, or names something that cannot be. Nothing was changed. Correct what the issues name before sending the request again."""


class UnauthorizedError(ApiError):
    """The Authorization header is missing, or its token is malformed, unknown, expired or revoked. Send a valid token as a Bearer credential."""


class ForbiddenError(ApiError):
    """The caller may not do this to this record, or their token may not do it at all. Ask an admin of the workspace for a higher role; with the issue `missing_scope` or `bound_token`, use another token."""


class NotFoundError(ApiError):
    """The addressed record does not exist, or no longer does. Check the id."""


class MethodNotAllowedError(ApiError):
    """The path exists but does not take this method; the Allow header lists those it takes."""


class RequestTimeoutError(ApiError):
    """The request did not arrive completely in time. Send it again."""


class ConflictError(ApiError):
    """The record was changed since the caller read it, or it exists already. Read it again and repeat the change on the new state."""


class PreconditionFailedError(ApiError):
    """The record is not in the state that `If-Match` or `If-None-Match` requires; nothing was changed. The issue and the header `ETag` have its current tag: read the record again and repeat the change on that state."""


class PayloadTooLargeError(ApiError):
    """The request body is over the limit of the operation, which the issue names."""


class UnsupportedMediaTypeError(ApiError):
    """The request body is not what the operation takes: JSON in UTF-8, sent as Content-Type: application/json, or a file, sent as application/octet-stream; both without a content encoding."""


class IdempotencyMismatchError(ApiError):
    """The Idempotency-Key was sent with another method, path or body before. Nothing was changed. Send another request with another key, and a repeat exactly as the first time."""


class TooManyRequestsError(ApiError):
    """The caller sent too many requests in a window of time or at once, or a record reached its limit of entries. Or an address or the visitors of a bot reached their daily limit of storage. Nothing was done. Wait as many seconds as Retry-After says; with the issue `daily_quota_exceeded` it takes up to a day, and with `quota_exceeded` waiting does not help."""


class RequestHeaderFieldsTooLargeError(ApiError):
    """The request line and headers are over 16 KiB together, or there are more than 100 headers. Send fewer or shorter headers."""


class InternalServerError(ApiError):
    """The service failed. Its log has the details under the request id of the X-Request-Id header."""


class ServiceUnavailableError(ApiError):
    """The database cannot be reached or is overloaded. As a rule nothing was changed; it may have been if the connection to the database was lost at the very end. Try again after Retry-After seconds, a POST or PATCH with the same Idempotency-Key. If something else is missing, an issue names it."""


classes: dict[str, type[ApiError]] = {
    "BAD_REQUEST": BadRequestError,
    "UNAUTHORIZED": UnauthorizedError,
    "FORBIDDEN": ForbiddenError,
    "NOT_FOUND": NotFoundError,
    "METHOD_NOT_ALLOWED": MethodNotAllowedError,
    "REQUEST_TIMEOUT": RequestTimeoutError,
    "CONFLICT": ConflictError,
    "PRECONDITION_FAILED": PreconditionFailedError,
    "PAYLOAD_TOO_LARGE": PayloadTooLargeError,
    "UNSUPPORTED_MEDIA_TYPE": UnsupportedMediaTypeError,
    "IDEMPOTENCY_MISMATCH": IdempotencyMismatchError,
    "TOO_MANY_REQUESTS": TooManyRequestsError,
    "REQUEST_HEADER_FIELDS_TOO_LARGE": RequestHeaderFieldsTooLargeError,
    "INTERNAL_SERVER_ERROR": InternalServerError,
    "SERVICE_UNAVAILABLE": ServiceUnavailableError,
}
