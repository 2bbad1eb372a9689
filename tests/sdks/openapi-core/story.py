"""Reads the document as validators in Python do, and holds requests and the service's responses against it."""

import json
import os
from typing import Any

import requests
import yaml
from openapi_core import OpenAPI
from openapi_core.contrib.requests import RequestsOpenAPIRequest, RequestsOpenAPIResponse

with open("../../../generated/openapi-untagged.yaml", encoding="utf-8") as file:
    document = yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
base = os.environ["BASE_URL"]
openapi = OpenAPI.from_dict({**document, "servers": [{"url": base}]})
print("accept the document")

session = requests.Session()
authorization = {"Authorization": f"Bearer {os.environ['TOKEN']}"}


def hold(method: str, path: str, body: Any = None) -> Any:
    request = requests.Request(method, base + path, headers=authorization, json=body)
    response = session.send(session.prepare_request(request))
    assert response.ok, response.text
    asked = RequestsOpenAPIRequest(request)
    openapi.validate_request(asked)
    openapi.validate_response(asked, RequestsOpenAPIResponse(response))
    return response.json()


def read(name: str) -> Any:
    with open(os.environ[name], encoding="utf-8") as file:
        return json.load(file)


bot = f"/v1/bots/{os.environ['ANSWERED_BOT_ID']}"
result = os.environ["RESULT_IDS"].split(",")[0]
hold("GET", "/v1/workspaces")
hold("GET", bot)
hold("GET", f"{bot}/publishedBot")
hold("GET", f"{bot}/results?limit=2")
hold("GET", f"{bot}/results/{result}")
hold("GET", f"{bot}/results/{result}/transcript")
print("accept what is read")

workspace = hold("POST", "/v1/workspaces", {"name": "Acme"})["workspace"]["id"]
made = hold("POST", "/v1/bots", {"workspaceId": workspace, "bot": read("CURRENT_DOCUMENT")})["bot"]
assert made["groups"] == read("CURRENT_DOCUMENT")["groups"]
hold("PATCH", f"/v1/bots/{made['id']}", {"bot": read("LEGACY_DOCUMENT")})
hold("DELETE", f"/v1/workspaces/{workspace}")
print("accept unknown blocks, sent and answered")
