"""Walks every error of every operation, by the table of outcomes that any client can walk."""

import json
from pathlib import Path
from typing import Any

import bot_builder_client as sdk
import httpx
import pytest
from bot_builder_client import Client

here = Path(__file__).parent
table: dict[str, Any] = json.loads((here / "../../../generated/outcomes.json").read_text())
sources: dict[str, str] = {
    sample["operationId"]: sample["source"]
    for sample in json.loads((here / "generated/samples.json").read_text())
}
errors = [
    (operation_id, outcome)
    for operation_id, operation in table["operations"].items()
    for outcome in operation["outcomes"]
    if "code" in outcome
]


@pytest.mark.parametrize(
    ("operation_id", "outcome"),
    errors,
    ids=[f"{operation_id} {outcome['status']} {outcome['example']}" for operation_id, outcome in errors],
)
def test_each_error_comes_as_its_class(
    operation_id: str, outcome: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    response = table["responses"][outcome["response"]]

    def handle(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(outcome["status"], json=response["body"], headers=response["headers"])

    def connect(url: str, token: str | None = None) -> Client:
        http_client = httpx.Client(transport=httpx.MockTransport(handle))
        return Client(url, token=token, max_retries=0, http_client=http_client)

    monkeypatch.setattr(sdk, "Client", connect)
    monkeypatch.setenv("URL", "https://bots.example.com")
    monkeypatch.setenv("TOKEN", "any")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.pdf").write_bytes(b"bytes")
    with pytest.raises(sdk.ApiError) as raised:
        exec(sources[operation_id], {})
    error = raised.value
    words = outcome["code"].title().replace("_", "").removesuffix("Error")
    assert type(error).__name__ == f"{words}Error"
    assert (error.status, error.code) == (outcome["status"], outcome["code"])
    assert error.issues == response["body"]["issues"]
    assert error.retry_after == (1 if "Retry-After" in response["headers"] else None)
