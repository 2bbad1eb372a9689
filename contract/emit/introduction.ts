/*
 * Introduction for readers who have only the document. The guides have the details, and tests/flows verifies its
 * statements.
 */

export const introduction = `Workspaces hold folders and bots. A bot has a draft with its flow, theme and settings; publishing copies the draft to a publication, which chats run, and chats produce results.

## Authentication

Send an access token with every request, as \`Authorization: Bearer botb_pat_...\`. The first start of a service prints one; create token creates more. A token acts for its user: it may do what the role of the user in the workspace allows, and the description of each operation ends with the role that it needs. Only the operations of visitors need no token. A token can be limited further: to some of the scopes \`read\`, \`write\`, \`results\` and \`chat-admin\`, of which each operation needs one, and to one workspace. Role and limits both apply; a 403 with the issue \`missing_scope\` names the scope. In the last days of a token every response has its end in \`Authentication-Token-Expiration\`. A missing, unknown, expired or revoked token is a 401 whose issue says which.

## Blocks

A flow is \`groups\` of \`blocks\`, connected by \`edges\`, with \`variables\` and, from version 6 on, \`events\`. A block has an \`id\`, a \`type\`, the properties of that type in \`content\`, \`options\` or \`items\`, and in \`outgoingEdgeId\` the edge that leaves it, unless a chat continues with the next block of the group. In \`/openapi.yaml\` the schema \`Block\` leads from each type to the schema of its blocks, such as from \`email input\` to \`EmailInput\`, and that to its options. Unknown properties of requests are rejected, except inside of flows, themes and settings: there they are preserved and returned. JSON Schemas for editors are at \`/schemas/bot-6.1.json\` and for the other versions.

## Safe updates

Send the \`updatedAt\` that you read inside \`bot\` with update bot: \`{"bot": {"version": "6.1", "updatedAt": "2026-03-04T10:15:30.120Z", "name": "Quote"}}\`, where \`version\` is that of the flow that you send. If somebody changed the bot since, nothing is written and the response is a 409. A property that you send replaces the whole property; absent ones do not change. \`"overwrite": true\` beside \`bot\` writes in any case; without either the last writer wins.

For bots, publishing, folders, workspaces, credentials and webhook endpoints the header \`If-Match\` does the same, with the \`ETag\` of a read of the record: another state is a 412. Every other write rejects it. It is checked before \`updatedAt\`, and \`overwrite\` does not waive it. \`If-None-Match\` on a read returns 304 while nothing changed. Tags are opaque and strong.

## After a 409 or a 412

\`code\` is \`CONFLICT\`, and \`issues[0].current\` has the stored state: \`updatedAt\` of a bot; after a 412, whose code is \`PRECONDITION_FAILED\`, \`etag\`, which is the header \`ETag\` too. Read the bot again, make the change on it, and send it with its new \`updatedAt\`. The same request is rejected again. In a chat the answer was ignored, since the session is at a newer revision. For a member it says that there is one already.

## Errors

Every error has the same body: \`code\` for programs, a fixed \`message\`, and \`issues\`, each with its path. The codes of issues are a list that grows, \`IssueCode\`; treat an unknown code as \`custom\`, and an unknown status by its first digit.

## Paging

Lists that can grow have \`limit\`, 1 to 100, and return \`nextCursor\`. Send it as \`cursor\` with the same path and filter for the next page, until it is null; a page before that may have fewer entries than \`limit\`, or none. Without \`limit\` a page has 50 entries, one of folders up to 1,000. Export results takes more at once, and returns its cursor in the header \`Next-Cursor\`. Pages join without gap or repeat. Cursors are opaque.

## Retries

Reads, updates with \`updatedAt\` and deletions are safe to send again. Send every other POST and PATCH with an \`Idempotency-Key\`, one per intended effect and the same for each retry: it is done once, and each repeat within 7 days gets the same response, marked \`Idempotent-Replayed: true\`. A 409 with the issue \`in_progress\` says that the first is still running, a 422 that the key belongs to another request. Without a key, creating something twice creates two. Wait as long as \`Retry-After\` says after a 429 or 503, and longer each time if it is absent. 400, 401, 403, 404, 409, 412, 413, 415 and 422 come again until the request changes. Name the \`X-Request-Id\` of the response when you ask for help.

## Limits

A caller, which is a token or an address without a valid one, may send so many requests in a window of time and so many at once. Each response has these limits in \`RateLimit-Policy\`, and in \`RateLimit\` the requests left (\`r\`) and the seconds until there are more (\`t\`), unless the installation has no limits. Fields that begin with \`X-RateLimit\` are not sent. A request over a limit gets a 429 and has no effect: send it again after as many seconds as \`Retry-After\` says.

A body has at most 4 MiB if it has a bot and 256 KiB otherwise, in JSON of at most 64 levels; request line and headers have 16 KiB together. Bounds of every text, number and list are in the schemas. Ids are opaque texts, times are in UTC with milliseconds.

## Versions

The version is that of this contract: a patch changes texts, a minor version adds, a major version breaks, and only with a major version does the \`/v1\` in paths change. Clients ignore unknown properties of responses.`
