"""What Schemathesis cannot know: which refusals no schema can state, and which records the run needs itself."""

import atexit
import itertools
import json
import os
from collections import Counter

import schemathesis
from schemathesis.generation import metrics

# Examples are drawn, not bred: making those that succeed smaller and smaller took nineteen parts in twenty of the time.
metrics.maximize = lambda *args, **kwargs: None

# Refusals of requests that fit their schema, which does not see other records, nor one property beside another.
# The code of an issue, the start of its message (any, where the code says enough), and why no schema says it.
RULES = [
    ("bot_closed", "", "the bot takes no chats"),
    ("circular_move", "", "a folder would be inside itself"),
    ("custom", "Expected the name of a time zone", "the names of time zones are no pattern"),
    ("custom", 'The first event must be of type "start"', "the events are a list of one type"),
    ("custom", 'Only the first event may be of type "start"', "the events are a list of one type"),
    ("custom", "Expected a blockId or an eventId", "an edge of a legacy version leaves from one of two"),
    ("custom", "The list of blocks is required", "versions 3, 4 and 5 share the component of a group"),
    ("custom", "The request needs an id", "versions 3, 4 and 5 share the component of a block"),
    ("custom", 'A block of type "Condition" has no options', "what is open cannot be without a property"),
    ("custom", "The first item must have the path", "the items are a list of one type"),
    ("custom", "The second item must have the path", "the items are a list of one type"),
    ("custom", "Invalid option: expected one of", "in a block of a vendor, what is allowed depends on its action"),
    ("custom", "Expected a text with the role", "what a message is depends on its role"),
    ("custom", "Expected an object with the role", "what a message is depends on its role"),
    ("custom", "Required with task", "what is required depends on the task"),
    ("invalid_cursor", "", "cursors are made by the service and belong to one list and filter"),
    ("invalid_key", "", "generators stumble over propertyNames, which could bound the keys of free objects"),
    ("invalid_number", "", "JSON has numbers that no double can keep exactly"),
    ("last_admin", "", "the workspace would be without an admin"),
    ("not_waiting", "", "the chat is not at a webhook"),
    ("required", "", "a legacy update of a current bot needs the whole flow"),
    ("taken", "", "another bot has the name"),
    ("unknown_command", "", "the bot has no event for the command"),
    ("unknown_folder", "", "the body names a folder that is not in the workspace"),
    ("unknown_session", "", "this operation answers 400, not 404, for a session that does not exist"),
    ("unknown_start", "", "the body names a group or event that is not in the bot"),
    ("unknown_user", "", "the body names a user who does not exist"),
]

# Where any value goes, so that no pattern keeps U+0000 out of its texts: free objects, and what is ignored.
FREE_PARTS = {"prefilledVariables", "groups", "events", "edges", "variables", "theme", "settings"}
IGNORED = {"id", "createdAt", "updatedAt", "workspaceId", "isArchived", "isClosed", "messagingCredentialsId", "riskLevel"}
FREE_BODIES = {"executeWebhook", "updateWorkspace", "updateMember"}

# The ids that the examples of the document show, with those of records that exist.
REAL = json.loads(os.environ["CONFORMANCE_REAL"])

# Names that only one bot can have: every request that shows them gets others.
PUBLIC_ID = "lead-generation-8k2m4p6"
CUSTOM_DOMAIN = "chat.example.com/leads"
numbers = itertools.count()

# The records that the run stands on. They are read and changed, but not removed.
KEPT = set(json.loads(os.environ["CONFORMANCE_KEPT"]))
REMOVING = {"deleteWorkspace", "deleteFolder", "deleteBot", "deleteResults", "removeMember", "updateMember", "revokeToken"}
NOBODY = "0" * 26

START = {"id": "start", "type": "start", "graphCoordinates": {"x": 0, "y": 0}}

excused = Counter()


@schemathesis.hook
def before_call(context, case, **kwargs):
    number = next(numbers)
    names = {PUBLIC_ID: f"bot-{number}", CUSTOM_DOMAIN: f"bot-{number}.example.com"}
    for part, real in (("path_parameters", REAL), ("query", REAL), ("body", REAL | names)):
        given = getattr(case, part)
        changed = with_real(given, real)
        # Assigned only when it is another: Schemathesis then looks anew at what kind of case it is.
        if changed != given:
            setattr(case, part, changed)
    if operation_id(case) in REMOVING and case.method.lower() in ("delete", "patch"):
        for name, value in (case.path_parameters or {}).items():
            if value in KEPT:
                case.path_parameters[name] = NOBODY
    if operation_id(case) in ("createBot", "updateBot") and case.meta and case.meta.generation.mode.is_positive:
        body = with_start(case.body)
        if body != case.body:
            case.body = body


def with_real(value, real):
    if isinstance(value, dict):
        return {key: with_real(inner, real) for key, inner in value.items()}
    if isinstance(value, list):
        return [with_real(inner, real) for inner in value]
    return real.get(value, value) if isinstance(value, str) else value


def with_start(body):
    """A body whose events are in the order that no schema can state; few would be let in otherwise."""
    bot = body.get("bot") if isinstance(body, dict) else None
    events = bot.get("events") if isinstance(bot, dict) else None
    if not isinstance(events, list):
        return body
    start = next((event for event in events if event["type"] == "start"), START)
    rest = [event for event in events if event["type"] != "start"]
    return {**body, "bot": {**bot, "events": [start, *rest]}}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Says whether a failure counts."""
    kind = type(failure).__name__
    if kind == "EnsureResourceAvailability":
        reason = why_not_there(case)
    elif kind == "RejectedPositiveData" and response.status_code == 400:
        reason = why_refused(operation_id(case), response.json()["issues"])
    else:
        reason = None
    if reason:
        excused[reason] += 1
    return not reason


def why_not_there(case):
    if NOBODY in case.path_parameters.values():
        return "the run keeps the record"
    body = case.body if isinstance(case.body, dict) else {}
    if "folderId" in case.path_parameters and ("workspaceId" in body or "workspaceId" in (case.query or {})):
        return "a folder is asked for in a workspace that is not its own"
    return None


def why_refused(operation, issues):
    reasons = [why_issue(operation, issue) for issue in issues]
    return reasons[0] if all(reasons) else None


def why_issue(operation, issue):
    if operation == "importBot" and issue["path"][:2] == ["body", "bot"]:
        return "an import takes any document, and its repair says what is beyond repair"
    if issue["code"] == "invalid_union" and issue["path"][-1] == "resultsTablePreferences":
        return "generators stumble over propertyNames, which could bound the ids of columns"
    if issue["code"] == "invalid_text":
        is_free = operation in FREE_BODIES or FREE_PARTS.union(IGNORED).intersection(issue["path"])
        return "no pattern bounds the texts in a place for any value" if is_free else None
    return next(
        (why for code, start, why in RULES if issue["code"] == code and issue["message"].startswith(start)), None
    )


def operation_id(case):
    return case.operation.definition.raw["operationId"]


@atexit.register
def report():
    for reason, count in excused.most_common():
        print(f"excused {count:6} times: {reason}")
