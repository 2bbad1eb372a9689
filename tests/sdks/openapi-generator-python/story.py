import json
import os
from collections.abc import Callable
from typing import Any

from service import (
    ApiClient,
    ApiException,
    BadRequestErrorBody,
    Bot,
    BotCreate,
    BotsApi,
    BotUpdate,
    BotUpdateV5,
    BotUpdateV61,
    BotV5,
    BotV61,
    Configuration,
    ConflictErrorBody,
    CreateBotBody,
    CreateFolderBody,
    FolderCreate,
    FoldersApi,
    ForbiddenErrorBody,
    NotFoundErrorBody,
    PublishedBotV5,
    PublishingApi,
    ResultsApi,
    UpdateBotBody,
    WorkspaceCreate,
    WorkspacesApi,
)


def connect(token: str) -> ApiClient:
    return ApiClient(Configuration(host=os.environ["BASE_URL"], access_token=os.environ[token]))


def read(path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        document: dict[str, Any] = json.load(file)
    return document


def flow_of(document: dict[str, Any]) -> dict[str, Any]:
    """The parts that a document has in common with every response that contains it."""
    return {key: document[key] for key in ("groups", "events", "edges", "variables", "theme", "settings")}


def refusal(status: int, call: Callable[[], object]) -> Any:
    """The body of an answer that was expected to be an error."""
    try:
        call()
    except ApiException as refused:
        assert refused.status == status
        return refused.data
    raise AssertionError(f"expected {status}")


def v61(bot: Bot) -> BotV61:
    assert isinstance(bot.actual_instance, BotV61)
    return bot.actual_instance


api = connect("TOKEN")
bots = BotsApi(api)
folders = FoldersApi(api)
publishing = PublishingApi(api)
results = ResultsApi(api)
workspaces = WorkspacesApi(api)
current = read(os.environ["CURRENT_DOCUMENT"])
legacy = read(os.environ["LEGACY_DOCUMENT"])

workspace = workspaces.create_workspace(WorkspaceCreate(name="Acme")).workspace
name: str = workspace.name
assert name == "Acme"
assert workspace.plan == "FREE" and workspace.settings is None
print("create a workspace")

new_folder = CreateFolderBody(workspaceId=workspace.id, folder=FolderCreate(name="Quotes"))
folder_id: str = folders.create_folder(new_folder).folder.id
print("create a folder")

# `from_dict` would send null for what the document does not have.
new_bot = BotCreate.model_validate({**current, "folderId": folder_id})
bot = v61(bots.create_bot(CreateBotBody(workspaceId=workspace.id, bot=new_bot)).bot)
assert bot.folder_id == folder_id
assert flow_of(bot.to_dict()) == flow_of(current)
print("create a bot from a document")

rename = BotUpdateV61(version="6.1", name="Quote", updatedAt=bot.updated_at)
in_current_shape = UpdateBotBody(bot=BotUpdate(rename))
renamed = v61(bots.update_bot(bot.id, in_current_shape).bot)
assert renamed.name == "Quote"
assert flow_of(renamed.to_dict()) == flow_of(current)
print("update in current shape")

late = refusal(409, lambda: bots.update_bot(bot.id, in_current_shape))
assert isinstance(late, ConflictErrorBody)
assert late.code == "CONFLICT"
print("meet a 409")

in_legacy_shape = UpdateBotBody(bot=BotUpdate(BotUpdateV5.model_validate(legacy)))
converted = bots.update_bot(bot.id, in_legacy_shape).bot.actual_instance
assert isinstance(converted, BotV5)
assert flow_of(converted.to_dict()) == flow_of(legacy)
print("update in legacy shape")

assert publishing.publish_bot(bot.id).message == "success"
print("publish")

live = publishing.get_published_bot(bot.id).published_bot.actual_instance
assert isinstance(live, PublishedBotV5)
assert live.bot_id == bot.id
assert flow_of(live.to_dict()) == flow_of(legacy)
print("read the published bot")

# Its own check would refuse the name before it is sent.
nameless = refusal(400, lambda: workspaces.create_workspace(WorkspaceCreate.model_construct(name="")))
assert isinstance(nameless, BadRequestErrorBody)
assert nameless.code == "BAD_REQUEST"
assert nameless.issues[0].path == ["body", "name"]
print("meet a 400")

refused = refusal(403, lambda: PublishingApi(connect("GUEST_TOKEN")).publish_bot(bot.id))
assert isinstance(refused, ForbiddenErrorBody)
assert refused.code == "FORBIDDEN"
print("meet a 403")

missing = refusal(404, lambda: bots.get_bot("unknown"))
assert isinstance(missing, NotFoundErrorBody)
assert missing.code == "NOT_FOUND"
print("meet a 404")

found: list[str] = []
cursor: str | None = None
while True:
    page = results.list_results(os.environ["ANSWERED_BOT_ID"], limit=2, cursor=cursor)
    found += [result.id for result in page.results]
    cursor = page.next_cursor
    if cursor is None:
        break
assert found == os.environ["RESULT_IDS"].split(",")
print("page through results")

bots.delete_bot(bot.id)
assert isinstance(refusal(404, lambda: bots.get_bot(bot.id)), NotFoundErrorBody)
folders.delete_folder(folder_id)
assert workspaces.delete_workspace(workspace.id).message == "Workspace deleted"
print("delete")
