import json
import os
from typing import Any, cast

from bot_builder_client import ApiError, BadRequestError, Client, ConflictError, ForbiddenError, NotFoundError
from bot_builder_client.types import Bot, BotChange, BotCreate, BotUpdate


def read(path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        document: dict[str, Any] = json.load(file)
    return document


def flow_of(document: Any) -> dict[str, Any]:
    """The parts that a document has in common with every response that contains it."""
    return {key: document[key] for key in ("groups", "events", "edges", "variables", "theme", "settings")}


current = read(os.environ["CURRENT_DOCUMENT"])
legacy = read(os.environ["LEGACY_DOCUMENT"])
client = Client(os.environ["BASE_URL"], token=os.environ["TOKEN"])
guest = Client(os.environ["BASE_URL"], token=lambda: os.environ["GUEST_TOKEN"])

workspace = client.workspaces.create({"name": "Acme"})["workspace"]
name: str = workspace["name"]
assert (name, workspace["plan"], workspace["settings"]) == ("Acme", "FREE", None)
print("create a workspace")

folder = client.folders.create({"workspaceId": workspace["id"], "folder": {"name": "Quotes"}})["folder"]
print("create a folder")

document = cast(BotCreate, {**current, "folderId": folder["id"]})
bot = client.bots.create({"workspaceId": workspace["id"], "bot": document})["bot"]
assert bot["version"] == "6.1"
assert flow_of(bot) == flow_of(current)
block = bot["groups"][0]["blocks"][2]
assert block["type"] == "choice input"
assert block["items"][0].get("content") == "Beagle"
print("create a bot from a document")

# Somebody else is faster twice, so the change is made three times.
turns = 0


def change(read: Bot) -> BotChange:
    global turns
    if turns < 2:
        turns += 1
        client.bots.update(read["id"], {"bot": {"version": "6.1", "name": f"Turn {turns}"}})
    return {"name": f"{read['name']}, edited"}


edited = client.bots.edit(bot["id"], change)
assert (edited["bot"]["name"], turns) == ("Turn 2, edited", 2)
assert flow_of(edited["bot"]) == flow_of(current)
print("update in current shape")

try:
    client.bots.update(
        bot["id"], {"bot": {"version": "6.1", "name": "Too late", "updatedAt": bot["updatedAt"]}}
    )
    raise AssertionError("expected a conflict")
except ConflictError as late:
    assert (late.status, late.code) == (409, "CONFLICT")
    assert late.issues[0].get("current") == {"updatedAt": edited["bot"]["updatedAt"]}
print("meet a 409")

tags: list[str] = []
in_legacy_shape = cast(BotUpdate, legacy)
converted = client.bots.update(
    bot["id"], {"bot": in_legacy_shape}, on_response=lambda response: tags.append(response.headers["etag"])
)["bot"]
assert converted["version"] == "5"
assert flow_of(converted) == flow_of(legacy)
print("update in legacy shape")

assert client.bots.publish(bot["id"], if_match=tags[0])["message"] == "success"
print("publish")

live = client.published_bots.get(bot["id"])["publishedBot"]
assert (live["version"], live["botId"]) == ("5", bot["id"])
assert flow_of(live) == flow_of(legacy)
print("read the published bot")

try:
    client.workspaces.create({"name": ""})
    raise AssertionError("expected a bad request")
except BadRequestError as nameless:
    assert (nameless.status, nameless.issues[0]["path"]) == (400, ["body", "name"])
print("meet a 400")

try:
    guest.bots.publish(bot["id"])
    raise AssertionError("expected a refusal")
except ForbiddenError as refused:
    assert refused.status == 403 and refused.request_id
print("meet a 403")

try:
    client.bots.get("unknown")
    raise AssertionError("expected that there is none")
except NotFoundError as missing:
    assert isinstance(missing, ApiError)
print("meet a 404")

found = [result["id"] for result in client.results.list(os.environ["ANSWERED_BOT_ID"], limit=2)]
assert found == os.environ["RESULT_IDS"].split(",")
print("page through results")

assert client.bots.delete(bot["id"])["message"] == "success"
try:
    client.bots.get(bot["id"])
    raise AssertionError("expected that it is gone")
except ApiError as gone:
    assert gone.code == "NOT_FOUND"
client.folders.delete(folder["id"])
client.workspaces.delete(workspace["id"])
print("delete")
