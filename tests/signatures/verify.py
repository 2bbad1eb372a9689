import json
import sys

from standardwebhooks import Webhook, WebhookVerificationError


def is_taken(case: dict) -> bool:
    try:
        Webhook(case["secret"]).verify(case["body"], case["headers"])
        return True
    except WebhookVerificationError:
        return False


print(json.dumps([is_taken(case) for case in json.load(sys.stdin)]))
