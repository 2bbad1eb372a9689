"""Deliveries of webhooks, for those who receive them."""

from __future__ import annotations

from collections.abc import Mapping

from .types import WebhookEvent


def verify(body: str | bytes, headers: Mapping[str, str], secret: str) -> WebhookEvent:
    """
    Proves that a delivery was signed by the service, and gives its event. `body` is what came, unparsed; `secret` the
    one that the endpoint was created with. Raises where the signature is wrong or older than five minutes.
    """
    from standardwebhooks import Webhook

    event: WebhookEvent = Webhook(secret).verify(body, dict(headers))
    return event
