import json
import os
from typing import Any

from generated.api.bots import create_bot, delete_bot, get_bot, update_bot
from generated.api.folders import create_folder, delete_folder
from generated.api.publishing import get_published_bot, publish_bot
from generated.api.results import list_results
from generated.api.workspaces import create_workspace, delete_workspace
from generated.client import AuthenticatedClient
from generated.models import (
    BadRequestErrorBody,
    BotBody,
    BotCreate,
    BotUpdateV5,
    BotUpdateV61,
    BotUpdateV61Version,
    BotV5,
    BotV61,
    ChoiceInput,
    ConflictErrorBody,
    CreateBotBody,
    CreateFolderBody,
    FolderBody,
    FolderCreate,
    ForbiddenErrorBody,
    NotFoundErrorBody,
    PublishedBody,
    PublishedBotBody,
    PublishedBotV5,
    ResultPage,
    SuccessBody,
    UpdateBotBody,
    WorkspaceBody,
    WorkspaceCreate,
)
from generated.types import UNSET, Unset

base_url = os.environ["BASE_URL"]
api = AuthenticatedClient(base_url=base_url, token=os.environ["TOKEN"])
guest_api = AuthenticatedClient(base_url=base_url, token=os.environ["GUEST_TOKEN"])


def read(path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        document: dict[str, Any] = json.load(file)
    return document


def flow_of(document: dict[str, Any]) -> dict[str, Any]:
    """The parts that a document has in common with every response that contains it."""
    return {key: document[key] for key in ("groups", "events", "edges", "variables", "theme", "settings")}


current = read(os.environ["CURRENT_DOCUMENT"])
legacy = read(os.environ["LEGACY_DOCUMENT"])

made_workspace = create_workspace.sync(client=api, body=WorkspaceCreate(name="Acme"))
assert isinstance(made_workspace, WorkspaceBody)
workspace = made_workspace.workspace
name: str = workspace.name
assert name == "Acme"
assert workspace.plan == "FREE" and workspace.settings is None
print("create a workspace")

made_folder = create_folder.sync(
    client=api, body=CreateFolderBody(workspace_id=workspace.id, folder=FolderCreate(name="Quotes"))
)
assert isinstance(made_folder, FolderBody)
folder_id: str = made_folder.folder.id
print("create a folder")

new_bot = BotCreate.from_dict(current)
new_bot.folder_id = folder_id
made_bot = create_bot.sync(client=api, body=CreateBotBody(workspace_id=workspace.id, bot=new_bot))
assert isinstance(made_bot, BotBody)
bot = made_bot.bot
assert isinstance(bot, BotV61)
assert bot.folder_id == folder_id
assert flow_of(bot.to_dict()) == flow_of(current)
block = bot.groups[0].blocks[2]
assert isinstance(block, ChoiceInput)
assert block.items[0].content == "Beagle"
print("create a bot from a document")

change = BotUpdateV61(version=BotUpdateV61Version("6.1"), name="Quote", updated_at=bot.updated_at)
renamed = update_bot.sync(bot.id, client=api, body=UpdateBotBody(bot=change))
assert isinstance(renamed, BotBody)
assert renamed.bot.name == "Quote"
assert flow_of(renamed.bot.to_dict()) == flow_of(current)
print("update in current shape")

late = update_bot.sync(bot.id, client=api, body=UpdateBotBody(bot=change))
assert isinstance(late, ConflictErrorBody)
assert late.code == "CONFLICT"
print("meet a 409")

legacy_change = BotUpdateV5.from_dict(legacy)
converted = update_bot.sync(bot.id, client=api, body=UpdateBotBody(bot=legacy_change))
assert isinstance(converted, BotBody)
assert isinstance(converted.bot, BotV5)
assert flow_of(converted.bot.to_dict()) == flow_of(legacy)
print("update in legacy shape")

published = publish_bot.sync(bot.id, client=api)
assert isinstance(published, PublishedBody)
print("publish")

live = get_published_bot.sync(bot.id, client=api)
assert isinstance(live, PublishedBotBody)
assert isinstance(live.published_bot, PublishedBotV5)
assert live.published_bot.bot_id == bot.id
assert flow_of(live.published_bot.to_dict()) == flow_of(legacy)
print("read the published bot")

nameless = create_workspace.sync(client=api, body=WorkspaceCreate(name=""))
assert isinstance(nameless, BadRequestErrorBody)
assert nameless.code == "BAD_REQUEST"
assert nameless.issues[0].path == ["body", "name"]
print("meet a 400")

refused = publish_bot.sync(bot.id, client=guest_api)
assert isinstance(refused, ForbiddenErrorBody)
assert refused.code == "FORBIDDEN"
print("meet a 403")

missing = get_bot.sync("unknown", client=api)
assert isinstance(missing, NotFoundErrorBody)
assert missing.code == "NOT_FOUND"
print("meet a 404")

found: list[str] = []
cursor: str | Unset | None = UNSET
while cursor is not None:
    page = list_results.sync(os.environ["ANSWERED_BOT_ID"], client=api, limit=2, cursor=cursor)
    assert isinstance(page, ResultPage)
    found += [result.id for result in page.results]
    cursor = page.next_cursor
assert found == os.environ["RESULT_IDS"].split(",")
print("page through results")

assert isinstance(delete_bot.sync(bot.id, client=api), SuccessBody)
assert isinstance(get_bot.sync(bot.id, client=api), NotFoundErrorBody)
assert isinstance(delete_folder.sync(folder_id, client=api), FolderBody)
assert delete_workspace.sync_detailed(workspace.id, client=api).status_code == 200
print("delete")
