# Made by `make generate` from contract/. Do not edit.
"""Deliveries of webhooks, for their receivers."""

from __future__ import annotations

from collections.abc import Mapping

from .types import WebhookEvent


def verify(body: str | bytes, headers: Mapping[str, str], secret: str) -> WebhookEvent:
    """
    Verifies that the service signed a delivery, and returns its event. `body` is the raw body, `secret` that of the
    endpoint. Raises an error if the signature is wrong or older than five minutes.
    """
    from standardwebhooks import Webhook

    event: WebhookEvent = Webhook(secret).verify(body, dict(headers))
    return event
