"""Holds the client to its handling of responses, which a script gives in place of a service."""

import inspect
import json
import math
import pickle
import re
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import anyio
import bot_builder_client as sdk
import httpx
import pytest
from bot_builder_client import AsyncClient, Client, webhooks
from bot_builder_client.types import Bot, BotChange
from standardwebhooks import Webhook, WebhookVerificationError

Response = httpx.Response | Exception
responses: list[Response] = []
sent: list[httpx.Request] = []
waits: list[float] = []

address = "https://bots.example.com/here/"
bot = {"id": "b", "version": "6.1", "name": "Quote", "updatedAt": "2026-03-04T10:15:30.120Z"}


def handle(request: httpx.Request) -> httpx.Response:
    sent.append(request)
    response = responses.pop(0) if responses else httpx.Response(200, json={})
    if isinstance(response, Exception):
        raise response
    return response


transport = httpx.MockTransport(handle)
client = Client(address, token="secret-token", http_client=httpx.Client(transport=transport))


def refusal(
    status: int, code: str, issue: str | None = None, headers: dict[str, str] | None = None
) -> httpx.Response:
    issues = [{"path": ["body", "name"], "code": issue, "message": "Bad"}] if issue else []
    body = {"code": code, "message": "No", "issues": issues}
    return httpx.Response(status, json=body, headers={"X-Request-Id": "request-1", **(headers or {})})


def busy() -> httpx.Response:
    return refusal(503, "SERVICE_UNAVAILABLE", headers={"Retry-After": "7"})


def reset() -> Exception:
    return httpx.ReadError("reset")


