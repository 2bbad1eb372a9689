"""Gets every error of the document from a sandbox, each as the exception and the model of its status."""

import json
import os
import re
from typing import Any

import service
from service import ApiClient, ApiException, Configuration


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).replace("-", "_").lower()


def given_to(call: dict[str, Any]) -> dict[str, Any]:
    given = {snake(one["name"]): one["value"] for one in call["parameters"] if "value" in one}
    if "bodyType" in call:
        given[snake(call["bodyName"])] = getattr(service, call["bodyType"]).from_dict(call["body"])
    elif "contentType" in call:
        body = call["body"]
        given[snake(call["bodyName"])] = body.encode() if isinstance(body, str) else body
    return given


with open(os.environ["CALLS"], encoding="utf-8") as file:
    calls: list[dict[str, Any]] = json.load(file)

entered = 0
for call in calls:
    words = "".join(word.title() for word in re.split("[ -]", call["tag"]))
    for error in call["errors"]:
        # By itself it sends reads again, three times, after the seconds of Retry-After.
        settings = Configuration(host=os.environ["BASE_URL"], access_token="any", retries=0)
        client = ApiClient(settings, header_name="Prefer", header_value=error["prefer"])
        send = getattr(getattr(service, f"{words}Api")(client), snake(call["operationId"]))
        place = (call["operationId"], error["status"], error["example"])
        try:
            send(**given_to(call))
        except ApiException as refused:
            kind = "".join(word.title() for word in error["code"].removesuffix("_ERROR").split("_"))
            body: Any = refused.data
            assert type(body).__name__ == f"{kind}ErrorBody", (place, refused)
            met = (refused.status, body.code, body.message)
            assert met == (error["status"], error["code"], error["body"]["message"]), (place, met)
            issues = [issue.code for issue in body.issues]
            assert issues == [issue["code"] for issue in error["body"]["issues"]], (place, issues)
        else:
            raise AssertionError(f"{place}: it succeeded")
        entered += 1
print(f"entered {entered} outcomes")
