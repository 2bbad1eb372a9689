"""Gets every error of the document from a sandbox, each as the class of its status."""

import importlib
import io
import json
import os
import re
import typing
from typing import Any

from generated.client import AuthenticatedClient
from generated.types import File


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).replace("-", "_").lower()


def body_of(call: dict[str, Any], kind: Any) -> Any:
    """A body is of one class, or of one of several that are told apart by what they take."""
    if isinstance(call["body"], str):
        return File(payload=io.BytesIO(call["body"].encode()))
    for one in (kind, *typing.get_args(kind)):
        try:
            body = one.from_dict(call["body"])
        except (AttributeError, KeyError, TypeError, ValueError):
            continue
        if body.to_dict() == call["body"]:
            return body
    raise AssertionError(f"No class takes the body of {call['operationId']}")


with open(os.environ["CALLS"], encoding="utf-8") as file:
    calls: list[dict[str, Any]] = json.load(file)

client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token="any")
headers = client.get_httpx_client().headers
entered = 0
for call in calls:
    name = snake(call["operationId"])
    send = importlib.import_module(f"generated.api.{snake(call['tag'])}.{name}").sync_detailed
    given = {snake(one["name"]): one["value"] for one in call["parameters"] if "value" in one}
    for error in call["errors"]:
        if "contentType" in call:
            given["body"] = body_of(call, typing.get_type_hints(send)["body"])
        headers["Prefer"] = error["prefer"]
        response = send(client=client, **given)
        parsed, expected = response.parsed, error["body"]
        words = "".join(word.title() for word in error["code"].removesuffix("_ERROR").split("_"))
        place = (name, error["example"], response)
        assert type(parsed).__name__ == f"{words}ErrorBody", place
        assert (response.status_code, parsed.code, parsed.message) == (
            error["status"],
            error["code"],
            expected["message"],
        ), place
        assert [issue.code for issue in parsed.issues] == [issue["code"] for issue in expected["issues"]], place
        entered += 1
print(f"entered {entered} outcomes")
