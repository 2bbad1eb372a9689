"""The rulings of the service that no schema can state: what they refuse fits its schema and is still refused by right."""

import atexit
import sys
from collections import Counter
from pathlib import Path

import schemathesis
from schemathesis.generation import metrics

sys.path.insert(0, str(Path(__file__).parent))
import sandbox

# Examples are drawn, not bred: making those that succeed smaller and smaller took nineteen parts in twenty of the time.
metrics.maximize = lambda *args, **kwargs: None

# Refusals of requests that fit their schema, which does not see other records, nor one property beside another.
# The code of an issue, the start of its message (any, where the code says enough), and why no schema says it.
RULES = [
    ("custom", "Expected a blockId or an eventId", "an edge of a legacy version leaves from one of two"),
    ("custom", "The list of blocks is required", "versions 3, 4 and 5 share the component of a group"),
    ("custom", "The request needs an id", "versions 3, 4 and 5 share the component of a block"),
    ("custom", 'A block of type "Condition" has no options', "what is open cannot be without a property"),
    ("custom", "The first item must have the path", "the items are a list of one type"),
    ("custom", "The second item must have the path", "the items are a list of one type"),
    ("custom", "Invalid option: expected one of", "in a block of a vendor, what is allowed depends on its action"),
    ("custom", "Expected a text with the role", "what a message is depends on its role"),
    ("custom", "Expected an object with the role", "what a message is depends on its role"),
    ("custom", "Expected a text, a list of texts, or null", "few generators read a union of a text and a list"),
    ("custom", "Required with task", "what is required depends on the task"),
    ("invalid_key", "", "generators stumble over propertyNames, which could bound the keys of free objects"),
    ("invalid_number", "", "JSON has numbers that no double can keep exactly"),
    ("unknown_variable", "", "which variables there are depends on the bot"),
    ("unknown_member", "", "who is a member depends on the workspace"),
    ("custom", "Expected an e-mail address", "no pattern says which hosts have a form in ASCII"),
    ("unknown_command", "", "which commands there are depends on the bot"),
    ("custom", "Expected live, test or both", "generators stumble over lists of what is required"),
    ("custom", "Expected `clientId` and `clientSecret`", "generators stumble over lists of what is required"),
    ("custom", "Expected one of", "in a block of a vendor, what is allowed depends on its action"),
    ("custom", "Expected an emoji", "no pattern that all generators read keeps other schemes out of an icon"),
    ("custom", "This is a key of the", "the beginning of a key says its mode"),
    ("custom", "Expected either `serviceAccount` or `oauth`", "generators stumble over lists of what is required"),
    ("invalid_value", "These credentials are of the type", "credentials keep the type that they were made with"),
    ("invalid_value", "The range does not overlap", "one end of a span of time lies before the other"),
    ("custom", "Expected createdAfter or a later time", "one end of a span of time lies before the other"),
    ("required", "", "a legacy update of a current bot needs the whole flow"),
    ("too_small", "The file is empty", "no schema says how long a body of bytes is"),
]

# Parts that take any value, so that no pattern keeps U+0000 out of their texts: free objects, and ignored ones.
FREE_PARTS = {"prefilledVariables", "groups", "events", "edges", "variables", "theme", "settings"}
IGNORED = {
    "id", "createdAt", "updatedAt", "expiresAt", "workspaceId", "botId", "resultId", "sessionId", "blockId", "user", "userId",
    "isArchived", "isClosed", "messagingCredentialsId", "riskLevel", "disabledReason", "failingSince", "revision",
}
FREE_BODIES = {"executeWebhook", "receiveChatwootEvent", "createWorkspace", "updateWorkspace", "updateMember"}

excused = Counter()
# Numbers of successes by operation. A run in which an operation has none has not tried it.
successes = Counter()


@schemathesis.hook
def before_call(context, case, **kwargs):
    is_positive = bool(case.meta and case.meta.generation.mode.is_positive)
    sandbox.prepare(operation_id(case), case, is_positive)


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code < 300:
        successes[operation_id(case)] += 1


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Says whether a failure counts."""
    reason = None
    is_rejection = type(failure).__name__ == "RejectedPositiveData"
    if response.status_code == 431:
        reason = "headers over 16 KiB are refused by the parser of HTTP, before any operation"
    elif type(failure).__name__ == "AcceptedNegativeData" and has_long_preference(response):
        reason = "preferences that mean nothing are ignored, however long they are"
    elif is_rejection and response.status_code == 422 and not own_key(response):
        reason = "a key that the tool sends with two requests belongs to the first"
    elif is_rejection and response.status_code == 400:
        reason = why_refused(operation_id(case), response.json()["issues"])
    if reason:
        excused[reason] += 1
    return not reason


def has_long_preference(response):
    """Returns True if the request has a `Prefer` that is longer than the document says."""
    return len(response.request.headers.get("Prefer", "")) > 4096


def own_key(response):
    """Returns True if the request had a key of its own."""
    return response.request.headers.get("Idempotency-Key", "").startswith(sandbox.OWN_KEY)


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
    # Where the value is missing, the message says so first.
    message = issue["message"].replace("Missing: expected", "Expected")
    return next((why for code, start, why in RULES if issue["code"] == code and message.startswith(start)), None)


def operation_id(case):
    return case.operation.definition.raw["operationId"]


@atexit.register
def report():
    """Prints for each phase the rejections by rules that no schema can state, and tells which operations succeeded."""
    with Path(__file__).with_name("pools").joinpath("succeeded.txt").open("a") as file:
        file.writelines(f"{operation}\n" for operation in successes)
    print(f"refused by {len(excused)} rulings, {excused.total()} times")
    for reason, count in excused.most_common():
        print(f"{count:6} times: {reason}")
