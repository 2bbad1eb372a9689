# Made by `make generate` from contract/. Do not edit.
"""Client of the bot builder service."""

from . import types, webhooks
from ._api import (
    ApiError,
    Attempt,
    KeyMatchOptions,
    KeyOptions,
    MatchOptions,
    NoResponseError,
    RequestOptions,
    ResponseTimeoutError,
)
from ._async_runtime import AsyncConversation, AsyncDownload, AsyncPages
from ._runtime import Conversation, Download, Pages
from .async_client import AsyncClient
from .client import Client
from .errors import (
    BadRequestError,
    UnauthorizedError,
    ForbiddenError,
    NotFoundError,
    MethodNotAllowedError,
    RequestTimeoutError,
    ConflictError,
    PreconditionFailedError,
    PayloadTooLargeError,
    UnsupportedMediaTypeError,
    IdempotencyMismatchError,
    TooManyRequestsError,
    RequestHeaderFieldsTooLargeError,
    InternalServerError,
    ServiceUnavailableError,
)
from .version import version as __version__

__all__ = [
    "ApiError",
    "AsyncClient",
    "AsyncConversation",
    "AsyncDownload",
    "AsyncPages",
    "Attempt",
    "Client",
    "Conversation",
    "Download",
    "KeyMatchOptions",
    "KeyOptions",
    "MatchOptions",
    "NoResponseError",
    "Pages",
    "RequestOptions",
    "ResponseTimeoutError",
    "__version__",
    "types",
    "webhooks",
    "BadRequestError",
    "UnauthorizedError",
    "ForbiddenError",
    "NotFoundError",
    "MethodNotAllowedError",
    "RequestTimeoutError",
    "ConflictError",
    "PreconditionFailedError",
    "PayloadTooLargeError",
    "UnsupportedMediaTypeError",
    "IdempotencyMismatchError",
    "TooManyRequestsError",
    "RequestHeaderFieldsTooLargeError",
    "InternalServerError",
    "ServiceUnavailableError",
]