def targets() -> list[str]:
    return [f"{request.method} {request.url.raw_path.decode().removeprefix('/here')}" for request in sent]


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    responses.clear()
    sent.clear()
    waits.clear()

    async def wait(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("bot_builder_client._runtime.sleep", waits.append)
    monkeypatch.setattr("bot_builder_client._async_runtime.sleep", wait)


# Requests


def test_requests_have_the_path_of_the_address_escaped_ids_and_the_query() -> None:
    client.results.list("a/b", limit=2, status="started").first()
    client.bots.get("b", migrate_to_latest_version=True)
    assert targets() == [
        "GET /v1/bots/a%2Fb/results?limit=2&status=started",
        "GET /v1/bots/b?migrateToLatestVersion=true",
    ]
    assert sent[0].headers["authorization"] == "Bearer secret-token"
    assert sent[0].content == b"" and "content-type" not in sent[0].headers
    assert sent[0].headers["user-agent"] == f"bot-builder-client-python/{sdk.__version__}"


def test_requests_take_a_token_of_a_function_each_time() -> None:
    tokens = iter(["one", "two"])
    asking = Client(address, token=lambda: next(tokens), http_client=httpx.Client(transport=transport))
    asking.workspaces.list().first()
    asking.workspaces.list().first()
    assert [request.headers["authorization"] for request in sent] == ["Bearer one", "Bearer two"]


def test_chats_are_started_without_a_token() -> None:
    client.chat.start("p")
    assert "authorization" not in sent[0].headers


def test_headers_of_a_call_replace_those_of_the_client_in_any_case() -> None:
    tracing = Client(
        address, headers={"X-Trace": "1", "X-Kept": "1"}, http_client=httpx.Client(transport=transport)
    )
    tracing.bots.update(
        "b",
        {"bot": {"version": "6.1"}},
        headers={"x-trace": "2"},
        if_match='"tag"',
        idempotency_key="mine",
        minimal=True,
    )
    names = ["x-trace", "x-kept", "if-match", "idempotency-key", "prefer", "content-type"]
    assert [sent[0].headers[name] for name in names] == [
        "2",
        "1",
        '"tag"',
        "mine",
        "return=minimal",
        "application/json",
    ]
    assert sent[0].content == b'{"bot":{"version":"6.1"}}'


@pytest.mark.parametrize("id", ["", ".", "..", None])
def test_requests_are_not_made_with_what_is_no_id(id: Any) -> None:
    with pytest.raises(ValueError):
        client.bots.delete(id)
    assert sent == []


def test_requests_are_not_made_to_what_is_no_address() -> None:
    with pytest.raises(ValueError):
        Client("bots.example.com")


def test_all_results_are_never_deleted_by_an_argument_that_is_not_there() -> None:
    nothing: list[Any] = [None, "", []]
    for ids in nothing:
        with pytest.raises(ValueError):
            client.results.delete("b", result_ids=ids)
    with pytest.raises(ValueError):
        client.results.delete("b")  # type: ignore[call-overload] # pyright: ignore
    client.results.delete("b", result_ids=["c", "d"])
    client.results.delete("b", created_before="2026-03-01T00:00:00Z")
    client.results.delete_all("b")
    assert [target.rsplit("/", 1)[1] for target in targets()] == [
        "results?resultIds=c%2Cd",
        "results?createdBefore=2026-03-01T00%3A00%3A00Z",
        "results",
    ]


def test_an_entity_tag_that_is_none_is_refused() -> None:
    with pytest.raises(TypeError):
        client.bots.delete("b", if_match=None)  # type: ignore[arg-type] # pyright: ignore
    assert sent == []


def test_bodies_keep_every_text() -> None:
    client.workspaces.create({"name": "ü\ud800"})
    client.workspaces.create({"name": "ü"})
    assert json.loads(sent[0].content)["name"] == "ü\ud800"
    assert sent[1].content == '{"name":"ü"}'.encode()
    with pytest.raises(ValueError):
        client.workspaces.create({"name": math.nan})  # type: ignore[typeddict-item] # pyright: ignore


def test_files_are_sent_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "plan.pdf"
    path.write_bytes(b"bytes")
    client.files.upload("s", b"bytes", file_name="plan.pdf")
    with path.open("rb") as file:
        client.files.upload("s", file, file_name="a b.pdf")
    assert [request.content for request in sent] == [b"bytes", b"bytes"]
    assert sent[1].headers["content-type"] == "application/octet-stream"
    assert targets()[1] == "POST /api/v1/sessions/s/uploads?fileName=a+b.pdf"


def test_time_limits_are_those_of_the_operation_of_the_client_and_of_the_call() -> None:
    patient = Client(address, timeout=5, http_client=httpx.Client(transport=transport))
    client.workspaces.list().first()
    client.chat.start("p")
    client.files.upload("s", b"", file_name="a")
    patient.chat.start("p")
    patient.chat.start("p", timeout=math.inf)
    limits = [request.extensions["timeout"]["read"] for request in sent]
    assert limits == [60, 150, 600, 5, None]


samples: list[dict[str, str]] = json.loads(Path(__file__).with_name("generated").joinpath("samples.json").read_text())


@pytest.mark.parametrize("sample", samples, ids=[sample["operationId"] for sample in samples])
def test_samples_of_the_reference_send_their_request(
    sample: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def connect(url: str, token: str | None = None) -> Client:
        return Client(url, token=token, http_client=httpx.Client(transport=transport))

    monkeypatch.setattr(sdk, "Client", connect)
    monkeypatch.setenv("URL", "https://bots.example.com/here")
    monkeypatch.setenv("TOKEN", "secret-token")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.pdf").write_bytes(b"bytes")
    # It raises, since the response is an error; what was sent counts.
    responses[:] = [refusal(400, "BAD_REQUEST")]
    with pytest.raises(sdk.BadRequestError):
        exec(sample["source"], {})
    path = re.sub(r"\\\{\w+\\\}", "[^/?]+", re.escape(sample["path"]))
    assert re.fullmatch(f"{sample['method']} {path}([?].*)?", targets()[0])


# Responses


def test_responses_come_with_their_headers_to_those_who_ask() -> None:
    responses[:] = [httpx.Response(200, json={"bot": bot}, headers={"ETag": '"tag"'})]
    seen: list[httpx.Response] = []
    assert client.bots.get("b", on_response=seen.append)["bot"]["name"] == "Quote"
    assert seen[0].headers["etag"] == '"tag"'


def test_a_304_has_no_body() -> None:
    responses[:] = [httpx.Response(304)]
    seen: list[httpx.Response] = []
    assert client.bots.get("b", headers={"If-None-Match": '"tag"'}, on_response=seen.append) is None
    assert seen[0].status_code == 304


def test_errors_have_their_class_and_what_the_service_said() -> None:
    responses[:] = [refusal(404, "NOT_FOUND", "unknown_bot", {"X-Via": "proxy"})]
    with pytest.raises(sdk.NotFoundError) as raised:
        client.bots.get("b")
    error = raised.value
    assert str(error) == "404 NOT_FOUND: No (body.name: Bad)"
    assert (error.status, error.code, error.request_id, error.headers["x-via"]) == (
        404,
        "NOT_FOUND",
        "request-1",
        "proxy",
    )
    assert error.issues[0]["code"] == "unknown_bot"
    again: sdk.NotFoundError = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.headers["x-via"]) == (sdk.NotFoundError, str(error), "proxy")


@pytest.mark.parametrize(
    "response",
    [
        httpx.Response(502, text="<h1>Bad gateway</h1>"),
        httpx.Response(200, text="<h1>Welcome</h1>"),
        httpx.Response(418, json={"code": "TEAPOT", "message": "New", "issues": []}),
        httpx.Response(400, json=["odd"]),
    ],
)
def test_what_is_no_response_of_the_service_is_an_error_too(response: httpx.Response) -> None:
    responses[:] = [response]
    with pytest.raises(sdk.ApiError) as raised:
        client.bots.get("b", max_retries=0)
    assert type(raised.value) is sdk.ApiError
    assert (raised.value.status, raised.value.body) == (response.status_code, response.text)


def test_a_download_is_read_whole_or_piece_by_piece() -> None:
    responses[:] = [httpx.Response(200, text="a,b\n"), httpx.Response(200, text="a,b\nc,d\n")]
    assert client.results.export("b").text() == "a,b\n"
    with client.results.export("b") as response:
        assert list(response.iter_lines()) == ["a,b", "c,d"]
    responses[:] = [refusal(404, "NOT_FOUND")]
    with pytest.raises(sdk.NotFoundError):
        client.results.export("b").read()


def test_a_logger_is_told_of_every_attempt_without_a_secret() -> None:
    lines: list[sdk.Attempt] = []
    logging = Client(
        address, token="secret-token", logger=lines.append, http_client=httpx.Client(transport=transport)
    )
    responses[:] = [busy(), reset()]
    logging.workspaces.list().first()
    assert [(line.attempt, line.status, line.request_id) for line in lines] == [
        (1, 503, "request-1"),
        (2, None, None),
        (3, 200, None),
    ]
    assert [type(line.error) for line in lines] == [
        sdk.ServiceUnavailableError,
        sdk.NoResponseError,
        type(None),
    ]
    assert "secret-token" not in repr(lines) + repr(vars(logging))


# Retries


def test_a_retry_waits_as_long_as_it_is_told_else_longer_each_time() -> None:
    responses[:] = [busy(), refusal(408, "REQUEST_TIMEOUT"), httpx.Response(200, json={"workspaces": []})]
    client.workspaces.list().first()
    assert waits[0] == 7 and 0.75 <= waits[1] <= 1
    assert len(sent) == 3


def test_a_retry_reads_a_date_and_waits_for_no_more_than_a_minute() -> None:
    past = format_datetime(datetime.now(timezone.utc) - timedelta(seconds=5))
    responses[:] = [
        refusal(429, "TOO_MANY_REQUESTS", headers={"Retry-After": past}),
        refusal(429, "TOO_MANY_REQUESTS", headers={"Retry-After": "3600"}),
    ]
    with pytest.raises(sdk.TooManyRequestsError) as raised:
        client.workspaces.list().first()
    assert (raised.value.retry_after, waits) == (3600, [0])


def test_retries_end_after_two_or_as_many_as_are_wished() -> None:
    responses[:] = [busy(), busy(), busy(), busy()]
    with pytest.raises(sdk.ServiceUnavailableError):
        client.workspaces.list().first()
    assert len(sent) == 3
    with pytest.raises(sdk.ServiceUnavailableError):
        client.workspaces.list(max_retries=0).first()
    assert len(sent) == 4


def test_a_retry_of_a_write_has_the_same_key_and_another_call_another_one() -> None:
    responses[:] = [reset(), busy()]
    client.workspaces.create({"name": "Acme"})
    client.workspaces.create({"name": "Acme"})
    keys = [request.headers["idempotency-key"] for request in sent]
    assert keys[0] == keys[1] == keys[2] != keys[3]
    assert re.fullmatch("[0-9a-f]{32}", keys[3])


def test_a_repeated_deletion_is_done_where_the_first_one_was() -> None:
    responses[:] = [reset(), refusal(404, "NOT_FOUND")]
    assert client.bots.delete("b") == {"message": "success"}
    responses[:] = [refusal(404, "NOT_FOUND")]
    with pytest.raises(sdk.NotFoundError):
        client.bots.delete("b")


def test_an_answer_in_a_chat_is_sent_again_where_it_carries_a_revision() -> None:
    responses[:] = [reset(), busy()]
    client.chat.continue_("s", {"message": "Hi", "revision": 3})
    assert len(sent) == 3


def test_after_a_500_a_request_is_sent_again_with_a_key_alone() -> None:
    responses[:] = [refusal(500, "INTERNAL_SERVER_ERROR")]
    client.workspaces.create({"name": "Acme"})
    responses[:] = [refusal(500, "INTERNAL_SERVER_ERROR")]
    with pytest.raises(sdk.InternalServerError):
        client.workspaces.list().first()
    assert len(sent) == 3


unsafe: list[Callable[[], object]] = [
    lambda: client.results.delete_all("b"),
    lambda: client.chat.continue_("s", {"message": "Hi"}),
    lambda: client.files.upload("s", b"", file_name="a"),
]


@pytest.mark.parametrize("call", unsafe)
def test_what_may_have_been_done_is_sent_again_only_where_nothing_was(call: Callable[[], object]) -> None:
    responses[:] = [busy()]
    with pytest.raises(sdk.ServiceUnavailableError):
        call()
    responses[:] = [reset()]
    with pytest.raises(sdk.NoResponseError):
        call()
    assert len(sent) == 2
    responses[:] = [refusal(429, "TOO_MANY_REQUESTS", headers={"Retry-After": "1"})]
    call()
    assert len(sent) == 4


def test_a_write_that_is_still_running_is_waited_for() -> None:
    responses[:] = [refusal(409, "CONFLICT", "in_progress", {"Retry-After": "1"}) for _ in range(5)]
    client.workspaces.create({"name": "Acme"})
    assert waits == [1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    "status, code", [(409, "CONFLICT"), (422, "IDEMPOTENCY_MISMATCH"), (400, "BAD_REQUEST")]
)
def test_what_is_wrong_is_not_sent_again(status: int, code: str) -> None:
    responses[:] = [refusal(status, code, "conflict")]
    with pytest.raises(sdk.ApiError):
        client.workspaces.create({"name": "Acme"})
    assert len(sent) == 1


def test_a_limit_of_time_ends_an_attempt_and_says_so() -> None:
    responses[:] = [httpx.ReadTimeout("slow") for _ in range(3)]
    with pytest.raises(sdk.ResponseTimeoutError, match="GET /v1/workspaces had no response in 60 s"):
        client.workspaces.list().first()
    assert len(sent) == 3


# Lists

pages: list[dict[str, Any]] = [
    {"bots": [{"id": "1"}, {"id": "2"}], "nextCursor": "c1"},
    {"bots": [{"id": "3"}], "nextCursor": "c2"},
    {"bots": [], "nextCursor": None},
]


def given_pages() -> None:
    responses[:] = [httpx.Response(200, json=page) for page in pages]


def test_a_list_gives_every_entry_and_asks_for_pages_when_they_are_needed() -> None:
    given_pages()
    ids: list[str] = []
    for each in client.bots.list(workspace_id="w", limit=2):
        ids.append(each["id"])
        if each["id"] == "2":
            assert len(sent) == 1
    assert ids == ["1", "2", "3"]
    assert [target.split("?")[1] for target in targets()] == [
        "workspaceId=w&limit=2",
        "workspaceId=w&limit=2&cursor=c1",
        "workspaceId=w&limit=2&cursor=c2",
    ]


def test_a_list_gives_its_pages_or_the_first_one() -> None:
    given_pages()
    assert [len(page["bots"]) for page in client.bots.list(workspace_id="w").pages()] == [2, 1, 0]
    given_pages()
    assert client.bots.list(workspace_id="w").first()["nextCursor"] == "c1"


def test_a_list_fails_where_a_page_does() -> None:
    responses[:] = [httpx.Response(200, json=pages[0]), refusal(400, "BAD_REQUEST", "invalid_cursor")]
    with pytest.raises(sdk.BadRequestError):
        list(client.bots.list(workspace_id="w"))


# Edits


def stale() -> httpx.Response:
    return refusal(409, "CONFLICT", "conflict")


def at(name: str, updated_at: str) -> httpx.Response:
    return httpx.Response(200, json={"bot": {**bot, "name": name, "updatedAt": updated_at}})


def writes() -> list[Any]:
    return [json.loads(request.content) for request in sent if request.method == "PATCH"]


def test_an_edit_is_made_on_what_is_there_and_again_when_somebody_was_faster() -> None:
    responses[:] = [at("Old", "1"), stale(), at("Newer", "2"), stale(), at("Newest", "3"), at("Newest!", "4")]
    edited = client.bots.edit("b", lambda current: {"name": f"{current['name']}!"})
    assert edited["bot"]["name"] == "Newest!"
    assert writes() == [
        {"bot": {"version": "6.1", "name": "Old!", "updatedAt": "1"}},
        {"bot": {"version": "6.1", "name": "Newer!", "updatedAt": "2"}},
        {"bot": {"version": "6.1", "name": "Newest!", "updatedAt": "3"}},
    ]
    keys = {request.headers["idempotency-key"] for request in sent if request.method == "PATCH"}
    assert len(keys) == 3


def test_an_edit_keeps_the_time_that_was_read_whatever_the_change_does_with_it() -> None:
    responses[:] = [at("Old", "1"), at("New", "2")]

    def change(current: Bot) -> BotChange:
        current["name"], current["updatedAt"] = "New", "later"
        return current  # type: ignore[return-value] # pyright: ignore

    client.bots.edit("b", change)
    assert writes() == [{"bot": {**bot, "name": "New", "updatedAt": "1"}}]


def test_an_edit_gives_up_when_told_at_another_error_and_without_a_change() -> None:
    responses[:] = [at("Old", "1"), stale(), at("Old", "1"), stale()]
    with pytest.raises(sdk.ConflictError):
        client.bots.edit("b", lambda _: {"name": "New"}, attempts=2)
    responses[:] = [at("Old", "1"), refusal(403, "FORBIDDEN")]
    with pytest.raises(sdk.ForbiddenError):
        client.bots.edit("b", lambda _: {"name": "New"})
    responses[:] = [at("Old", "1")]
    with pytest.raises(TypeError):
        client.bots.edit("b", lambda _: None)  # type: ignore[arg-type, return-value] # pyright: ignore
    assert len(writes()) == 3


def test_an_edit_can_ask_for_the_latest_version() -> None:
    responses[:] = [httpx.Response(200, json={"bot": {**bot, "groups": []}}), at("New", "2")]
    client.bots.edit("b", lambda current: {"groups": current["groups"]}, migrate_to_latest_version=True)
    assert targets()[0].endswith("?migrateToLatestVersion=true")


# Chats

delta: dict[str, Any] = {"type": "delta", "id": "b", "text": "Hel\u2028"}
answer: dict[str, Any] = {"type": "answer", "answer": {"messages": [], "revision": 2}}


class Pieces(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A stream that comes byte by byte, and breaks off on wish."""

    def __init__(self, content: bytes, error: Exception | None = None) -> None:
        self.content, self.error, self.is_closed = content, error, False

    def __iter__(self) -> Iterator[bytes]:
        for byte in self.content:
            yield bytes([byte])
        if self.error:
            raise self.error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece

    def close(self) -> None:
        self.is_closed = True

    async def aclose(self) -> None:
        self.close()


def streamed(*events: object, error: Exception | None = None) -> tuple[httpx.Response, Pieces]:
    text = ": hello\n\n" + "".join(
        f"data: {json.dumps(event, ensure_ascii=False)}\r\n\r\n" for event in events
    )
    stream = Pieces(text.encode(), error)
    headers = {"Content-Type": "text/event-stream; charset=utf-8"}
    return httpx.Response(200, headers=headers, stream=stream), stream


def test_a_stream_gives_its_events_and_ends_after_the_answer() -> None:
    response, stream = streamed(delta, answer)
    responses[:] = [response]
    events = list(client.chat.start_streaming("p", {"isStreamEnabled": True}))
    assert events == [delta, answer]
    assert sent[0].headers["accept"] == "text/event-stream"
    assert stream.is_closed


def test_a_stream_that_is_left_is_closed() -> None:
    response, stream = streamed(delta, answer)
    responses[:] = [response]
    for _ in client.chat.start_streaming("p"):
        break
    assert stream.is_closed


def test_a_service_without_streams_answers_at_once() -> None:
    responses[:] = [httpx.Response(200, json=answer["answer"])]
    assert list(client.chat.start_streaming("p")) == [answer]


def test_a_stream_is_the_whole_answer_for_a_caller_who_wants_that() -> None:
    responses[:] = [streamed(delta, answer)[0]]
    assert client.chat.start("p", headers={"Accept": "text/event-stream"}) == answer["answer"]


def test_a_stream_fails_with_the_error_that_its_last_event_has() -> None:
    error: dict[str, Any] = {"code": "CONFLICT", "message": "No", "issues": []}
    responses[:] = [streamed(delta, {"type": "error", "status": 409, "error": error})[0]]
    with pytest.raises(sdk.ConflictError) as raised:
        list(client.chat.continue_streaming("s", {"message": "Hi"}))
    assert raised.value.status == 409


@pytest.mark.parametrize("error", [None, httpx.ReadError("reset")])
def test_a_stream_fails_where_it_breaks_off(error: Exception | None) -> None:
    responses[:] = [streamed(delta, error=error)[0]]
    with pytest.raises(sdk.NoResponseError):
        list(client.chat.start_streaming("p"))


def test_a_conversation_keeps_its_session_and_its_revision() -> None:
    responses[:] = [
        httpx.Response(200, json={"sessionId": "s", "revision": 1, "messages": []}),
        httpx.Response(200, json={"revision": 2, "messages": []}),
    ]
    chat = client.chat.converse("p")
    chat.say("Ada")
    chat.say("Grace")
    assert [json.loads(request.content) for request in sent[1:]] == [
        {"message": "Ada", "revision": 1},
        {"message": "Grace", "revision": 2},
    ]
    assert {target for target in targets()[1:]} == {"POST /api/v1/sessions/s/continueChat"}


# Webhooks

secret = f"whsec_{b64encode(bytes([7] * 24)).decode()}"
delivery = json.dumps({"type": "bot.created", "timestamp": "2026-03-05T12:31:00.000Z", "data": {}})


def headers_at(moment: datetime) -> dict[str, str]:
    return {
        "Webhook-Id": "d",
        "Webhook-Timestamp": str(int(moment.timestamp())),
        "Webhook-Signature": Webhook(secret).sign("d", moment, delivery),
    }


def test_a_delivery_gives_its_event_where_the_signature_is_right() -> None:
    headers = headers_at(datetime.now(timezone.utc))
    assert webhooks.verify(delivery, headers, secret)["type"] == "bot.created"
    assert client.webhooks.verify(delivery.encode(), httpx.Headers(headers), secret)["type"] == "bot.created"


def test_a_delivery_is_refused_where_the_body_is_another_or_the_time_is_long_ago() -> None:
    now = datetime.now(timezone.utc)
    with pytest.raises(WebhookVerificationError):
        webhooks.verify(f"{delivery} ", headers_at(now), secret)
    with pytest.raises(WebhookVerificationError):
        webhooks.verify(delivery, headers_at(now - timedelta(hours=1)), secret)


# Without waiting


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_client_that_does_not_wait_does_the_same(backend: str) -> None:
    async def live() -> None:
        async def token() -> str:
            return "one"

        http_client = httpx.AsyncClient(transport=transport)
        async with AsyncClient(address, token=token, http_client=http_client) as waiting:
            responses[:] = [busy(), httpx.Response(200, json={"workspaces": []})]
            assert (await waiting.workspaces.list().first())["workspaces"] == []
            assert (waits, sent[0].headers["authorization"]) == ([7], "Bearer one")

            given_pages()
            assert [each["id"] async for each in waiting.bots.list(workspace_id="w")] == ["1", "2", "3"]

            response, stream = streamed(delta, answer)
            responses[:] = [response]
            assert [event async for event in waiting.chat.start_streaming("p")] == [delta, answer]
            assert stream.is_closed

            responses[:] = [at("Old", "1"), stale(), at("New", "2"), at("New!", "3")]

            async def change(current: Bot) -> BotChange:
                return {"name": f"{current['name']}!"}

            assert (await waiting.bots.edit("b", change))["bot"]["name"] == "New!"
            responses[:] = [at("Old", "1"), at("Old!", "3")]
            await waiting.bots.edit("b", lambda current: {"name": f"{current['name']}!"})

            responses[:] = [httpx.Response(200, text="a,b\n"), httpx.Response(200, text="a,b\n")]
            assert await waiting.results.export("b").text() == "a,b\n"
            async with waiting.results.export("b") as export:
                assert [line async for line in export.aiter_lines()] == ["a,b"]

            responses[:] = [
                httpx.Response(200, json={"sessionId": "s", "revision": 1, "messages": []}),
                httpx.Response(200, json={"revision": 2, "messages": []}),
            ]
            chat = await waiting.chat.converse("p")
            assert (await chat.say("Ada")).get("revision") == 2

            responses[:] = [refusal(404, "NOT_FOUND")]
            with pytest.raises(sdk.NotFoundError):
                await waiting.bots.get("b")

    anyio.run(live, backend=backend)


def test_both_clients_have_the_same_methods_with_the_same_parameters() -> None:
    def shape(given: object) -> dict[str, list[str]]:
        return {
            f"{resource}.{name}": list(inspect.signature(method).parameters)
            for resource, methods in vars(given).items()
            if not resource.startswith("_")
            for name, method in inspect.getmembers(methods, callable)
            if not name.startswith("_")
        }

    assert shape(client) == shape(AsyncClient(address))
    assert len(shape(client)) > 60
