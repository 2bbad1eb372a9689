/*
 * Introduction for readers who have only the document. The guides have the details, and tests/flows verifies its
 * statements.
 */

export const introduction = `Workspaces hold folders and bots. A bot has a draft with its flow, theme and settings; publishing copies the draft into the state that chats run, and chats produce results.

## Authentication

Send an access token with every request, as \`Authorization: Bearer botb_pat_...\`. The first start of a service prints one; create token makes more. A token acts for its user; what it may do depends on the role of the user in the workspace, and each operation ends with the role that it needs. Only the operations of people who chat need none. A token can be limited further: to some of the scopes \`read\`, \`write\`, \`results\` and \`chat-admin\`, of which each operation needs one, and to one workspace. What may be done is the least of both; a 403 with the issue \`missing_scope\` names the scope. In the last days of a token every answer says in \`Authentication-Token-Expiration\` when it ends. A missing, unknown, expired or revoked token is a 401 whose issue says which.

## What is in a block

A flow is \`groups\` of \`blocks\`, connected by \`edges\`, with \`variables\` and, from version 6 on, \`events\`. A block has an \`id\`, a \`type\`, what that type takes in \`content\`, \`options\` or \`items\`, and in \`outgoingEdgeId\` the edge that leaves it, unless a chat goes on with the next block of the group. In \`/openapi.yaml\` the schema \`Block\` leads from each type to the schema of its blocks, such as from \`email input\` to \`EmailInput\`, and that to its options. Unknown properties of requests are refused, except inside of flows, themes and settings: what is unknown there is kept and given back. JSON Schemas for editors are at \`/schemas/bot-6.1.json\` and for the other versions.

## Safe updates

Send the \`updatedAt\` that you read inside \`bot\` with update bot: \`{"bot": {"version": "6.1", "updatedAt": "2026-03-04T10:15:30.120Z", "name": "Quote"}}\`, where \`version\` says how the flow that you send is written. If somebody changed the bot since, nothing is written and the answer is a 409. A property that you send replaces the whole property, what you do not send stays. \`"overwrite": true\` beside \`bot\` writes in any case; without either the last writer wins.

For bots, publishing, folders, workspaces, credentials and webhook endpoints the header \`If-Match\` does the same, with the \`ETag\` that reading the record answered: another state is a 412. Every other write refuses it. It is asked before \`updatedAt\`, and \`overwrite\` does not waive it. \`If-None-Match\` on a read answers 304 while nothing changed. Tags are opaque and strong.

## After a 409 or a 412

\`code\` is \`CONFLICT\`, and \`issues[0].current\` has what is stored now, as \`updatedAt\` of a bot; after a 412, whose code is \`PRECONDITION_FAILED\`, as \`etag\`, which is the header \`ETag\` too. Read the bot again, make the change on it, and send it with its new \`updatedAt\`. Sending the same request again is refused again. In a chat the reply was ignored, since the session is at a newer revision. For a member it says that there is one already.

## Errors

Every error has the same body: \`code\` for programs, a fixed \`message\`, and \`issues\` that say what is wrong and where. The codes of issues are a list that grows, \`IssueCode\`; take a code that you do not know for \`custom\`, and a status that you do not know by its first digit.

## Paging

Lists that can grow have \`limit\`, 1 to 100, and answer \`nextCursor\`. Send it as \`cursor\` with the same path and filter for the next page, until it is null; a page before that may have fewer entries than \`limit\`, or none. Without \`limit\` a page has 50 entries, one of folders up to 1,000. Export results takes more at once, and answers its cursor in the header \`Next-Cursor\`. Pages join without gap or repeat. Cursors are opaque.

## Retries

Reads, updates with \`updatedAt\` and deletions are safe to send again. Send every other POST and PATCH with an \`Idempotency-Key\`, one per intended effect and the same for each retry: it is done once, and each repeat within 7 days gets the same answer, marked \`Idempotent-Replayed: true\`. A 409 with the issue \`in_progress\` says that the first is still running, a 422 that the key belongs to another request. Without a key, creating something twice makes two of it. Wait as long as \`Retry-After\` says after a 429 or 503, and longer each time where it says nothing. 400, 401, 403, 404, 409, 412, 413, 415 and 422 come again until the request changes. Name the \`X-Request-Id\` of the answer when you ask for help.

## Limits

A caller, which is a token or an address without a valid one, may send so many requests in a window of time and so many at once. Each answer says in \`RateLimit-Policy\` how many, and in \`RateLimit\` how many are left (\`r\`) and in how many seconds there are more (\`t\`), unless the installation has no limits. Fields that begin with \`X-RateLimit\` are not sent. A request over a limit is answered 429 and nothing of it was done: send it again after as many seconds as \`Retry-After\` says.

A body has at most 4 MiB where it carries a bot and 256 KiB elsewhere, in JSON of at most 64 levels; request line and headers have 16 KiB together. Bounds of every text, number and list are in the schemas. Ids are opaque texts, times are in UTC with milliseconds.

## Versions

The version is that of this contract: a patch changes texts, a minor version adds, a major version breaks, and only with a major version does the \`/v1\` in paths change. Clients ignore properties of answers that they do not know.`
