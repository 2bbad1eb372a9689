# Made by `make generate` from contract/. Do not edit.
"""One method for every operation, for callers who wait for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import IO, Any, Literal, Unpack, overload

import httpx

from . import types, webhooks
from ._api import Attempt, KeyMatchOptions, KeyOptions, MatchOptions, Operation, RequestOptions
from ._runtime import Caller, Conversation, Download, Pages, Token, edit_bot
from ._shared import call_of


class Workspaces:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, cursor: str | None = None, **options: Unpack[RequestOptions]) -> Pages[types.WorkspaceList, types.WorkspaceSummary]:
        """List the caller's workspaces: `GET /v1/workspaces`

        Returns every workspace in which the caller has a role, newest first; with a token that is bound to a workspace, that one alone. A list whose icons and names have more than 8 MB ends early, with a `nextCursor`.

        - `cursor`: The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input.
        """
        query: dict[str, Any] = {"cursor": cursor}

        def get_page(next_cursor: str | None) -> Any:
            page_query = query if next_cursor is None else {**query, "cursor": next_cursor}
            return self._caller.call(call_of(Operation("GET", "/v1/workspaces", entries="workspaces"), {}, None, page_query, options))

        return Pages(get_page, "workspaces")

    def create(self, body: types.WorkspaceCreate, **options: Unpack[KeyOptions]) -> types.WorkspaceBody:
        """Create a workspace: `POST /v1/workspaces`

        Creates an empty workspace with the caller as its admin and returns it. It is rejected with `FORBIDDEN` if the caller has created as many workspaces as the installation allows one user. Workspaces that they were added to, and deleted ones, do not count.
        """
        response_body: types.WorkspaceBody = self._caller.call(call_of(Operation("POST", "/v1/workspaces", key=True), {}, body, {}, options))
        return response_body

    def get(self, workspace_id: str, **options: Unpack[RequestOptions]) -> types.WorkspaceDetailsBody:
        """Get a workspace: `GET /v1/workspaces/{workspaceId}`

        Returns one workspace with the limits agreed for it, and the rights of the caller in it.
        """
        response_body: types.WorkspaceDetailsBody = self._caller.call(call_of(Operation("GET", "/v1/workspaces/{workspaceId}"), {"workspaceId": workspace_id}, None, {}, options))
        return response_body

    def update(self, workspace_id: str, body: types.WorkspaceUpdate | None = None, **options: Unpack[KeyMatchOptions]) -> types.UpdatedWorkspaceBody:
        """Change a workspace: `PATCH /v1/workspaces/{workspaceId}`

        Changes the name, the icon or the retention of results of a workspace; null removes the icon, or leaves retention to the installation. A workspace can retain results for a shorter time than the installation, not for a longer one. A shorter time deletes results within a quarter of an hour; this cannot be undone. All other properties are read-only and ignored when sent.
        """
        response_body: types.UpdatedWorkspaceBody = self._caller.call(call_of(Operation("PATCH", "/v1/workspaces/{workspaceId}", key=True), {"workspaceId": workspace_id}, body, {}, options))
        return response_body

    def delete(self, workspace_id: str, **options: Unpack[MatchOptions]) -> types.WorkspaceDeletedBody:
        """Delete a workspace with everything in it: `DELETE /v1/workspaces/{workspaceId}`

        Deletes a workspace with its memberships, folders, bots, drafts, publications and results. Running chats end. Public ids and domains of its bots become free; users and their tokens stay. This cannot be undone.
        """
        response_body: types.WorkspaceDeletedBody = self._caller.call(call_of(Operation("DELETE", "/v1/workspaces/{workspaceId}", repeatable=True), {"workspaceId": workspace_id}, None, {}, options))
        return response_body


class Members:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, workspace_id: str, *, cursor: str | None = None, **options: Unpack[RequestOptions]) -> Pages[types.MemberList, types.Member]:
        """List the members of a workspace: `GET /v1/workspaces/{workspaceId}/members`

        Returns the users with a role in the workspace, guests included, longest membership first. A list of more than 8 MB ends early, with a `nextCursor`.

        - `cursor`: The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input.
        """
        query: dict[str, Any] = {"cursor": cursor}

        def get_page(next_cursor: str | None) -> Any:
            page_query = query if next_cursor is None else {**query, "cursor": next_cursor}
            return self._caller.call(call_of(Operation("GET", "/v1/workspaces/{workspaceId}/members", entries="members"), {"workspaceId": workspace_id}, None, page_query, options))

        return Pages(get_page, "members")

    def add(self, workspace_id: str, body: types.MemberCreate, **options: Unpack[KeyOptions]) -> types.MemberBody:
        """Add a member to a workspace: `POST /v1/workspaces/{workspaceId}/members`

        Gives an existing user, named by e-mail address, a role in the workspace, effective with their next request. An address that no user has or has proven to own, or that of a disabled user, is invalid input: create an invitation instead. A user who is a member already is a conflict and keeps their role.
        """
        response_body: types.MemberBody = self._caller.call(call_of(Operation("POST", "/v1/workspaces/{workspaceId}/members", key=True), {"workspaceId": workspace_id}, body, {}, options))
        return response_body

    def update(self, workspace_id: str, user_id: str, body: types.MemberUpdate, **options: Unpack[KeyOptions]) -> types.MemberBody:
        """Change the role of a member: `PATCH /v1/workspaces/{workspaceId}/members/{userId}`

        Gives a member another role, effective with their next request. The last admin of a workspace cannot be given a lower role; admins who are disabled do not count.
        """
        response_body: types.MemberBody = self._caller.call(call_of(Operation("PATCH", "/v1/workspaces/{workspaceId}/members/{userId}", key=True), {"workspaceId": workspace_id, "userId": user_id}, body, {}, options))
        return response_body

    def remove(self, workspace_id: str, user_id: str, **options: Unpack[RequestOptions]) -> types.MemberBody:
        """Remove a member from a workspace: `DELETE /v1/workspaces/{workspaceId}/members/{userId}`

        Takes a user out of the workspace, effective with their next request, and returns the membership that ended. Members of any role may remove themselves to leave the workspace; only an admin may remove somebody else. The last admin of a workspace cannot be removed; admins who are disabled do not count.
        """
        response_body: types.MemberBody = self._caller.call(call_of(Operation("DELETE", "/v1/workspaces/{workspaceId}/members/{userId}", repeatable=True), {"workspaceId": workspace_id, "userId": user_id}, None, {}, options))
        return response_body


class Invitations:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(self, workspace_id: str, body: types.InvitationCreate, **options: Unpack[KeyOptions]) -> types.CreatedInvitationBody:
        """Invite somebody to a workspace: `POST /v1/workspaces/{workspaceId}/invitations`

        Invites an e-mail address, with or without a user, and returns a link to a page that accepts the invitation. No other response shows the link; if the service can send mail, the address also gets it. An invitation ends after 7 days, when it is accepted or revoked, and while the admin who created it is no admin. Another one for the same address replaces it. Accepting creates a user if the address has none; members keep a role that is higher. The address of a member is a conflict, that of a disabled user is invalid input.
        """
        response_body: types.CreatedInvitationBody = self._caller.call(call_of(Operation("POST", "/v1/workspaces/{workspaceId}/invitations", key=True), {"workspaceId": workspace_id}, body, {}, options))
        return response_body

    def list(self, workspace_id: str, *, limit: int | None = None, cursor: str | None = None, **options: Unpack[RequestOptions]) -> Pages[types.InvitationList, types.Invitation]:
        """List the invitations of a workspace: `GET /v1/workspaces/{workspaceId}/invitations`

        Returns the invitations that can still be accepted, newest first. Links are never shown again.

        - `limit`: Maximum entries of the page, from 1 to 100.
        - `cursor`: The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input.
        """
        query: dict[str, Any] = {"limit": limit, "cursor": cursor}

        def get_page(next_cursor: str | None) -> Any:
            page_query = query if next_cursor is None else {**query, "cursor": next_cursor}
            return self._caller.call(call_of(Operation("GET", "/v1/workspaces/{workspaceId}/invitations", entries="invitations"), {"workspaceId": workspace_id}, None, page_query, options))

        return Pages(get_page, "invitations")

    def revoke(self, workspace_id: str, invitation_id: str, **options: Unpack[RequestOptions]) -> types.InvitationBody:
        """Revoke an invitation: `DELETE /v1/workspaces/{workspaceId}/invitations/{invitationId}`

        Ends an invitation at once and returns its last state. One that was accepted, replaced or revoked before is not found. After an acceptance, remove the member instead.
        """
        response_body: types.InvitationBody = self._caller.call(call_of(Operation("DELETE", "/v1/workspaces/{workspaceId}/invitations/{invitationId}", repeatable=True), {"workspaceId": workspace_id, "invitationId": invitation_id}, None, {}, options))
        return response_body


class Credentials:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, workspace_id: str, **options: Unpack[RequestOptions]) -> types.CredentialsList:
        """List the credentials of a workspace: `GET /v1/workspaces/{workspaceId}/credentials`

        Returns the credentials that bots of the workspace can use, newest first. Secrets are never shown.
        """
        response_body: types.CredentialsList = self._caller.call(call_of(Operation("GET", "/v1/workspaces/{workspaceId}/credentials"), {"workspaceId": workspace_id}, None, {}, options))
        return response_body

    def create(self, workspace_id: str, body: types.CredentialsCreate, **options: Unpack[KeyOptions]) -> types.CredentialsBody:
        """Create credentials: `POST /v1/workspaces/{workspaceId}/credentials`

        Stores encrypted credentials for the bots of the workspace; blocks name them with `credentialsId`. The secret part cannot be read again and is used only for the service of the type. Without an encryption key, the installation returns 503 with an issue that says so. A workspace can have 200; more are rejected with 403.
        """
        response_body: types.CredentialsBody = self._caller.call(call_of(Operation("POST", "/v1/workspaces/{workspaceId}/credentials", key=True), {"workspaceId": workspace_id}, body, {}, options))
        return response_body

    def get(self, workspace_id: str, credentials_id: str, **options: Unpack[RequestOptions]) -> types.CredentialsBody:
        """Get credentials: `GET /v1/workspaces/{workspaceId}/credentials/{credentialsId}`

        Returns credentials without their secrets.
        """
        response_body: types.CredentialsBody = self._caller.call(call_of(Operation("GET", "/v1/workspaces/{workspaceId}/credentials/{credentialsId}"), {"workspaceId": workspace_id, "credentialsId": credentials_id}, None, {}, options))
        return response_body

    def update(self, workspace_id: str, credentials_id: str, body: types.CredentialsUpdate, **options: Unpack[KeyMatchOptions]) -> types.CredentialsBody:
        """Update credentials: `PATCH /v1/workspaces/{workspaceId}/credentials/{credentialsId}`

        Changes the name of credentials, or replaces all of their data, effective with the next turn of every chat. The type decides about the data and has to be the stored one.
        """
        response_body: types.CredentialsBody = self._caller.call(call_of(Operation("PATCH", "/v1/workspaces/{workspaceId}/credentials/{credentialsId}", key=True), {"workspaceId": workspace_id, "credentialsId": credentials_id}, body, {}, options))
        return response_body

    def test(self, workspace_id: str, credentials_id: str, **options: Unpack[KeyOptions]) -> types.CredentialsTestBody:
        """Test credentials: `POST /v1/workspaces/{workspaceId}/credentials/{credentialsId}/test`

        Sends a request that changes nothing to the service of the credentials, and returns its verdict. With a mail server it signs in, and sends no mail. The secret is sent to that service alone, and is never part of the response. Some vendors offer no test: their credentials are `untestable`. The test takes at most 20 seconds.
        """
        response_body: types.CredentialsTestBody = self._caller.call(call_of(Operation("POST", "/v1/workspaces/{workspaceId}/credentials/{credentialsId}/test", key=True), {"workspaceId": workspace_id, "credentialsId": credentials_id}, None, {}, options))
        return response_body

    def delete(self, workspace_id: str, credentials_id: str, **options: Unpack[MatchOptions]) -> types.CredentialsBody:
        """Delete credentials: `DELETE /v1/workspaces/{workspaceId}/credentials/{credentialsId}`

        Deletes credentials and returns their last state. Blocks that name them stay as they are and no longer work: their chats log an error and continue.
        """
        response_body: types.CredentialsBody = self._caller.call(call_of(Operation("DELETE", "/v1/workspaces/{workspaceId}/credentials/{credentialsId}", repeatable=True), {"workspaceId": workspace_id, "credentialsId": credentials_id}, None, {}, options))
        return response_body


class AuditLogs:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, workspace_id: str, *, limit: int | None = None, cursor: str | None = None, **options: Unpack[RequestOptions]) -> Pages[types.AuditPage, types.AuditEntry]:
        """List the audit log of a workspace: `GET /v1/workspaces/{workspaceId}/auditLog`

        Returns the actions in the workspace with the users who did them, newest first. It lists created and changed workspaces, changes of members, and created, deleted, published, unpublished and restored bots. It lists deleted folders and results, created, changed and deleted credentials, and changes of who may see or embed a bot. Created and revoked tokens are listed if they are bound to the workspace. Unbound tokens are listed if they belong to the user who created the workspace. An entry exists exactly if the action was done, and never changes. The operator of the service can also read the log of a deleted workspace.

        - `limit`: Maximum entries of the page, from 1 to 100.
        - `cursor`: The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input.
        """
        query: dict[str, Any] = {"limit": limit, "cursor": cursor}

        def get_page(next_cursor: str | None) -> Any:
            page_query = query if next_cursor is None else {**query, "cursor": next_cursor}
            return self._caller.call(call_of(Operation("GET", "/v1/workspaces/{workspaceId}/auditLog", entries="entries"), {"workspaceId": workspace_id}, None, page_query, options))

        return Pages(get_page, "entries")


class Folders:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, workspace_id: str, parent_folder_id: str | None = None, limit: int | None = None, cursor: str | None = None, **options: Unpack[RequestOptions]) -> Pages[types.FolderList, types.Folder]:
        """List the folders of a workspace: `GET /v1/folders`

        Returns the folders directly in one folder, or those at the top level of the workspace, newest first, in pages. Bots and deeper folders are not included.

        - `workspace_id`: Id of the workspace whose folders are listed.
        - `parent_folder_id`: List the folders directly in this folder. Absent or `root` means the top level; an unknown folder is not found.
        - `limit`: Maximum entries of the page, from 1 to 100. Without it, a page has up to 1,000.
        - `cursor`: The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input.
        """
        query: dict[str, Any] = {"workspaceId": workspace_id, "parentFolderId": parent_folder_id, "limit": limit, "cursor": cursor}

        def get_page(next_cursor: str | None) -> Any:
            page_query = query if next_cursor is None else {**query, "cursor": next_cursor}
            return self._caller.call(call_of(Operation("GET", "/v1/folders", entries="folders"), {}, None, page_query, options))

        return Pages(get_page, "folders")

    def create(self, body: types.CreateFolderBody, **options: Unpack[KeyOptions]) -> types.FolderBody:
        """Create a folder: `POST /v1/folders`

        Creates a folder at the top level of a workspace or inside another folder of the same workspace, and returns it. Names need not be unique; a parent of another workspace is invalid input.
        """
        response_body: types.FolderBody = self._caller.call(call_of(Operation("POST", "/v1/folders", key=True), {}, body, {}, options))
        return response_body

    def get(self, folder_id: str, *, workspace_id: str | None = None, **options: Unpack[RequestOptions]) -> types.FolderBody:
        """Get a folder: `GET /v1/folders/{folderId}`

        Returns one folder. List folders and list bots return its contents.

        - `workspace_id`: When given, the folder must be in this workspace; otherwise it is not found.
        """
        response_body: types.FolderBody = self._caller.call(call_of(Operation("GET", "/v1/folders/{folderId}"), {"folderId": folder_id}, None, {"workspaceId": workspace_id}, options))
        return response_body

    def update(self, folder_id: str, body: types.UpdateFolderBody, **options: Unpack[KeyMatchOptions]) -> types.FolderBody:
        """Rename or move a folder: `PATCH /v1/folders/{folderId}`

        Changes the name of a folder, or moves it with its contents. It moves to another folder of its workspace or, with null, to the top level. A folder cannot be moved into itself or into a folder inside it. Returns the folder as stored.
        """
        response_body: types.FolderBody = self._caller.call(call_of(Operation("PATCH", "/v1/folders/{folderId}", key=True), {"folderId": folder_id}, body, {}, options))
        return response_body

    def delete(self, folder_id: str, *, workspace_id: str | None = None, **options: Unpack[MatchOptions]) -> types.FolderBody:
        """Delete a folder: `DELETE /v1/folders/{folderId}`

        Deletes a folder and returns it. Its folders and bots are kept: they move to its parent folder, or to the top level.

        - `workspace_id`: When given, the folder must be in this workspace; otherwise it is not found.
        """
        response_body: types.FolderBody = self._caller.call(call_of(Operation("DELETE", "/v1/folders/{folderId}", repeatable=True), {"folderId": folder_id}, None, {"workspaceId": workspace_id}, options))
        return response_body


class Bots:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, workspace_id: str, folder_id: str | None = None, limit: int | None = None, cursor: str | None = None, **options: Unpack[RequestOptions]) -> Pages[types.BotPage, types.BotSummary]:
        """List the bots of a workspace: `GET /v1/bots`

        Returns the bots of a workspace or of one folder, newest first, without their flows. Bots in folders inside that folder and deleted bots are not listed.

        - `workspace_id`: Id of the workspace whose bots are listed.
        - `folder_id`: List only the bots directly in this folder; `root` means those in none. Absent lists the whole workspace; an unknown folder is not found.
        - `limit`: Maximum entries of the page, from 1 to 100.
        - `cursor`: The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input.
        """
        query: dict[str, Any] = {"workspaceId": workspace_id, "folderId": folder_id, "limit": limit, "cursor": cursor}

        def get_page(next_cursor: str | None) -> Any:
            page_query = query if next_cursor is None else {**query, "cursor": next_cursor}
            return self._caller.call(call_of(Operation("GET", "/v1/bots", entries="bots"), {}, None, page_query, options))

        return Pages(get_page, "bots")

    @overload
    def create(self, body: types.CreateBotBody, *, minimal: Literal[False] = False, **options: Unpack[KeyOptions]) -> types.BotBody: ...

    @overload
    def create(self, body: types.CreateBotBody, *, minimal: Literal[True], **options: Unpack[KeyOptions]) -> types.BotReferenceBody: ...

    def create(self, body: types.CreateBotBody, *, minimal: bool = False, **options: Unpack[KeyOptions]) -> types.BotBody | types.BotReferenceBody:
        """Create a bot: `POST /v1/bots`

        Creates a bot in a workspace and returns it. Absent properties get defaults: a start event without edge, empty lists, an empty theme and empty settings. The new bot is a draft; nobody can chat with it before it is published.

        With `minimal`, the response is short.
        """
        response_body: types.BotBody | types.BotReferenceBody = self._caller.call(call_of(Operation("POST", "/v1/bots", key=True), {}, body, {}, {**options, "minimal": minimal}))
        return response_body

    def get(self, bot_id: str, *, migrate_to_latest_version: bool | None = None, **options: Unpack[RequestOptions]) -> types.BotWithModeBody:
        """Get a bot: `GET /v1/bots/{botId}`

        Returns a bot with its draft as it was written or, on request, converted to the latest version of the schema. Members of the workspace may read it, and any caller if it is shared publicly.

        - `migrate_to_latest_version`: True to convert the response to the latest version of the schema. The stored document stays as it is. Absent means no.
        """
        response_body: types.BotWithModeBody = self._caller.call(call_of(Operation("GET", "/v1/bots/{botId}"), {"botId": bot_id}, None, {"migrateToLatestVersion": migrate_to_latest_version}, options))
        return response_body

    @overload
    def update(self, bot_id: str, body: types.UpdateBotBody, *, minimal: Literal[False] = False, **options: Unpack[KeyMatchOptions]) -> types.BotBody: ...

    @overload
    def update(self, bot_id: str, body: types.UpdateBotBody, *, minimal: Literal[True], **options: Unpack[KeyMatchOptions]) -> types.BotReferenceBody: ...

    def update(self, bot_id: str, body: types.UpdateBotBody, *, minimal: bool = False, **options: Unpack[KeyMatchOptions]) -> types.BotBody | types.BotReferenceBody:
        """Update a bot: `PATCH /v1/bots/{botId}`

        Changes the draft of a bot and returns it as stored. Absent properties stay as they are, given ones replace the whole property, and the stored version becomes the given one. With `bot.updatedAt` the update is rejected as a conflict if the bot has changed since; `overwrite` waives that. A later version than the stored one first converts the stored flow. From 6 to 6.1 it also converts the theme, unless one is sent. A legacy version sent to a bot stored in a current one needs `groups`, `edges` and `variables` together. The published copy does not change; public id, domain, `isClosed` and public sharing take effect at once.

        With `minimal`, the response is short.
        """
        response_body: types.BotBody | types.BotReferenceBody = self._caller.call(call_of(Operation("PATCH", "/v1/bots/{botId}", key=True), {"botId": bot_id}, body, {}, {**options, "minimal": minimal}))
        return response_body

    def delete(self, bot_id: str, **options: Unpack[MatchOptions]) -> types.SuccessBody:
        """Delete a bot: `DELETE /v1/bots/{botId}`

        Archives a bot. From then on no operation finds it: its draft, publications and results are deleted, running chats end, and its public id and domain are free again. This cannot be undone; export the bot first to keep its flow.
        """
        response_body: types.SuccessBody = self._caller.call(call_of(Operation("DELETE", "/v1/bots/{botId}", repeatable=True), {"botId": bot_id}, None, {}, options))
        return response_body

    def import_(self, body: types.ImportBotBody, **options: Unpack[KeyOptions]) -> types.ImportedBotBody:
        """Import a bot: `POST /v1/bots/import`

        Creates a bot from an exported document of any version and returns it. The bot gets a new id; all ids inside the flow stay. A flow in a legacy version is converted to the latest one, without loss. The new bot is a draft, without results and publications. Public id, domain, folder and credentials of the document are not taken over. A link block that carries the name of another product (`Acme link` with `acmeId`) becomes `Bot link` with `botId`. An event, item or last block of a group without `outgoingEdgeId` gets the one edge that starts at it. Public sharing is left out, since it would act at once. `warnings` lists dropped and added parts, links to bots that the workspace does not have, and blocks that chats skip. `errorsFound` and `warningsFound` count the findings that check a bot will list. A document that cannot be repaired is invalid input.
        """
        response_body: types.ImportedBotBody = self._caller.call(call_of(Operation("POST", "/v1/bots/import", key=True), {}, body, {}, options))
        return response_body

    def duplicate(self, bot_id: str, body: types.DuplicateBotBody | None = None, **options: Unpack[KeyOptions]) -> types.BotBody:
        """Duplicate a bot: `POST /v1/bots/{botId}/duplicate`

        Creates a bot with the draft of another one, in its stored version, and returns it. The new bot gets a new id; all ids inside the flow stay. Results, publications, public id, domain and the credentials of a messaging channel are not copied. Public sharing is left out, since it would act at once. Credentials that blocks name belong to the same workspace, so they still work.
        """
        response_body: types.BotBody = self._caller.call(call_of(Operation("POST", "/v1/bots/{botId}/duplicate", key=True), {"botId": bot_id}, body, {}, options))
        return response_body

    def export(self, bot_id: str, **options: Unpack[RequestOptions]) -> types.ExportedBotBody:
        """Export a bot: `GET /v1/bots/{botId}/export`

        Returns the draft of a bot as a document, in its stored version. Import takes the value of `bot` in the response as its `bot`, in this installation or another one: exporting and importing makes a duplicate. Publications and results are not part of it.
        """
        response_body: types.ExportedBotBody = self._caller.call(call_of(Operation("GET", "/v1/bots/{botId}/export"), {"botId": bot_id}, None, {}, options))
        return response_body

    def check(self, bot_id: str, **options: Unpack[RequestOptions]) -> types.FlowCheckBody:
        """Check the flow of a bot: `GET /v1/bots/{botId}/check`

        Reports parts of the draft that would misbehave when it runs. In the graph, these are references to nothing, edges that are not the `outgoingEdgeId` of their start, unreachable groups, duplicate ids, a missing start, and circles without an input. In blocks, these are types that chats skip, misspelt properties, names in placeholders that no variable has, code that does not parse, and missing parts of blocks, bubbles and items. None of them prevents storing or publishing the bot.
        """
        response_body: types.FlowCheckBody = self._caller.call(call_of(Operation("GET", "/v1/bots/{botId}/check"), {"botId": bot_id}, None, {}, options))
        return response_body

    def compare(self, bot_id: str, *, from_: str | None = None, to: str | None = None, **options: Unpack[RequestOptions]) -> types.ComparisonBody:
        """Compare two states of a bot: `GET /v1/bots/{botId}/compare`

        Returns the differences between two states of the flow of a bot: its draft, the live publication, or an earlier one. Groups, blocks, items, edges, variables and events are matched by their ids, so the order of stored lists makes no difference. Blocks of a group and items of a block that changed their order are `moved`. Flows in different versions are compared in the latest one, without the changes of the conversion alone. Name, icon and public id are not part of a publication and are not compared.

        - `from_`: The state before: `draft`, `published`, or the id of a publication. Default `published`.
        - `to`: The state after: `draft`, `published`, or the id of a publication. Default `draft`.
        """
        response_body: types.ComparisonBody = self._caller.call(call_of(Operation("GET", "/v1/bots/{botId}/compare"), {"botId": bot_id}, None, {"from": from_, "to": to}, options))
        return response_body

    def publish(self, bot_id: str, **options: Unpack[KeyMatchOptions]) -> types.PublishedBody:
        """Publish a bot: `POST /v1/bots/{botId}/publish`

        Copies the stored draft, in one step, and makes the copy the one that chats run. Earlier copies stay as publications; running chats finish on the copy they started with. A bot without public id gets one: its name in lower case with a random ending. Findings of the check never prevent publishing: the publication lists them, `errorsFound` and `warningsFound` count them, and `firstErrors` shows the first errors. The draft and its `updatedAt` do not change. Takes no body.
        """
        response_body: types.PublishedBody = self._caller.call(call_of(Operation("POST", "/v1/bots/{botId}/publish", key=True), {"botId": bot_id}, None, {}, options))
        return response_body

    def unpublish(self, bot_id: str, **options: Unpack[KeyMatchOptions]) -> types.SuccessBody:
        """Unpublish a bot: `POST /v1/bots/{botId}/unpublish`

        Removes the published copy, so that no new chat can start; running chats finish. Public id, draft, results and earlier publications stay. Succeeds when the bot is not published. Takes no body.
        """
        response_body: types.SuccessBody = self._caller.call(call_of(Operation("POST", "/v1/bots/{botId}/unpublish", key=True), {"botId": bot_id}, None, {}, options))
        return response_body

    @overload
    def edit(
        self,
        bot_id: str,
        change: Callable[[types.BotV61], types.BotChange],
        *,
        migrate_to_latest_version: Literal[True],
        attempts: int = 10,
        **options: Unpack[RequestOptions],
    ) -> types.BotBody: ...

    @overload
    def edit(
        self,
        bot_id: str,
        change: Callable[[types.Bot], types.BotChange],
        *,
        migrate_to_latest_version: bool = False,
        attempts: int = 10,
        **options: Unpack[RequestOptions],
    ) -> types.BotBody: ...

    def edit(
        self,
        bot_id: str,
        change: Callable[[Any], types.BotChange],
        *,
        migrate_to_latest_version: bool = False,
        attempts: int = 10,
        **options: Unpack[RequestOptions],
    ) -> types.BotBody:
        """
        Reads a bot, applies a change and writes it. If somebody else wrote in between, reads the bot again and applies the
        change to that, so `change` may be called several times. It returns the properties to write.

        With `migrate_to_latest_version`, the bot is converted to version 6.1. `attempts` is the maximum of attempts
        before the call fails with the conflict.
        """
        response_body: types.BotBody = edit_bot(
            lambda: self.get(bot_id, migrate_to_latest_version=migrate_to_latest_version or None, **options),
            partial(self.update, bot_id, **options),
            change,
            attempts,
        )
        return response_body


class Templates:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, **options: Unpack[RequestOptions]) -> types.TemplateList:
        """List the templates: `GET /v1/templates`

        Returns the bots that the service offers as a start, without their flows. They are the same for all users, and change only with the version of the service.
        """
        response_body: types.TemplateList = self._caller.call(call_of(Operation("GET", "/v1/templates"), {}, None, {}, options))
        return response_body

    def get(self, template_id: str, **options: Unpack[RequestOptions]) -> types.TemplateBody:
        """Get a template: `GET /v1/templates/{templateId}`

        Returns a template with its flow, theme and settings. Create bot takes `template.bot` as its `bot`, and import takes it as a file.
        """
        response_body: types.TemplateBody = self._caller.call(call_of(Operation("GET", "/v1/templates/{templateId}"), {"templateId": template_id}, None, {}, options))
        return response_body


class WebhookBlocks:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, bot_id: str, **options: Unpack[RequestOptions]) -> types.WebhookBlocksBody:
        """List the blocks that send requests: `GET /v1/bots/{botId}/webhookBlocks`

        Returns the HTTP request blocks of the draft, in the order of the document: at most 1,000 of the types Webhook, Zapier, Make.com and Pabbly. An app of an automation service offers them in a menu.
        """
        response_body: types.WebhookBlocksBody = self._caller.call(call_of(Operation("GET", "/v1/bots/{botId}/webhookBlocks"), {"botId": bot_id}, None, {}, options))
        return response_body

    def subscribe(self, bot_id: str, block_id: str, body: types.SubscribeWebhookBlockBody, **options: Unpack[KeyOptions]) -> types.WebhookSubscription:
        """Set the address of a block: `POST /v1/bots/{botId}/webhookBlocks/{blockId}/subscribe`

        Sets the address that a block of the draft sends its request to. An app of an automation service does this when a user switches its trigger on. The rest of the block stays as it is. Chats use the address once the bot is published again. A bot in version 3 keeps its requests outside of the document, so its block cannot be set: update the bot to a newer version first.
        """
        response_body: types.WebhookSubscription = self._caller.call(call_of(Operation("POST", "/v1/bots/{botId}/webhookBlocks/{blockId}/subscribe", key=True), {"botId": bot_id, "blockId": block_id}, body, {}, options))
        return response_body

    def unsubscribe(self, bot_id: str, block_id: str, **options: Unpack[KeyOptions]) -> types.WebhookSubscription:
        """Clear the address of a block: `POST /v1/bots/{botId}/webhookBlocks/{blockId}/unsubscribe`

        Removes the address of a block of the draft. An app does this when a user switches its trigger off. Chats send no request there once the bot is published again. A block without an address stays as it is. Takes no body.
        """
        response_body: types.WebhookSubscription = self._caller.call(call_of(Operation("POST", "/v1/bots/{botId}/webhookBlocks/{blockId}/unsubscribe", key=True), {"botId": bot_id, "blockId": block_id}, None, {}, options))
        return response_body


class ResultExamples:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self, bot_id: str, block_id: str, **options: Unpack[RequestOptions]) -> types.ResultExampleBody:
        """Get an example of the body of a block: `GET /v1/bots/{botId}/webhookBlocks/{blockId}/getResultExample`

        Returns made-up answers in the form in which the block sends them. The body has one for each input that a chat can have passed before the block. It also has one for each variable with a value of its own. `submittedAt` is the current time, and `message` says that the data is made up; requests of chats have no `message`. A block with a body of its own sends that instead.
        """
        response_body: types.ResultExampleBody = self._caller.call(call_of(Operation("GET", "/v1/bots/{botId}/webhookBlocks/{blockId}/getResultExample"), {"botId": bot_id, "blockId": block_id}, None, {}, options))
        return response_body


class PublishedBots:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self, bot_id: str, *, migrate_to_latest_version: bool | None = None, **options: Unpack[RequestOptions]) -> types.PublishedBotBody:
        """Get the published copy of a bot: `GET /v1/bots/{botId}/publishedBot`

        Returns the copy that chats run, as it was written or, on request, converted to the latest version of the schema. A bot that is not published is not found. Members of the workspace may read it, and any caller if the bot is shared publicly.

        - `migrate_to_latest_version`: True to convert the response to the latest version of the schema. The stored document stays as it is. Absent means no.
        """
        response_body: types.PublishedBotBody = self._caller.call(call_of(Operation("GET", "/v1/bots/{botId}/publishedBot"), {"botId": bot_id}, None, {"migrateToLatestVersion": migrate_to_latest_version}, options))
        return response_body


class Publications:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, bot_id: str, *, limit: int | None = None, cursor: str | None = None, **options: Unpack[RequestOptions]) -> Pages[types.PublicationPage, types.PublicationSummary]:
        """List the publications of a bot: `GET /v1/bots/{botId}/publications`

        Returns the published copies of the bot, newest first, without their flows. Publishing again and unpublishing do not remove them; deleting the bot does. An installation may delete copies that were replaced long ago: these are not listed, and get and restore return 404.

        - `limit`: Maximum entries of the page, from 1 to 100.
        - `cursor`: The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input.
        """
        query: dict[str, Any] = {"limit": limit, "cursor": cursor}

        def get_page(next_cursor: str | None) -> Any:
            page_query = query if next_cursor is None else {**query, "cursor": next_cursor}
            return self._caller.call(call_of(Operation("GET", "/v1/bots/{botId}/publications", entries="publications"), {"botId": bot_id}, None, page_query, options))

        return Pages(get_page, "publications")

    def get(self, bot_id: str, publication_id: str, **options: Unpack[RequestOptions]) -> types.PublicationBody:
        """Get a publication: `GET /v1/bots/{botId}/publications/{publicationId}`

        Returns one published copy with its flow and the findings of the check when it was published.
        """
        response_body: types.PublicationBody = self._caller.call(call_of(Operation("GET", "/v1/bots/{botId}/publications/{publicationId}"), {"botId": bot_id, "publicationId": publication_id}, None, {}, options))
        return response_body

    def restore(self, bot_id: str, publication_id: str, **options: Unpack[KeyMatchOptions]) -> types.BotBody:
        """Restore a publication into the draft: `POST /v1/bots/{botId}/publications/{publicationId}/restore`

        Copies flow, theme and settings of an earlier publication into the draft, and returns the bot with a new `updatedAt`. It replaces the draft and its version; publish the draft first to keep it. Name, folder, public id, the live copy and public sharing stay as they are: publish to make the restored draft live. Takes no body.
        """
        response_body: types.BotBody = self._caller.call(call_of(Operation("POST", "/v1/bots/{botId}/publications/{publicationId}/restore", key=True), {"botId": bot_id, "publicationId": publication_id}, None, {}, options))
        return response_body


class Results:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, bot_id: str, *, limit: int | None = None, cursor: str | None = None, time_filter: Literal["today", "last7Days", "last30Days", "monthToDate", "lastMonth", "yearToDate", "allTime"] | None = None, time_zone: str | None = None, created_after: str | None = None, created_before: str | None = None, status: Literal["started", "completed"] | None = None, answer_contains: str | None = None, variable: str | None = None, **options: Unpack[RequestOptions]) -> Pages[types.ResultPage, types.Result]:
        """List the results of a bot: `GET /v1/bots/{botId}/results`

        Returns the results with at least one answer, newest first, with their answers and variables. Results of earlier publications are among them. Pages join without gap or repeat while new results arrive. With `status`, `answerContains` or `variable`, a page ends once it has examined 800 results, or 24 MB of answers and variables. It may then have fewer entries than `limit`, or none, and a `nextCursor` all the same.

        - `limit`: Maximum entries of the page, from 1 to 100.
        - `cursor`: The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input.
        - `time_filter`: Calendar days that count, by the given time zone: `last7Days` and `last30Days` include today, `lastMonth` is the whole month before this one.
        - `time_zone`: IANA name of the time zone of the calendar days.
        - `created_after`: Start of the range, inclusive, with its time zone. Narrows the days of `timeFilter`.
        - `created_before`: End of the range, exclusive, with its time zone. It must not be before `createdAfter`, and has to be later than the beginning of `timeFilter`.
        - `status`: Progress of a chat: `started` has at least one answer and did not reach an end, `completed` has at least one and reached an end. Absent means both, and where chats without an answer count, these too.
        - `answer_contains`: Text that at least one answer contains, without regard to case. No character has a special meaning.
        - `variable`: Name of a variable, a colon, and its exact value. For a list, one entry must have that value. The first colon ends the name, so variables with a colon in their names cannot be used.
        """
        query: dict[str, Any] = {"limit": limit, "cursor": cursor, "timeFilter": time_filter, "timeZone": time_zone, "createdAfter": created_after, "createdBefore": created_before, "status": status, "answerContains": answer_contains, "variable": variable}

        def get_page(next_cursor: str | None) -> Any:
            page_query = query if next_cursor is None else {**query, "cursor": next_cursor}
            return self._caller.call(call_of(Operation("GET", "/v1/bots/{botId}/results", entries="results"), {"botId": bot_id}, None, page_query, options))

        return Pages(get_page, "results")

    @overload
    def delete(self, bot_id: str, *, result_ids: Sequence[str], created_before: str | None = None, **options: Unpack[RequestOptions]) -> types.SuccessBody: ...

    @overload
    def delete(self, bot_id: str, *, result_ids: Sequence[str] | None = None, created_before: str, **options: Unpack[RequestOptions]) -> types.SuccessBody: ...

    def delete(self, bot_id: str, *, result_ids: Sequence[str] | None = None, created_before: str | None = None, **options: Unpack[RequestOptions]) -> types.SuccessBody:
        """Delete results of a bot: `DELETE /v1/bots/{botId}/results`

        Deletes results of the bot with their answers, transcripts, logs and files. `resultIds` names them, or `createdBefore` bounds their start; with both, results must meet both, and with neither all are deleted. This cannot be undone. Their chats are over, and webhook endpoints get only `results.deleted` for them. Unknown ids and ids of other bots are ignored. A body, an empty value or an unknown parameter is rejected, and without a filter a Content-Type header too. So a misplaced list of ids can never delete everything.

        - `result_ids`: Ids of the results to delete, separated by commas. Absent means no restriction to ids.
        - `created_before`: Only results whose chats began before this time, with its time zone; not in the future. Results without an answer are among them.
        """
        response_body: types.SuccessBody = self._caller.call(call_of(Operation("DELETE", "/v1/bots/{botId}/results", needs=("resultIds", "createdBefore",)), {"botId": bot_id}, None, {"resultIds": result_ids, "createdBefore": created_before}, options))
        return response_body

    def delete_all(self, bot_id: str, **options: Unpack[RequestOptions]) -> types.SuccessBody:
        """Delete results of a bot: `DELETE /v1/bots/{botId}/results`

        Deletes results of the bot with their answers, transcripts, logs and files. `resultIds` names them, or `createdBefore` bounds their start; with both, results must meet both, and with neither all are deleted. This cannot be undone. Their chats are over, and webhook endpoints get only `results.deleted` for them. Unknown ids and ids of other bots are ignored. A body, an empty value or an unknown parameter is rejected, and without a filter a Content-Type header too. So a misplaced list of ids can never delete everything.
        """
        response_body: types.SuccessBody = self._caller.call(call_of(Operation("DELETE", "/v1/bots/{botId}/results"), {"botId": bot_id}, None, {}, options))
        return response_body

    def get(self, bot_id: str, result_id: str, **options: Unpack[RequestOptions]) -> types.ResultBody:
        """Get a result: `GET /v1/bots/{botId}/results/{resultId}`

        Returns one result with its answers and variables, even if no answer was given yet.
        """
        response_body: types.ResultBody = self._caller.call(call_of(Operation("GET", "/v1/bots/{botId}/results/{resultId}"), {"botId": bot_id, "resultId": result_id}, None, {}, options))
        return response_body

    def export(self, bot_id: str, *, format: Literal["csv", "jsonl"] | None = None, limit: int | None = None, cursor: str | None = None, byte_order_mark: bool | None = None, time_filter: Literal["today", "last7Days", "last30Days", "monthToDate", "lastMonth", "yearToDate", "allTime"] | None = None, time_zone: str | None = None, created_after: str | None = None, created_before: str | None = None, status: Literal["started", "completed"] | None = None, answer_contains: str | None = None, variable: str | None = None, **options: Unpack[RequestOptions]) -> Download:
        """Export results as CSV or JSON lines: `GET /v1/bots/{botId}/resultsExport`

        Streams the results with at least one answer, newest first, one line per result. CSV (RFC 4180, UTF-8) begins with the names of the columns. First come the questions of the published flow and of the bots that merge their results into it, answered or not: one column per variable that they fill, one per question without a variable. Then come answered questions that are in none of these flows, unless their variable has a column. Variables that no question fills come last. The last ten publications before the live one name deleted questions and variables. A cell has the final value of the variable. If that is the last answer to its questions, the cell has all of their answers. Values that a spreadsheet would take for a formula are prefixed with a single quote. In JSON lines, each line is a result as the list of results has it.

        With `limit` the export comes in parts that can be requested again. A part covers that many results from its `cursor` on, and contains those that match the filters; its header `Next-Cursor` is the start of the next part. Results that arrive or are deleted meanwhile make no gap and no repeat. Every part of a CSV has the names of the columns. `Results-Remaining` is the number of results left, for a display of progress.

        - `format`: Form of the lines: comma-separated values, or a JSON object each.
        - `limit`: Number of results that the part covers. Absent covers all, in one response.
        - `cursor`: The `Next-Cursor` of the part before, sent with the same filter; absent for the first part. An altered cursor, or one of another bot or filter, is invalid input.
        - `byte_order_mark`: True to begin a CSV with a byte order mark, by which Excel recognises UTF-8. Only the first part has one. Absent means no.
        - `time_filter`: Calendar days that count, by the given time zone: `last7Days` and `last30Days` include today, `lastMonth` is the whole month before this one.
        - `time_zone`: IANA name of the time zone of the calendar days.
        - `created_after`: Start of the range, inclusive, with its time zone. Narrows the days of `timeFilter`.
        - `created_before`: End of the range, exclusive, with its time zone. It must not be before `createdAfter`, and has to be later than the beginning of `timeFilter`.
        - `status`: Progress of a chat: `started` has at least one answer and did not reach an end, `completed` has at least one and reached an end. Absent means both, and where chats without an answer count, these too.
        - `answer_contains`: Text that at least one answer contains, without regard to case. No character has a special meaning.
        - `variable`: Name of a variable, a colon, and its exact value. For a list, one entry must have that value. The first colon ends the name, so variables with a colon in their names cannot be used.
        """
        return Download(lambda: self._caller.send(call_of(Operation("GET", "/v1/bots/{botId}/resultsExport", raw=True), {"botId": bot_id}, None, {"format": format, "limit": limit, "cursor": cursor, "byteOrderMark": byte_order_mark, "timeFilter": time_filter, "timeZone": time_zone, "createdAfter": created_after, "createdBefore": created_before, "status": status, "answerContains": answer_contains, "variable": variable}, options)))


class Transcripts:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self, bot_id: str, result_id: str, **options: Unpack[RequestOptions]) -> types.TranscriptBody:
        """Get the transcript of a result: `GET /v1/bots/{botId}/results/{resultId}/transcript`

        Returns the messages of the bot, the visitor and members, in order, as they were sent: later changes of the bot do not change them.
        """
        response_body: types.TranscriptBody = self._caller.call(call_of(Operation("GET", "/v1/bots/{botId}/results/{resultId}/transcript"), {"botId": bot_id, "resultId": result_id}, None, {}, options))
        return response_body


class ResultLogs:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, bot_id: str, result_id: str, *, limit: int | None = None, cursor: str | None = None, **options: Unpack[RequestOptions]) -> Pages[types.ResultLogPage, types.ResultLog]:
        """List the logs of a result: `GET /v1/bots/{botId}/results/{resultId}/logs`

        Returns the log entries of the service and of chat clients for the chat, newest first.

        - `limit`: Maximum entries of the page, from 1 to 100.
        - `cursor`: The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input.
        """
        query: dict[str, Any] = {"limit": limit, "cursor": cursor}

        def get_page(next_cursor: str | None) -> Any:
            page_query = query if next_cursor is None else {**query, "cursor": next_cursor}
            return self._caller.call(call_of(Operation("GET", "/v1/bots/{botId}/results/{resultId}/logs", entries="logs"), {"botId": bot_id, "resultId": result_id}, None, page_query, options))

        return Pages(get_page, "logs")


class Stats:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self, bot_id: str, *, time_filter: Literal["today", "last7Days", "last30Days", "monthToDate", "lastMonth", "yearToDate", "allTime"] | None = None, time_zone: str | None = None, created_after: str | None = None, created_before: str | None = None, status: Literal["started", "completed"] | None = None, **options: Unpack[RequestOptions]) -> types.StatsBody:
        """Get the statistics of a bot: `GET /v1/bots/{botId}/analytics/stats`

        Counts the chats of a bot that began in a time range. The counts are all chats, those with an answer, and those of them that reached an end. Deleted results do not count. A bot that is not published has statistics too.

        - `time_filter`: Calendar days that count, by the given time zone: `last7Days` and `last30Days` include today, `lastMonth` is the whole month before this one.
        - `time_zone`: IANA name of the time zone of the calendar days.
        - `created_after`: Start of the range, inclusive, with its time zone. Narrows the days of `timeFilter`.
        - `created_before`: End of the range, exclusive, with its time zone. It must not be before `createdAfter`, and has to be later than the beginning of `timeFilter`.
        - `status`: Progress of a chat: `started` has at least one answer and did not reach an end, `completed` has at least one and reached an end. Absent means both, and where chats without an answer count, these too.
        """
        response_body: types.StatsBody = self._caller.call(call_of(Operation("GET", "/v1/bots/{botId}/analytics/stats"), {"botId": bot_id}, None, {"timeFilter": time_filter, "timeZone": time_zone, "createdAfter": created_after, "createdBefore": created_before, "status": status}, options))
        return response_body


class BlockStats:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self, bot_id: str, *, time_filter: Literal["today", "last7Days", "last30Days", "monthToDate", "lastMonth", "yearToDate", "allTime"] | None = None, time_zone: str | None = None, created_after: str | None = None, created_before: str | None = None, status: Literal["started", "completed"] | None = None, **options: Unpack[RequestOptions]) -> types.BlockStatsBody:
        """Get the statistics of the blocks of a bot: `GET /v1/bots/{botId}/analytics/blocks`

        Counts, for chats that began in a time range, the times each input of the published flow was shown, answered and left. The blocks are in the order of the flow. `shown` is the sum of `answered`, `left` and inputs that are still open: a chat can be continued for at least 48 hours after its last turn. An input that a chat comes to twice counts twice. If several chats share a result, because the bot remembers its visitors, the position of the last one counts. Deleted results do not count. A bot that is not published is not found.

        - `time_filter`: Calendar days that count, by the given time zone: `last7Days` and `last30Days` include today, `lastMonth` is the whole month before this one.
        - `time_zone`: IANA name of the time zone of the calendar days.
        - `created_after`: Start of the range, inclusive, with its time zone. Narrows the days of `timeFilter`.
        - `created_before`: End of the range, exclusive, with its time zone. It must not be before `createdAfter`, and has to be later than the beginning of `timeFilter`.
        - `status`: Progress of a chat: `started` has at least one answer and did not reach an end, `completed` has at least one and reached an end. Absent means both, and where chats without an answer count, these too.
        """
        response_body: types.BlockStatsBody = self._caller.call(call_of(Operation("GET", "/v1/bots/{botId}/analytics/blocks"), {"botId": bot_id}, None, {"timeFilter": time_filter, "timeZone": time_zone, "createdAfter": created_after, "createdBefore": created_before, "status": status}, options))
        return response_body


class Chat:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def start(self, public_id: str, body: types.StartChatBody | None = None, **options: Unpack[KeyOptions]) -> types.StartedChatBody:
        """Start a chat: `POST /api/v1/bots/{publicId}/startChat`

        Starts a chat with a published bot and runs it up to its first input. The chat stays with the copy that is published now, and its answers go to a new result. A public id that no published bot has is not found; a bot that is closed is invalid input; a page whose origin the bot does not allow is forbidden.
        """
        response_body: types.StartedChatBody = self._caller.call(call_of(Operation("POST", "/api/v1/bots/{publicId}/startChat", key=True, open=True, timeout=150), {"publicId": public_id}, body, {}, options))
        return response_body

    def start_streaming(self, public_id: str, body: types.StartChatBody | None = None, **options: Unpack[KeyOptions]) -> Iterator[types.ChatEvent]:
        """Start a chat: `POST /api/v1/bots/{publicId}/startChat`

        Starts a chat with a published bot and runs it up to its first input. The chat stays with the copy that is published now, and its answers go to a new result. A public id that no published bot has is not found; a bot that is closed is invalid input; a page whose origin the bot does not allow is forbidden.
        """
        return self._caller.events(call_of(Operation("POST", "/api/v1/bots/{publicId}/startChat", key=True, open=True, events=True, timeout=150), {"publicId": public_id}, body, {}, options))

    def continue_(self, session_id: str, body: types.ContinueChatBody | None = None, **options: Unpack[RequestOptions]) -> types.ContinuedChatBody:
        """Continue a chat: `POST /api/v1/sessions/{sessionId}/continueChat`

        Sends a reply and runs the flow up to its next input. A reply that the input does not accept gets a message and the same input. A chat that waits at a webhook block returns the same turn again until the webhook is called; in a preview a text stands for the call, such as `{"data": {"isPaid": true}}`. With `revision` a repeated request gets the same response again. If equal replies arrive at once, one counts and all get its response; if they differ, one counts and the others are a conflict. A session can be continued for at least 48 hours after its last turn; then, or when the bot is deleted, it is not found.
        """
        response_body: types.ContinuedChatBody = self._caller.call(call_of(Operation("POST", "/api/v1/sessions/{sessionId}/continueChat", open=True), {"sessionId": session_id}, body, {}, options))
        return response_body

    def continue_streaming(self, session_id: str, body: types.ContinueChatBody | None = None, **options: Unpack[RequestOptions]) -> Iterator[types.ChatEvent]:
        """Continue a chat: `POST /api/v1/sessions/{sessionId}/continueChat`

        Sends a reply and runs the flow up to its next input. A reply that the input does not accept gets a message and the same input. A chat that waits at a webhook block returns the same turn again until the webhook is called; in a preview a text stands for the call, such as `{"data": {"isPaid": true}}`. With `revision` a repeated request gets the same response again. If equal replies arrive at once, one counts and all get its response; if they differ, one counts and the others are a conflict. A session can be continued for at least 48 hours after its last turn; then, or when the bot is deleted, it is not found.
        """
        return self._caller.events(call_of(Operation("POST", "/api/v1/sessions/{sessionId}/continueChat", open=True, events=True), {"sessionId": session_id}, body, {}, options))

    def list(self, bot_id: str, *, limit: int | None = None, cursor: str | None = None, handled_by: Literal["bot", "waiting", "member"] | None = None, assignee_id: str | None = None, **options: Unpack[RequestOptions]) -> Pages[types.ChatPage, types.BotChatSummary]:
        """List the chats of a bot: `GET /v1/bots/{botId}/chats`

        Returns the chats that have begun, have not ended and can still be continued, newest first. With `handledBy` `waiting` the one that has waited longest comes first; with `member` or `assigneeId`, the one that changed hands last. Get a chat returns the messages. Previews are not listed.

        - `limit`: Maximum entries of the page, from 1 to 100.
        - `cursor`: The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input.
        - `handled_by`: Only chats in this state: handled by the `bot`, `waiting` for a member, or handled by a `member`.
        - `assignee_id`: Only chats that this member handles.
        """
        query: dict[str, Any] = {"limit": limit, "cursor": cursor, "handledBy": handled_by, "assigneeId": assignee_id}

        def get_page(next_cursor: str | None) -> Any:
            page_query = query if next_cursor is None else {**query, "cursor": next_cursor}
            return self._caller.call(call_of(Operation("GET", "/v1/bots/{botId}/chats", entries="chats"), {"botId": bot_id}, None, page_query, options))

        return Pages(get_page, "chats")

    def get(self, bot_id: str, session_id: str, **options: Unpack[RequestOptions]) -> types.ChatDetailBody:
        """Get a chat with its messages: `GET /v1/bots/{botId}/chats/{sessionId}`

        Returns the current state of a chat with its messages. A chat that ended can be read for an hour after its end; the transcript of the result stays. A preview is not found.
        """
        response_body: types.ChatDetailBody = self._caller.call(call_of(Operation("GET", "/v1/bots/{botId}/chats/{sessionId}"), {"botId": bot_id, "sessionId": session_id}, None, {}, options))
        return response_body

    def update(self, bot_id: str, session_id: str, body: types.ChatUpdate | None = None, **options: Unpack[KeyOptions]) -> types.ChatBody:
        """Steer a chat: `PATCH /v1/bots/{botId}/chats/{sessionId}`

        Sets variables of a chat, takes it, gives it back, or ends it. Variables have their new values in the result at once, and in the chat from its next turn on. A turn that runs meanwhile loses neither its own changes nor these. `handledBy` `member` takes the chat for the caller, or for `assigneeId`: from then on the bot neither runs nor sends, and the visitor writes to people. A turn that is running then is dropped; the visitor's message counts as written to the member. A chat that is taken from the bot counts towards the daily limit of messages from the members of the workspace. A chat that another member handles is a conflict unless `assigneeId` is sent. `waiting` queues the chat for a member. `bot` gives it back at the position where it was, or at the group of `groupId`; it continues there with the next turn of the visitor's client. A chat that was ended is not found by its visitor, like any that is over; its result stays, with an entry in its log. A name that no variable has is invalid input. A chat that is over, and a preview, is not found.
        """
        response_body: types.ChatBody = self._caller.call(call_of(Operation("PATCH", "/v1/bots/{botId}/chats/{sessionId}", key=True), {"botId": bot_id, "sessionId": session_id}, body, {}, options))
        return response_body

    def converse(self, public_id: str, body: types.StartChatBody | None = None, **options: Unpack[KeyOptions]) -> Conversation:
        """Starts a chat and stores its session: `chat = client.chat.converse(public_id)`, `chat.say("Ada")`."""
        return Conversation(self.start(public_id, body, **options), self.continue_)


class Sessions:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self, session_id: str, **options: Unpack[RequestOptions]) -> types.ChatSessionBody:
        """Get a chat session: `GET /api/v1/sessions/{sessionId}`

        Returns the current state of a chat: its messages, and the input or the action it waits for. A client that was closed shows this and continues with `revision`; nothing runs again. A session can be read as long as it can be continued, and for an hour after it ended.
        """
        response_body: types.ChatSessionBody = self._caller.call(call_of(Operation("GET", "/api/v1/sessions/{sessionId}", open=True), {"sessionId": session_id}, None, {}, options))
        return response_body


class SessionEvents:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, session_id: str, *, after: str | None = None, **options: Unpack[RequestOptions]) -> types.SessionEventsBody:
        """Follow a chat session: `GET /api/v1/sessions/{sessionId}/events`

        Returns the events of a chat after a given one: turns, messages of members, changes of hands, the end. A client that accepts `text/event-stream` gets them as they come. A browser that lost the connection continues from its last event by itself. Clients need it only while `expectsEvents` is true; reading the session again shows the same.

        - `after`: Id of the last event that the client has. Absent means from now on. The header `Last-Event-ID` takes precedence.
        """
        response_body: types.SessionEventsBody = self._caller.call(call_of(Operation("GET", "/api/v1/sessions/{sessionId}/events", open=True), {"sessionId": session_id}, None, {"after": after}, options))
        return response_body


class Previews:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def start(self, bot_id: str, body: types.StartPreviewBody | None = None, **options: Unpack[KeyOptions]) -> types.StartedPreviewBody:
        """Preview the draft of a bot: `POST /api/v1/bots/{botId}/preview/startChat`

        Starts a chat with the draft instead of the published copy. It stores no result; every turn runs the current draft. Continue it with the operation that continues chats. With `simulation`, the engine of live chats runs a whole chat at once, from given replies, responses, a clock and branches. Nothing is sent or stored, and with `startsAt` the same request runs the same chat. Blocks get stand-ins in place of the data of credentials.
        """
        response_body: types.StartedPreviewBody = self._caller.call(call_of(Operation("POST", "/api/v1/bots/{botId}/preview/startChat", key=True, timeout=150), {"botId": bot_id}, body, {}, options))
        return response_body


class Webhooks:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def execute(self, bot_id: str, block_id: str, result_id: str, body: types.WebhookData | None = None, **options: Unpack[KeyOptions]) -> types.SuccessBody:
        """Call the webhook that a chat waits for: `POST /api/v1/bots/{botId}/blocks/{blockId}/results/{resultId}/executeWebhook`

        Continues a chat that waits at a webhook block, with the body as the data that the block maps into variables. Numbers of any length stay as they are written. The waiting client continues without a message and with its `revision`, and gets the next turn in the text format of its last request. A chat that does not wait at this block is invalid input.
        """
        response_body: types.SuccessBody = self._caller.call(call_of(Operation("POST", "/api/v1/bots/{botId}/blocks/{blockId}/results/{resultId}/executeWebhook", key=True, timeout=150), {"botId": bot_id, "blockId": block_id, "resultId": result_id}, body, {}, options))
        return response_body

    verify = staticmethod(webhooks.verify)


class ClientLogs:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def save(self, session_id: str, body: types.SaveClientLogsBody, **options: Unpack[RequestOptions]) -> types.SuccessBody:
        """Save log entries of a chat client: `POST /api/v2/sessions/{sessionId}/clientLogs`

        Stores log entries of a chat client with the result of the chat. Needs no token: any caller with the id of the session may write. An unknown session is invalid input. A session may have 1,000 entries in all. A request that exceeds them, or the daily limit of its address (`daily_quota_exceeded`), is rejected as a whole with `TOO_MANY_REQUESTS`.
        """
        response_body: types.SuccessBody = self._caller.call(call_of(Operation("POST", "/api/v2/sessions/{sessionId}/clientLogs", open=True), {"sessionId": session_id}, body, {}, options))
        return response_body


class WorkspaceChats:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, workspace_id: str, *, limit: int | None = None, cursor: str | None = None, handled_by: Literal["waiting", "member"] | None = None, assignee_id: str | None = None, **options: Unpack[RequestOptions]) -> Pages[types.WorkspaceChatPage, types.WorkspaceChat]:
        """List the chats of a workspace that people handle: `GET /v1/workspaces/{workspaceId}/chats`

        Returns the chats of all bots of the workspace that wait for a member, longest wait first. Chats that members handle follow, latest change of hands first. Chats that the bot handles are in the list of each bot.

        - `limit`: Maximum entries of the page, from 1 to 100.
        - `cursor`: The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input.
        - `handled_by`: Only chats in this state: `waiting` for a member, or handled by a `member`.
        - `assignee_id`: Only chats that this member handles.
        """
        query: dict[str, Any] = {"limit": limit, "cursor": cursor, "handledBy": handled_by, "assigneeId": assignee_id}

        def get_page(next_cursor: str | None) -> Any:
            page_query = query if next_cursor is None else {**query, "cursor": next_cursor}
            return self._caller.call(call_of(Operation("GET", "/v1/workspaces/{workspaceId}/chats", entries="chats"), {"workspaceId": workspace_id}, None, page_query, options))

        return Pages(get_page, "chats")


class Messages:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def send(self, bot_id: str, session_id: str, body: types.MemberMessage | None = None, **options: Unpack[KeyOptions]) -> types.SentMessageBody:
        """Write to the visitor of a chat: `POST /v1/bots/{botId}/chats/{sessionId}/messages`

        Sends a message to the visitor of a chat that a member handles, in plain text or Markdown, with or without files. The visitor gets it with the events of the session, or by reading the session; the transcript of the result has it too. Upload files before, with the operation of visitors, which takes any file while a member handles the chat. A chat that no member handles is a conflict: take it first. A chat has at most 2,000 messages of members. The installation limits those of a workspace in a day, by default to 50,000 with 100 MB; more are a 429. A chat that is over, and a preview, is not found.
        """
        response_body: types.SentMessageBody = self._caller.call(call_of(Operation("POST", "/v1/bots/{botId}/chats/{sessionId}/messages", key=True), {"botId": bot_id, "sessionId": session_id}, body, {}, options))
        return response_body


class TypingSigns:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def update(self, bot_id: str, session_id: str, body: types.TypingSign, **options: Unpack[RequestOptions]) -> types.SuccessBody:
        """Show the visitor of a chat that a member is typing: `PUT /v1/bots/{botId}/chats/{sessionId}/typing`

        Shows the visitor of a chat that the caller, who handles it, is typing: clients that follow the session get the event `typing`. It ends by itself after 6 seconds, and with the next message; send it again every three seconds while the member types. The transcript does not have it. A chat that the caller does not handle is a conflict: take it first. A chat that is over, and a preview, is not found.
        """
        response_body: types.SuccessBody = self._caller.call(call_of(Operation("PUT", "/v1/bots/{botId}/chats/{sessionId}/typing"), {"botId": bot_id, "sessionId": session_id}, body, {}, options))
        return response_body


class ChatwootEvents:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def receive(self, bot_id: str, credentials_id: str, body: types.ChatwootEvent | None = None, *, when_over: Literal["open", "resolve", "pending"] | None = None, when_returned: Literal["resume", "restart"] | None = None, secret: str | None = None, **options: Unpack[RequestOptions]) -> types.SuccessBody:
        """Receive an event of Chatwoot: `POST /api/v1/bots/{botId}/chatwoot/{credentialsId}`

        Receives the events of an agent bot of Chatwoot, with credentials of the type `chatwoot`. The published bot answers in the conversations of its inboxes, on all their channels. The service stores an event and responds at once; a repeated event counts once. Each event needs a signature in `X-Chatwoot-Signature`, made with the secret of the credentials, and an `X-Chatwoot-Timestamp` at most 5 minutes old. Or it has that secret as `secret`. Others are forbidden and change nothing. Messages of members and of the bot itself change only the handling of a chat. A conversation has at most 500 waiting events.

        - `when_over`: Handling of a conversation whose chat is over: `open` (the default) hands it to the members, `resolve` resolves it, `pending` leaves it to the bot, which then starts anew.
        - `when_returned`: Position from which the bot continues when members give a conversation back: `resume` (the default) where it was, `restart` at its start.
        - `secret`: The secret of the credentials, for a Chatwoot that does not sign its events.
        """
        response_body: types.SuccessBody = self._caller.call(call_of(Operation("POST", "/api/v1/bots/{botId}/chatwoot/{credentialsId}", open=True), {"botId": bot_id, "credentialsId": credentials_id}, body, {"whenOver": when_over, "whenReturned": when_returned, "secret": secret}, options))
        return response_body


class WebhookEndpoints:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, workspace_id: str, **options: Unpack[RequestOptions]) -> types.WebhookEndpointList:
        """List the webhook endpoints of a workspace: `GET /v1/workspaces/{workspaceId}/webhookEndpoints`

        Returns the endpoints that receive the events of the workspace, newest first.
        """
        response_body: types.WebhookEndpointList = self._caller.call(call_of(Operation("GET", "/v1/workspaces/{workspaceId}/webhookEndpoints"), {"workspaceId": workspace_id}, None, {}, options))
        return response_body

    def create(self, workspace_id: str, body: types.WebhookEndpointCreate, **options: Unpack[KeyOptions]) -> types.WebhookEndpointWithSecretBody:
        """Create a webhook endpoint: `POST /v1/workspaces/{workspaceId}/webhookEndpoints`

        Adds an address that receives the events of the workspace from now on, signed as Standard Webhooks says. No other response shows the secret. A workspace has at most 20 endpoints.
        """
        response_body: types.WebhookEndpointWithSecretBody = self._caller.call(call_of(Operation("POST", "/v1/workspaces/{workspaceId}/webhookEndpoints", key=True), {"workspaceId": workspace_id}, body, {}, options))
        return response_body

    def get(self, workspace_id: str, endpoint_id: str, **options: Unpack[RequestOptions]) -> types.WebhookEndpointBody:
        """Get a webhook endpoint: `GET /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}`

        Returns one endpoint, without its secret.
        """
        response_body: types.WebhookEndpointBody = self._caller.call(call_of(Operation("GET", "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}"), {"workspaceId": workspace_id, "endpointId": endpoint_id}, None, {}, options))
        return response_body

    def update(self, workspace_id: str, endpoint_id: str, body: types.WebhookEndpointUpdate | None = None, **options: Unpack[KeyMatchOptions]) -> types.WebhookEndpointBody:
        """Update a webhook endpoint: `PATCH /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}`

        Changes the given properties and keeps the rest. Enabling an endpoint or giving it another address sends its waiting deliveries within seconds. Another address enables an endpoint that the service disabled.
        """
        response_body: types.WebhookEndpointBody = self._caller.call(call_of(Operation("PATCH", "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}", key=True), {"workspaceId": workspace_id, "endpointId": endpoint_id}, body, {}, options))
        return response_body

    def delete(self, workspace_id: str, endpoint_id: str, **options: Unpack[MatchOptions]) -> types.SuccessBody:
        """Delete a webhook endpoint: `DELETE /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}`

        Deletes an endpoint with its deliveries. Waiting deliveries are not sent.
        """
        response_body: types.SuccessBody = self._caller.call(call_of(Operation("DELETE", "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}", repeatable=True), {"workspaceId": workspace_id, "endpointId": endpoint_id}, None, {}, options))
        return response_body

    def test(self, workspace_id: str, endpoint_id: str, **options: Unpack[KeyOptions]) -> types.WebhookDeliveryBody:
        """Send a test event: `POST /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/test`

        Queues an event of type `endpoint.test` for the endpoint and returns the delivery, even if the endpoint is disabled or subscribes to other types. Get the delivery shortly after to see its outcome. An endpoint that is not enabled gets one attempt.
        """
        response_body: types.WebhookDeliveryBody = self._caller.call(call_of(Operation("POST", "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/test", key=True), {"workspaceId": workspace_id, "endpointId": endpoint_id}, None, {}, options))
        return response_body


class WebhookSecrets:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def rotate(self, workspace_id: str, endpoint_id: str, **options: Unpack[KeyOptions]) -> types.RotatedWebhookSecret:
        """Rotate the secret of a webhook endpoint: `POST /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/rotateSecret`

        Creates a new secret and shows it this once. For 24 hours events are signed with both, so that receivers can change over. Only two are ever in use: one that was already replaced ends at once.
        """
        response_body: types.RotatedWebhookSecret = self._caller.call(call_of(Operation("POST", "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/rotateSecret", key=True), {"workspaceId": workspace_id, "endpointId": endpoint_id}, None, {}, options))
        return response_body


class WebhookDeliveries:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, workspace_id: str, endpoint_id: str, *, limit: int | None = None, cursor: str | None = None, **options: Unpack[RequestOptions]) -> Pages[types.WebhookDeliveryPage, types.WebhookDelivery]:
        """List the deliveries of a webhook endpoint: `GET /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries`

        Returns sent and waiting deliveries, newest first. Deliveries are retained for 30 days.

        - `limit`: Maximum entries of the page, from 1 to 100.
        - `cursor`: The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input.
        """
        query: dict[str, Any] = {"limit": limit, "cursor": cursor}

        def get_page(next_cursor: str | None) -> Any:
            page_query = query if next_cursor is None else {**query, "cursor": next_cursor}
            return self._caller.call(call_of(Operation("GET", "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries", entries="webhookDeliveries"), {"workspaceId": workspace_id, "endpointId": endpoint_id}, None, page_query, options))

        return Pages(get_page, "webhookDeliveries")

    def get(self, workspace_id: str, endpoint_id: str, delivery_id: str, **options: Unpack[RequestOptions]) -> types.WebhookDeliveryBody:
        """Get a webhook delivery: `GET /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries/{deliveryId}`

        Returns one delivery with the payload that is posted.
        """
        response_body: types.WebhookDeliveryBody = self._caller.call(call_of(Operation("GET", "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries/{deliveryId}"), {"workspaceId": workspace_id, "endpointId": endpoint_id, "deliveryId": delivery_id}, None, {}, options))
        return response_body

    def redeliver(self, workspace_id: str, endpoint_id: str, delivery_id: str, **options: Unpack[KeyOptions]) -> types.SuccessBody:
        """Send a delivery again: `POST /v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries/{deliveryId}/redeliver`

        Queues the same event under the same `webhook-id` once more, whatever its outcome, with all its attempts. If an attempt is under way, it is sent after that one. Get the delivery to see its outcome. An endpoint that is not enabled gets only test events again. An event of a deleted result is not sent again: that is a conflict.
        """
        response_body: types.SuccessBody = self._caller.call(call_of(Operation("POST", "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries/{deliveryId}/redeliver", key=True), {"workspaceId": workspace_id, "endpointId": endpoint_id, "deliveryId": delivery_id}, None, {}, options))
        return response_body


class Files:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def upload(self, session_id: str, file: bytes | IO[bytes], *, file_name: str, **options: Unpack[RequestOptions]) -> types.UploadBody:
        """Upload a file for a chat: `POST /api/v1/sessions/{sessionId}/uploads`

        Stores a file for the input that the chat waits at: an input for files, or one for text that takes attachments or recordings. The reply then names the `url`, in `attachedFileUrls` or as the `url` of a recording. A file that no reply names is removed after a day, the others with their result. A file that the input does not take, and more than 100 files of a chat, is invalid input. An address, and all visitors of a bot together, have a daily limit: more is rejected with `TOO_MANY_REQUESTS` and the issue `daily_quota_exceeded`. While the disk of the installation is nearly full, files are rejected with `SERVICE_UNAVAILABLE` and the issue `disk_full`. Files are served as downloads, pictures as what they are. Only members with a token can read files of an input with the visibility `Private`.

        - `file_name`: Name of the file. Its extension is the type that the input checks.
        """
        response_body: types.UploadBody = self._caller.call(call_of(Operation("POST", "/api/v1/sessions/{sessionId}/uploads", open=True, file=True, timeout=600), {"sessionId": session_id}, file, {"fileName": file_name}, options))
        return response_body


class CurrentUser:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def get(self, **options: Unpack[RequestOptions]) -> types.CurrentUserBody:
        """Get the current user: `GET /v1/currentUser`

        Returns the user of the token, the token with its scopes and expiry, and the roles of the user, longest membership first. A token that is bound to a workspace sees the role in that workspace alone. The response has at most 1,000 workspaces; list workspaces has all.
        """
        response_body: types.CurrentUserBody = self._caller.call(call_of(Operation("GET", "/v1/currentUser"), {}, None, {}, options))
        return response_body


class BrowserSessions:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, limit: int | None = None, cursor: str | None = None, **options: Unpack[RequestOptions]) -> Pages[types.BrowserSessionList, types.BrowserSession]:
        """List the caller's browser sessions: `GET /v1/users/me/browserSessions`

        Returns the browsers in which the caller is signed in to the pages of the service, newest first. A session ends after 30 days, when the user signs out in that browser, or when it is revoked. A user has at most 50: the next one ends the oldest.

        - `limit`: Maximum entries of the page, from 1 to 100.
        - `cursor`: The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input.
        """
        query: dict[str, Any] = {"limit": limit, "cursor": cursor}

        def get_page(next_cursor: str | None) -> Any:
            page_query = query if next_cursor is None else {**query, "cursor": next_cursor}
            return self._caller.call(call_of(Operation("GET", "/v1/users/me/browserSessions", entries="browserSessions"), {}, None, page_query, options))

        return Pages(get_page, "browserSessions")

    def revoke(self, browser_session_id: str, **options: Unpack[RequestOptions]) -> types.BrowserSessionBody:
        """End a browser session: `DELETE /v1/users/me/browserSessions/{browserSessionId}`

        Signs the caller out in one of their browsers and returns the session that ended. The tokens of its pages end with it, in every process at once; tokens that were created with them stay. A session of another user is not found.
        """
        response_body: types.BrowserSessionBody = self._caller.call(call_of(Operation("DELETE", "/v1/users/me/browserSessions/{browserSessionId}", repeatable=True), {"browserSessionId": browser_session_id}, None, {}, options))
        return response_body


class Tokens:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, *, limit: int | None = None, cursor: str | None = None, **options: Unpack[RequestOptions]) -> Pages[types.ApiTokenList, types.ApiToken]:
        """List the caller's tokens: `GET /v1/users/me/tokens`

        Returns the tokens of the caller that are not revoked, newest first. Tokens themselves are never shown again. A token that is bound to a workspace sees only those bound to the same one. Tokens that ended are removed after 30 days.

        - `limit`: Maximum entries of the page, from 1 to 100.
        - `cursor`: The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input.
        """
        query: dict[str, Any] = {"limit": limit, "cursor": cursor}

        def get_page(next_cursor: str | None) -> Any:
            page_query = query if next_cursor is None else {**query, "cursor": next_cursor}
            return self._caller.call(call_of(Operation("GET", "/v1/users/me/tokens", entries="apiTokens"), {}, None, page_query, options))

        return Pages(get_page, "apiTokens")

    def create(self, body: types.ApiTokenCreate, **options: Unpack[KeyOptions]) -> types.CreatedApiTokenBody:
        """Create a token: `POST /v1/users/me/tokens`

        Creates an access token of the caller and returns it. No other response shows the token. It can do at most what the token of this request can: naming more is rejected with the issue `missing_scope` or `bound_token`, and absent limits are taken over. It may live longer, so that a program can renew its own token. A workspace in which the caller has no role is invalid input.
        """
        response_body: types.CreatedApiTokenBody = self._caller.call(call_of(Operation("POST", "/v1/users/me/tokens", key=True), {}, body, {}, options))
        return response_body

    def revoke(self, token_id: str, **options: Unpack[RequestOptions]) -> types.ApiTokenBody:
        """Revoke a token: `DELETE /v1/users/me/tokens/{tokenId}`

        Revokes one of the caller's tokens at once and returns its last state. A token of somebody else is not found. A token that is bound to a workspace finds only those bound to the same one. A token may revoke itself.
        """
        response_body: types.ApiTokenBody = self._caller.call(call_of(Operation("DELETE", "/v1/users/me/tokens/{tokenId}", repeatable=True), {"tokenId": token_id}, None, {}, options))
        return response_body


class DeviceLogins:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def start(self, body: types.DeviceLoginStart, **options: Unpack[RequestOptions]) -> types.StartedDeviceLogin:
        """Start the login of a program: `POST /v1/deviceLogins`

        Starts a login in the shape of RFC 8628, for a program that has no browser of its own. Show `userCode` and `verificationUri` to the user: on that page, signed in, they see the request, compare the code, and allow or deny it. Meanwhile send `deviceCode` to continue device login. The codes work for 10 minutes. The body describes the token, as create token takes it; the user cannot allow a workspace in which they have no role. A network can start 50 logins in that time; more are rejected with `TOO_MANY_REQUESTS` and the issue `rate_exceeded`.
        """
        response_body: types.StartedDeviceLogin = self._caller.call(call_of(Operation("POST", "/v1/deviceLogins", open=True), {}, body, {}, options))
        return response_body

    def continue_(self, body: types.DeviceLoginContinue, **options: Unpack[RequestOptions]) -> types.DeviceLogin:
        """Poll for the token of a login: `POST /v1/deviceLogins/continue`

        Returns the decision of the user. While the `status` is `pending`, send the request again after `interval` seconds. A request that comes earlier gets `slowDown` and adds 5 seconds to the interval. With `allowed` the response has the `apiToken`, and no other response shows it: the code is used up. `denied` ends the login. A code that was used, has expired or never existed is not found: start again.
        """
        response_body: types.DeviceLogin = self._caller.call(call_of(Operation("POST", "/v1/deviceLogins/continue", open=True), {}, body, {}, options))
        return response_body


class Client:
    """
    A client of the service at `base_url`, such as `https://bots.example.com`, with or without a path.

    `token` is an access token, or a function that returns one and is called before every request. Chats need
    none. `timeout` is the maximum silence of the service in seconds, `math.inf` for none. Default: 60, for operations
    that call other services 150, for uploads 600. `max_retries` is the maximum of retries, if they are safe.
    `logger` is called after every attempt. `http_client` replaces its own client of httpx.
    """

    def __init__(
        self,
        base_url: str,
        *,
        token: Token | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        max_retries: int = 2,
        logger: Callable[[Attempt], object] | None = None,
        http_client: httpx.Client | None = None,
    ) -> None:
        caller = Caller(base_url, token, headers or {}, timeout, max_retries, logger, http_client)
        self._caller = caller
        self.workspaces = Workspaces(caller)
        self.members = Members(caller)
        self.invitations = Invitations(caller)
        self.credentials = Credentials(caller)
        self.audit_logs = AuditLogs(caller)
        self.folders = Folders(caller)
        self.bots = Bots(caller)
        self.templates = Templates(caller)
        self.webhook_blocks = WebhookBlocks(caller)
        self.result_examples = ResultExamples(caller)
        self.published_bots = PublishedBots(caller)
        self.publications = Publications(caller)
        self.results = Results(caller)
        self.transcripts = Transcripts(caller)
        self.result_logs = ResultLogs(caller)
        self.stats = Stats(caller)
        self.block_stats = BlockStats(caller)
        self.chat = Chat(caller)
        self.sessions = Sessions(caller)
        self.session_events = SessionEvents(caller)
        self.previews = Previews(caller)
        self.webhooks = Webhooks(caller)
        self.client_logs = ClientLogs(caller)
        self.workspace_chats = WorkspaceChats(caller)
        self.messages = Messages(caller)
        self.typing_signs = TypingSigns(caller)
        self.chatwoot_events = ChatwootEvents(caller)
        self.webhook_endpoints = WebhookEndpoints(caller)
        self.webhook_secrets = WebhookSecrets(caller)
        self.webhook_deliveries = WebhookDeliveries(caller)
        self.files = Files(caller)
        self.current_user = CurrentUser(caller)
        self.browser_sessions = BrowserSessions(caller)
        self.tokens = Tokens(caller)
        self.device_logins = DeviceLogins(caller)

    def close(self) -> None:
        """Closes its connections, unless they belong to a given `http_client`."""
        self._caller.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
