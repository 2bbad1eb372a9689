"""Puts records that exist into requests, where an example made by chance would name others, which are refused by right."""

import itertools
import json
import os
import uuid
from urllib.parse import urlencode
from urllib.request import Request, urlopen

GIVEN = json.loads(os.environ["CONFORMANCE_SANDBOX"])

# The ids that the examples of the document show, with those of records that exist.
REAL = GIVEN["real"]
# The records that the run stands on. They are read and changed, but not removed.
KEPT = set(GIVEN["kept"])

# Names that only one bot can have: every request that shows them gets others.
PUBLIC_ID = "lead-generation-8k2m4p6"
CUSTOM_DOMAIN = "chat.example.com/leads"
numbers = itertools.count()
# Browser sessions to end; a user has some fifty at most, and no operation makes one.
browser_sessions = itertools.cycle(GIVEN["browserSessions"])
# Prefix of keys that no other request has.
OWN_KEY = "conformance-run-"

START = {"id": "start", "type": "start", "graphCoordinates": {"x": 0, "y": 0}}


def call(method, path, body=None, query=None):
    """The answer of the service to a request beside those of the run."""
    url = GIVEN["url"] + path + (f"?{urlencode(query)}" if query else "")
    headers = {"Authorization": f"Bearer {GIVEN['token']}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, headers, method=method)) as response:
        return json.load(response)


# Operations that delete a record get one made for them, unless the run made one itself.
EXPENDABLE = {
    "deleteWorkspace": lambda: {"workspaceId": new_workspace()},
    "deleteFolder": lambda: {"folderId": call("POST", "/v1/folders", folder("Gone soon"))["folder"]["id"]},
    "deleteBot": lambda: {"botId": new_bot()},
    "deleteResults": lambda: {"botId": new_bot()},
    "removeMember": lambda: new_member(),
    "updateMember": lambda: new_member(),
    "deleteCredentials": lambda: new_credentials(),
    "deleteWebhookEndpoint": lambda: new_endpoint(),
    "revokeInvitation": lambda: new_invitation(),
    "revokeBrowserSession": lambda: {"browserSessionId": next(browser_sessions)},
    "revokeToken": lambda: {"tokenId": call("POST", "/v1/users/me/tokens", {"name": "Gone soon"})["apiToken"]["id"]},
}

CHANGING = {"updateBot", "publishBot", "unpublishBot", "restorePublication", "updateFolder"}


def folder(name):
    return {"workspaceId": GIVEN["workspaceId"], "folder": {"name": name}}


def new_workspace():
    return call("POST", "/v1/workspaces", {"name": "Gone soon"})["workspace"]["id"]


def new_bot():
    return call("POST", "/v1/bots", {"workspaceId": GIVEN["workspaceId"], "bot": {"name": "Gone soon"}})["bot"]["id"]


def new_member():
    """Somebody who is a member of a workspace of its own: others come and go in those that the run uses."""
    workspace = new_workspace()
    member = call("POST", f"/v1/workspaces/{workspace}/members", {"email": GIVEN["email"], "role": "GUEST"})["member"]
    return {"workspaceId": workspace, "userId": member["userId"]}


def new_credentials():
    workspace = new_workspace()
    given = {"type": "openai", "name": "Gone soon", "data": {"apiKey": "sk-example"}}
    credentials = call("POST", f"/v1/workspaces/{workspace}/credentials", given)["credentials"]
    return {"workspaceId": workspace, "credentialsId": credentials["id"]}


def new_invitation():
    workspace = new_workspace()
    given = {"email": "invited@example.com", "role": "GUEST"}
    invitation = call("POST", f"/v1/workspaces/{workspace}/invitations", given)["invitation"]
    return {"workspaceId": workspace, "invitationId": invitation["id"]}


def new_endpoint():
    """In a workspace of its own: each has room for a few endpoints only."""
    workspace = new_workspace()
    given = {"url": "https://93.184.216.34/hook"}
    endpoint = call("POST", f"/v1/workspaces/{workspace}/webhookEndpoints", given)["webhookEndpoint"]
    return {"workspaceId": workspace, "endpointId": endpoint["id"]}


def prepare(operation, case, is_positive):
    number = next(numbers)
    names = {PUBLIC_ID: f"bot-{number}", CUSTOM_DOMAIN: f"bot-{number}.example.com"}
    for part, real in (("path_parameters", REAL), ("query", REAL), ("body", REAL | names)):
        change(case, part, with_real(getattr(case, part), real))
    path = case.path_parameters or {}
    if operation in CHANGING and any(value in GIVEN["still"] for value in path.values()):
        change(case, "path_parameters", {name: GIVEN["changing"].get(name, value) for name, value in path.items()})
    if operation in EXPENDABLE and case.method.lower() in ("delete", "patch") and KEPT.intersection(path.values()):
        change(case, "path_parameters", {**path, **EXPENDABLE[operation]()})
    if is_positive:
        furnish(operation, case, number)


def change(case, part, changed):
    # Assigned only when it is another: Schemathesis then looks anew at what kind of case it is.
    given = getattr(case, part)
    if changed != given and (changed or given):
        setattr(case, part, changed)


def with_real(value, real):
    if isinstance(value, dict):
        return {key: with_real(inner, real) for key, inner in value.items()}
    if isinstance(value, list):
        return [with_real(inner, real) for inner in value]
    return real.get(value, value) if isinstance(value, str) else value


def furnish(operation, case, number):
    """Makes valid what is so by its form alone."""
    path, query, body = case.path_parameters or {}, case.query or {}, case.body
    if operation in ("createBot", "updateBot", "importBot", "createFolder", "updateFolder"):
        body = with_places(operation, body, number)
    elif operation == "addMember" and isinstance(body, dict):
        body = {**body, "email": GIVEN["email"]}
    elif operation == "createInvitation" and isinstance(body, dict):
        body = {**body, "email": "invited@example.com"}
    elif operation == "duplicateBot" and isinstance(body, dict) and body.get("folderId") is not None:
        body = {**body, "folderId": GIVEN["elsewhere"]}
    elif operation == "redeliverWebhookDelivery" and path.get("endpointId") in KEPT:
        # An update of the run may have paused it.
        path = GIVEN["delivery"]
        call("PATCH", f"/v1/workspaces/{path['workspaceId']}/webhookEndpoints/{path['endpointId']}", {"isEnabled": True})
    elif operation == "createToken" and isinstance(body, dict) and isinstance(body.get("workspaceId"), str):
        body = {**body, "workspaceId": GIVEN["workspaceId"]}
    elif operation in ("startChat", "continueChat", "saveClientLogs", "startPreview"):
        path, body = in_chat(operation, path, body)
    elif operation in ("getChat", "updateChat", "sendMessage", "updateTypingSign"):
        path, body = in_inbox(operation, body)
    elif operation in ("getResultExample", "subscribeWebhookBlock", "unsubscribeWebhookBlock"):
        path = GIVEN["sendingBlock"]
        if isinstance(body, dict) and "url" in body:
            body = {**body, "url": f"https://hook.example.com/{number}"}
    elif operation == "receiveChatwootEvent":
        path, query = GIVEN["agentBot"]["path"], {**query, **GIVEN["agentBot"]["query"]}
        body = {name: value for name, value in body.items() if name != "account"} if isinstance(body, dict) else body
    elif operation == "continueDeviceLogin":
        body = {**body, "deviceCode": GIVEN["deviceCode"]} if isinstance(body, dict) else body
    elif operation == "executeWebhook":
        waiting = call("POST", f"/api/v1/bots/{GIVEN['waitingPublicId']}/startChat", {})
        path = {"botId": GIVEN["waitingBotId"], "blockId": "webhook", "resultId": waiting["resultId"]}
    elif operation == "uploadFile":
        taking = call("POST", f"/api/v1/bots/{GIVEN['takingPublicId']}/startChat", {})
        path = {"sessionId": taking["sessionId"]}
    if "folderId" in path and isinstance(query, dict):
        query = {name: value for name, value in query.items() if name != "workspaceId"}
    if operation in ("listBots", "listFolders"):
        # A link may fill it in from a token that has none.
        query = {**query, "workspaceId": query.get("workspaceId") or GIVEN["workspaceId"]}
    if "timeZone" in query:
        query = {**query, "timeZone": GIVEN["timeZones"][number % len(GIVEN["timeZones"])]}
    if operation == "exportResults":
        # Its cursors come in a header of what is no JSON.
        query = {name: value for name, value in query.items() if name != "cursor"}
    elif "cursor" in query:
        query = with_cursor(case, path, query)
    with_state(case)
    change(case, "path_parameters", path)
    change(case, "query", query)
    change(case, "body", body)


def with_state(case):
    """Conditions that the record meets, whatever its state, and a key that no other request has."""
    headers = case.headers or {}
    for name in list(headers):
        if name.lower() == "if-match":
            headers[name] = "*"
        elif name.lower() == "if-none-match" and '"' not in headers[name]:
            # The star; or a 0, which the tool at times takes for what fits the pattern.
            del headers[name]
        elif name.lower() == "idempotency-key":
            headers[name] = f"{OWN_KEY}{uuid.uuid4()}"


def with_places(operation, body, number):
    """Folders that are there and cannot lead in a circle, names that no other bot has, the start in front."""
    if not isinstance(body, dict):
        return body
    if operation == "updateFolder":
        body = {name: value for name, value in body.items() if name != "workspaceId"}
    if operation == "importBot" and body.get("folderId") is not None:
        body = {**body, "workspaceId": GIVEN["workspaceId"], "folderId": GIVEN["elsewhere"]}
    inner = "folder" if operation.endswith("Folder") else "bot"
    record = body.get(inner)
    if not isinstance(record, dict):
        return body
    for name in ("parentFolderId", "folderId"):
        if record.get(name) is not None:
            record = {**record, name: GIVEN["elsewhere"]}
            if "workspaceId" in body:
                body = {**body, "workspaceId": GIVEN["workspaceId"]}
    if isinstance(record.get("publicId"), str):
        record = {**record, "publicId": f"b{number}-{record['publicId']}"[:255].rstrip("-")}
    if isinstance(record.get("customDomain"), str):
        record = {**record, "customDomain": f"b{number}.example.com"}
    if operation != "importBot" and isinstance(record.get("events"), list):
        record = {**record, "events": with_start(record["events"])}
    return {**body, inner: record}


def with_start(events):
    start = next((event for event in events if event["type"] == "start"), START)
    return [start, *(event for event in events if event["type"] != "start")]


def in_chat(operation, path, body):
    """A bot that nothing changes, with an event for the one command that is sent to it."""
    places = {
        "startChat": {"publicId": GIVEN["publicId"]},
        "startPreview": {"botId": GIVEN["botId"]},
        "saveClientLogs": {"sessionId": GIVEN["sessions"][next(numbers) % len(GIVEN["sessions"])]},
        "continueChat": {},
    }[operation]
    if isinstance(body, dict):
        message, origin = body.get("message"), body.get("startFrom")
        if isinstance(message, dict) and message.get("type") == "command":
            body = {**body, "message": {**message, "command": "help"}}
        if isinstance(origin, dict):
            known = {"groupId": "welcome", "eventId": "start"}
            body = {**body, "startFrom": {name: known.get(name, value) for name, value in origin.items()}}
    return {**path, **places}, body


def in_inbox(operation, body):
    """A chat of its own, since the operations end chats; a member handles it where they are for such chats alone."""
    session = call("POST", f"/api/v1/bots/{GIVEN['publicId']}/startChat", {})["sessionId"]
    if operation in ("sendMessage", "updateTypingSign"):
        call("PATCH", f"/v1/bots/{GIVEN['botId']}/chats/{session}", {"handledBy": "member"})
    if operation == "sendMessage" and isinstance(body, dict):
        # Nobody has uploaded a file for the chat.
        body = {name: value for name, value in body.items() if name != "attachedFileUrls"}
        body = {**body, "text": body.get("text", "").strip() or "I look into it."}
    return {"botId": GIVEN["botId"], "sessionId": session}, body


def with_cursor(case, path, query):
    """The cursor that the first page gives; none where that is the last."""
    rest = {name: value for name, value in query.items() if name != "cursor"}
    try:
        page = call("GET", case.operation.path.format(**path), query={**rest, "limit": 1})
    except OSError:
        return rest
    return {**query, "cursor": page["nextCursor"]} if page.get("nextCursor") else rest
