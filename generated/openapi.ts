// Made by `make generate` from contract/. Do not edit.
export interface paths {
    "/api/v1/bots/{botId}/blocks/{blockId}/results/{resultId}/executeWebhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call the webhook that a chat waits for
         * @description Continues a chat that waits at a webhook block, with the body as the data that the block maps into variables. Numbers of any length stay as they are written. The waiting client continues without a message and with its `revision`, and gets the next turn in the text format of its last request. A chat that does not wait at this block is invalid input.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `chat-admin`.
         */
        post: operations["executeWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bots/{botId}/chatwoot/{credentialsId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive an event of Chatwoot
         * @description Receives the events of an agent bot of Chatwoot, with credentials of the type `chatwoot`. The published bot answers in the conversations of its inboxes, on all their channels. The service stores an event and responds at once; a repeated event counts once. Each event needs a signature in `X-Chatwoot-Signature`, made with the secret of the credentials, and an `X-Chatwoot-Timestamp` at most 5 minutes old. Or it has that secret as `secret`. Others are forbidden and change nothing. Messages of members and of the bot itself change only the handling of a chat. A conversation has at most 500 waiting events.
         *
         *     Permission: none; no token is needed.
         */
        post: operations["receiveChatwootEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bots/{botId}/preview/startChat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview the draft of a bot
         * @description Starts a chat with the draft instead of the published copy. It stores no result; every turn runs the current draft. Continue it with the operation that continues chats. With `simulation`, the engine of live chats runs a whole chat at once, from given replies, responses, a clock and branches. Nothing is sent or stored, and with `startsAt` the same request runs the same chat. Blocks get stand-ins in place of the data of credentials.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `write`.
         */
        post: operations["startPreview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bots/{publicId}/startChat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a chat
         * @description Starts a chat with a published bot and runs it up to its first input. The chat stays with the copy that is published now, and its answers go to a new result. A public id that no published bot has is not found; a bot that is closed is invalid input; a page whose origin the bot does not allow is forbidden.
         *
         *     Permission: none; no token is needed.
         */
        post: operations["startChat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a chat session
         * @description Returns the current state of a chat: its messages, and the input or the action it waits for. A client that was closed shows this and continues with `revision`; nothing runs again. A session can be read as long as it can be continued, and for an hour after it ended.
         *
         *     Permission: none; no token is needed.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{sessionId}/continueChat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Continue a chat
         * @description Sends a reply and runs the flow up to its next input. A reply that the input does not accept gets a message and the same input. A chat that waits at a webhook block returns the same turn again until the webhook is called; in a preview a text stands for the call, such as `{"data": {"isPaid": true}}`. With `revision` a repeated request gets the same response again. If equal replies arrive at once, one counts and all get its response; if they differ, one counts and the others are a conflict. A session can be continued for at least 48 hours after its last turn; then, or when the bot is deleted, it is not found.
         *
         *     Permission: none; no token is needed.
         */
        post: operations["continueChat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{sessionId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a chat session
         * @description Returns the events of a chat after a given one: turns, messages of members, changes of hands, the end. A client that accepts `text/event-stream` gets them as they come. A browser that lost the connection continues from its last event by itself. Clients need it only while `expectsEvents` is true; reading the session again shows the same.
         *
         *     Permission: none; no token is needed.
         */
        get: operations["listSessionEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{sessionId}/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload a file for a chat
         * @description Stores a file for the input that the chat waits at: an input for files, or one for text that takes attachments or recordings. The reply then names the `url`, in `attachedFileUrls` or as the `url` of a recording. A file that no reply names is removed after a day, the others with their result. A file that the input does not take, and more than 100 files of a chat, is invalid input. An address, and all visitors of a bot together, have a daily limit: more is rejected with `TOO_MANY_REQUESTS` and the issue `daily_quota_exceeded`. While the disk of the installation is nearly full, files are rejected with `SERVICE_UNAVAILABLE` and the issue `disk_full`. Files are served as downloads, pictures as what they are. Only members with a token can read files of an input with the visibility `Private`.
         *
         *     Permission: none; no token is needed.
         */
        post: operations["uploadFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/sessions/{sessionId}/clientLogs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Save log entries of a chat client
         * @description Stores log entries of a chat client with the result of the chat. Needs no token: any caller with the id of the session may write. An unknown session is invalid input. A session may have 1,000 entries in all. A request that exceeds them, or the daily limit of its address (`daily_quota_exceeded`), is rejected as a whole with `TOO_MANY_REQUESTS`.
         *
         *     Permission: none; no token is needed.
         */
        post: operations["saveClientLogs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the bots of a workspace
         * @description Returns the bots of a workspace or of one folder, newest first, without their flows. Bots in folders inside that folder and deleted bots are not listed.
         *
         *     Permission: a guest, a member or an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["listBots"];
        put?: never;
        /**
         * Create a bot
         * @description Creates a bot in a workspace and returns it. Absent properties get defaults: a start event without edge, empty lists, an empty theme and empty settings. The new bot is a draft; nobody can chat with it before it is published.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `write`. A record that does not exist gets the same response as one without access. Its effect is in the audit log of the workspace.
         */
        post: operations["createBot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a bot
         * @description Returns a bot with its draft as it was written or, on request, converted to the latest version of the schema. Members of the workspace may read it, and any caller if it is shared publicly.
         *
         *     Permission: a guest, a member or an admin of the workspace, or any user when the bot is shared publicly, by a token with the scope `read`.
         */
        get: operations["getBot"];
        put?: never;
        post?: never;
        /**
         * Delete a bot
         * @description Archives a bot. From then on no operation finds it: its draft, publications and results are deleted, running chats end, and its public id and domain are free again. This cannot be undone; export the bot first to keep its flow.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        delete: operations["deleteBot"];
        options?: never;
        head?: never;
        /**
         * Update a bot
         * @description Changes the draft of a bot and returns it as stored. Absent properties stay as they are, given ones replace the whole property, and the stored version becomes the given one. With `bot.updatedAt` the update is rejected as a conflict if the bot has changed since; `overwrite` waives that. A later version than the stored one first converts the stored flow. From 6 to 6.1 it also converts the theme, unless one is sent. A legacy version sent to a bot stored in a current one needs `groups`, `edges` and `variables` together. The published copy does not change; public id, domain, `isClosed` and public sharing take effect at once.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `write`.
         */
        patch: operations["updateBot"];
        trace?: never;
    };
    "/v1/bots/{botId}/analytics/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the statistics of the blocks of a bot
         * @description Counts, for chats that began in a time range, the times each input of the published flow was shown, answered and left. The blocks are in the order of the flow. `shown` is the sum of `answered`, `left` and inputs that are still open: a chat can be continued for at least 48 hours after its last turn. An input that a chat comes to twice counts twice. If several chats share a result, because the bot remembers its visitors, the position of the last one counts. Deleted results do not count. A bot that is not published is not found.
         *
         *     Permission: a guest, a member or an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["getBlockStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/analytics/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the statistics of a bot
         * @description Counts the chats of a bot that began in a time range. The counts are all chats, those with an answer, and those of them that reached an end. Deleted results do not count. A bot that is not published has statistics too.
         *
         *     Permission: a guest, a member or an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["getStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/chats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the chats of a bot
         * @description Returns the chats that have begun, have not ended and can still be continued, newest first. With `handledBy` `waiting` the one that has waited longest comes first; with `member` or `assigneeId`, the one that changed hands last. Get a chat returns the messages. Previews are not listed.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `chat-admin`.
         */
        get: operations["listChats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/chats/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a chat with its messages
         * @description Returns the current state of a chat with its messages. A chat that ended can be read for an hour after its end; the transcript of the result stays. A preview is not found.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `chat-admin`.
         */
        get: operations["getChat"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Steer a chat
         * @description Sets variables of a chat, takes it, gives it back, or ends it. Variables have their new values in the result at once, and in the chat from its next turn on. A turn that runs meanwhile loses neither its own changes nor these. `handledBy` `member` takes the chat for the caller, or for `assigneeId`: from then on the bot neither runs nor sends, and the visitor writes to people. A turn that is running then is dropped; the visitor's message counts as written to the member. A chat that is taken from the bot counts towards the daily limit of messages from the members of the workspace. A chat that another member handles is a conflict unless `assigneeId` is sent. `waiting` queues the chat for a member. `bot` gives it back at the position where it was, or at the group of `groupId`; it continues there with the next turn of the visitor's client. A chat that was ended is not found by its visitor, like any that is over; its result stays, with an entry in its log. A name that no variable has is invalid input. A chat that is over, and a preview, is not found.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `chat-admin`.
         */
        patch: operations["updateChat"];
        trace?: never;
    };
    "/v1/bots/{botId}/chats/{sessionId}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write to the visitor of a chat
         * @description Sends a message to the visitor of a chat that a member handles, in plain text or Markdown, with or without files. The visitor gets it with the events of the session, or by reading the session; the transcript of the result has it too. Upload files before, with the operation of visitors, which takes any file while a member handles the chat. A chat that no member handles is a conflict: take it first. A chat has at most 2,000 messages of members. The installation limits those of a workspace in a day, by default to 50,000 with 100 MB; more are a 429. A chat that is over, and a preview, is not found.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `chat-admin`.
         */
        post: operations["sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/chats/{sessionId}/typing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Show the visitor of a chat that a member is typing
         * @description Shows the visitor of a chat that the caller, who handles it, is typing: clients that follow the session get the event `typing`. It ends by itself after 6 seconds, and with the next message; send it again every three seconds while the member types. The transcript does not have it. A chat that the caller does not handle is a conflict: take it first. A chat that is over, and a preview, is not found.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `chat-admin`.
         */
        put: operations["updateTypingSign"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the flow of a bot
         * @description Reports parts of the draft that would misbehave when it runs. In the graph, these are references to nothing, edges that are not the `outgoingEdgeId` of their start, unreachable groups, duplicate ids, a missing start, and circles without an input. In blocks, these are types that chats skip, misspelt properties, names in placeholders that no variable has, code that does not parse, and missing parts of blocks, bubbles and items. None of them prevents storing or publishing the bot.
         *
         *     Permission: a guest, a member or an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["checkBot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two states of a bot
         * @description Returns the differences between two states of the flow of a bot: its draft, the live publication, or an earlier one. Groups, blocks, items, edges, variables and events are matched by their ids, so the order of stored lists makes no difference. Blocks of a group and items of a block that changed their order are `moved`. Flows in different versions are compared in the latest one, without the changes of the conversion alone. Name, icon and public id are not part of a publication and are not compared.
         *
         *     Permission: a guest, a member or an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["compareBot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Duplicate a bot
         * @description Creates a bot with the draft of another one, in its stored version, and returns it. The new bot gets a new id; all ids inside the flow stay. Results, publications, public id, domain and the credentials of a messaging channel are not copied. Public sharing is left out, since it would act at once. Credentials that blocks name belong to the same workspace, so they still work.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        post: operations["duplicateBot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a bot
         * @description Returns the draft of a bot as a document, in its stored version. Import takes the value of `bot` in the response as its `bot`, in this installation or another one: exporting and importing makes a duplicate. Publications and results are not part of it.
         *
         *     Permission: a guest, a member or an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["exportBot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/publications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the publications of a bot
         * @description Returns the published copies of the bot, newest first, without their flows. Publishing again and unpublishing do not remove them; deleting the bot does. An installation may delete copies that were replaced long ago: these are not listed, and get and restore return 404.
         *
         *     Permission: a guest, a member or an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["listPublications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/publications/{publicationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a publication
         * @description Returns one published copy with its flow and the findings of the check when it was published.
         *
         *     Permission: a guest, a member or an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["getPublication"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/publications/{publicationId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a publication into the draft
         * @description Copies flow, theme and settings of an earlier publication into the draft, and returns the bot with a new `updatedAt`. It replaces the draft and its version; publish the draft first to keep it. Name, folder, public id, the live copy and public sharing stay as they are: publish to make the restored draft live. Takes no body.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        post: operations["restorePublication"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish a bot
         * @description Copies the stored draft, in one step, and makes the copy the one that chats run. Earlier copies stay as publications; running chats finish on the copy they started with. A bot without public id gets one: its name in lower case with a random ending. Findings of the check never prevent publishing: the publication lists them, `errorsFound` and `warningsFound` count them, and `firstErrors` shows the first errors. The draft and its `updatedAt` do not change. Takes no body.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `write`. A record that does not exist gets the same response as one without access. Its effect is in the audit log of the workspace.
         */
        post: operations["publishBot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/publishedBot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the published copy of a bot
         * @description Returns the copy that chats run, as it was written or, on request, converted to the latest version of the schema. A bot that is not published is not found. Members of the workspace may read it, and any caller if the bot is shared publicly.
         *
         *     Permission: a guest, a member or an admin of the workspace, or any user when the bot is shared publicly, by a token with the scope `read`.
         */
        get: operations["getPublishedBot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the results of a bot
         * @description Returns the results with at least one answer, newest first, with their answers and variables. Results of earlier publications are among them. Pages join without gap or repeat while new results arrive. With `status`, `answerContains` or `variable`, a page ends once it has examined 800 results, or 24 MB of answers and variables. It may then have fewer entries than `limit`, or none, and a `nextCursor` all the same.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `results`.
         */
        get: operations["listResults"];
        put?: never;
        post?: never;
        /**
         * Delete results of a bot
         * @description Deletes results of the bot with their answers, transcripts, logs and files. `resultIds` names them, or `createdBefore` bounds their start; with both, results must meet both, and with neither all are deleted. This cannot be undone. Their chats are over, and webhook endpoints get only `results.deleted` for them. Unknown ids and ids of other bots are ignored. A body, an empty value or an unknown parameter is rejected, and without a filter a Content-Type header too. So a misplaced list of ids can never delete everything.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `results`. Its effect is in the audit log of the workspace.
         */
        delete: operations["deleteResults"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/results/{resultId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a result
         * @description Returns one result with its answers and variables, even if no answer was given yet.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `results`.
         */
        get: operations["getResult"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/results/{resultId}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the logs of a result
         * @description Returns the log entries of the service and of chat clients for the chat, newest first.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `results`.
         */
        get: operations["listResultLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/results/{resultId}/transcript": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the transcript of a result
         * @description Returns the messages of the bot, the visitor and members, in order, as they were sent: later changes of the bot do not change them.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `results`.
         */
        get: operations["getTranscript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/resultsExport": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export results as CSV or JSON lines
         * @description Streams the results with at least one answer, newest first, one line per result. CSV (RFC 4180, UTF-8) begins with the names of the columns. First come the questions of the published flow and of the bots that merge their results into it, answered or not: one column per variable that they fill, one per question without a variable. Then come answered questions that are in none of these flows, unless their variable has a column. Variables that no question fills come last. The last ten publications before the live one name deleted questions and variables. A cell has the final value of the variable. If that is the last answer to its questions, the cell has all of their answers. Values that a spreadsheet would take for a formula are prefixed with a single quote. In JSON lines, each line is a result as the list of results has it.
         *
         *     With `limit` the export comes in parts that can be requested again. A part covers that many results from its `cursor` on, and contains those that match the filters; its header `Next-Cursor` is the start of the next part. Results that arrive or are deleted meanwhile make no gap and no repeat. Every part of a CSV has the names of the columns. `Results-Remaining` is the number of results left, for a display of progress.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `results`.
         */
        get: operations["exportResults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/unpublish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unpublish a bot
         * @description Removes the published copy, so that no new chat can start; running chats finish. Public id, draft, results and earlier publications stay. Succeeds when the bot is not published. Takes no body.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `write`. A record that does not exist gets the same response as one without access. Its effect is in the audit log of the workspace.
         */
        post: operations["unpublishBot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/webhookBlocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the blocks that send requests
         * @description Returns the HTTP request blocks of the draft, in the order of the document: at most 1,000 of the types Webhook, Zapier, Make.com and Pabbly. An app of an automation service offers them in a menu.
         *
         *     Permission: a guest, a member or an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["listWebhookBlocks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/webhookBlocks/{blockId}/getResultExample": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an example of the body of a block
         * @description Returns made-up answers in the form in which the block sends them. The body has one for each input that a chat can have passed before the block. It also has one for each variable with a value of its own. `submittedAt` is the current time, and `message` says that the data is made up; requests of chats have no `message`. A block with a body of its own sends that instead.
         *
         *     Permission: a guest, a member or an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["getResultExample"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/webhookBlocks/{blockId}/subscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the address of a block
         * @description Sets the address that a block of the draft sends its request to. An app of an automation service does this when a user switches its trigger on. The rest of the block stays as it is. Chats use the address once the bot is published again. A bot in version 3 keeps its requests outside of the document, so its block cannot be set: update the bot to a newer version first.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `write`.
         */
        post: operations["subscribeWebhookBlock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/{botId}/webhookBlocks/{blockId}/unsubscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Clear the address of a block
         * @description Removes the address of a block of the draft. An app does this when a user switches its trigger off. Chats send no request there once the bot is published again. A block without an address stays as it is. Takes no body.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `write`.
         */
        post: operations["unsubscribeWebhookBlock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bots/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import a bot
         * @description Creates a bot from an exported document of any version and returns it. The bot gets a new id; all ids inside the flow stay. A flow in a legacy version is converted to the latest one, without loss. The new bot is a draft, without results and publications. Public id, domain, folder and credentials of the document are not taken over. A link block that carries the name of another product (`Acme link` with `acmeId`) becomes `Bot link` with `botId`. An event, item or last block of a group without `outgoingEdgeId` gets the one edge that starts at it. Public sharing is left out, since it would act at once. `warnings` lists dropped and added parts, links to bots that the workspace does not have, and blocks that chats skip. `errorsFound` and `warningsFound` count the findings that check a bot will list. A document that cannot be repaired is invalid input.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        post: operations["importBot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/currentUser": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the current user
         * @description Returns the user of the token, the token with its scopes and expiry, and the roles of the user, longest membership first. A token that is bound to a workspace sees the role in that workspace alone. The response has at most 1,000 workspaces; list workspaces has all.
         *
         *     Permission: any user, by any token.
         */
        get: operations["getCurrentUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deviceLogins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start the login of a program
         * @description Starts a login in the shape of RFC 8628, for a program that has no browser of its own. Show `userCode` and `verificationUri` to the user: on that page, signed in, they see the request, compare the code, and allow or deny it. Meanwhile send `deviceCode` to continue device login. The codes work for 10 minutes. The body describes the token, as create token takes it; the user cannot allow a workspace in which they have no role. A network can start 50 logins in that time; more are rejected with `TOO_MANY_REQUESTS` and the issue `rate_exceeded`.
         *
         *     Permission: none; no token is needed.
         */
        post: operations["startDeviceLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deviceLogins/continue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Poll for the token of a login
         * @description Returns the decision of the user. While the `status` is `pending`, send the request again after `interval` seconds. A request that comes earlier gets `slowDown` and adds 5 seconds to the interval. With `allowed` the response has the `apiToken`, and no other response shows it: the code is used up. `denied` ends the login. A code that was used, has expired or never existed is not found: start again.
         *
         *     Permission: none; no token is needed.
         */
        post: operations["continueDeviceLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/folders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the folders of a workspace
         * @description Returns the folders directly in one folder, or those at the top level of the workspace, newest first, in pages. Bots and deeper folders are not included.
         *
         *     Permission: a guest, a member or an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["listFolders"];
        put?: never;
        /**
         * Create a folder
         * @description Creates a folder at the top level of a workspace or inside another folder of the same workspace, and returns it. Names need not be unique; a parent of another workspace is invalid input.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `write`.
         */
        post: operations["createFolder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/folders/{folderId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a folder
         * @description Returns one folder. List folders and list bots return its contents.
         *
         *     Permission: a guest, a member or an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["getFolder"];
        put?: never;
        post?: never;
        /**
         * Delete a folder
         * @description Deletes a folder and returns it. Its folders and bots are kept: they move to its parent folder, or to the top level.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        delete: operations["deleteFolder"];
        options?: never;
        head?: never;
        /**
         * Rename or move a folder
         * @description Changes the name of a folder, or moves it with its contents. It moves to another folder of its workspace or, with null, to the top level. A folder cannot be moved into itself or into a folder inside it. Returns the folder as stored.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `write`.
         */
        patch: operations["updateFolder"];
        trace?: never;
    };
    "/v1/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the templates
         * @description Returns the bots that the service offers as a start, without their flows. They are the same for all users, and change only with the version of the service.
         *
         *     Permission: any user, by a token with the scope `read`.
         */
        get: operations["listTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates/{templateId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a template
         * @description Returns a template with its flow, theme and settings. Create bot takes `template.bot` as its `bot`, and import takes it as a file.
         *
         *     Permission: any user, by a token with the scope `read`.
         */
        get: operations["getTemplate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/browserSessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's browser sessions
         * @description Returns the browsers in which the caller is signed in to the pages of the service, newest first. A session ends after 30 days, when the user signs out in that browser, or when it is revoked. A user has at most 50: the next one ends the oldest.
         *
         *     Permission: any user, by a token with the scope `read` that is bound to no workspace.
         */
        get: operations["listBrowserSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/browserSessions/{browserSessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a browser session
         * @description Signs the caller out in one of their browsers and returns the session that ended. The tokens of its pages end with it, in every process at once; tokens that were created with them stay. A session of another user is not found.
         *
         *     Permission: any user, by a token with the scope `write` that is bound to no workspace.
         */
        delete: operations["revokeBrowserSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's tokens
         * @description Returns the tokens of the caller that are not revoked, newest first. Tokens themselves are never shown again. A token that is bound to a workspace sees only those bound to the same one. Tokens that ended are removed after 30 days.
         *
         *     Permission: any user, by a token with the scope `read`.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create a token
         * @description Creates an access token of the caller and returns it. No other response shows the token. It can do at most what the token of this request can: naming more is rejected with the issue `missing_scope` or `bound_token`, and absent limits are taken over. It may live longer, so that a program can renew its own token. A workspace in which the caller has no role is invalid input.
         *
         *     Permission: any user, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/tokens/{tokenId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token
         * @description Revokes one of the caller's tokens at once and returns its last state. A token of somebody else is not found. A token that is bound to a workspace finds only those bound to the same one. A token may revoke itself.
         *
         *     Permission: any user, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's workspaces
         * @description Returns every workspace in which the caller has a role, newest first; with a token that is bound to a workspace, that one alone. A list whose icons and names have more than 8 MB ends early, with a `nextCursor`.
         *
         *     Permission: any user, by a token with the scope `read`.
         */
        get: operations["listWorkspaces"];
        put?: never;
        /**
         * Create a workspace
         * @description Creates an empty workspace with the caller as its admin and returns it. It is rejected with `FORBIDDEN` if the caller has created as many workspaces as the installation allows one user. Workspaces that they were added to, and deleted ones, do not count.
         *
         *     Permission: any user, by a token with the scope `write` that is bound to no workspace. Its effect is in the audit log of the workspace.
         */
        post: operations["createWorkspace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a workspace
         * @description Returns one workspace with the limits agreed for it, and the rights of the caller in it.
         *
         *     Permission: a guest, a member or an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["getWorkspace"];
        put?: never;
        post?: never;
        /**
         * Delete a workspace with everything in it
         * @description Deletes a workspace with its memberships, folders, bots, drafts, publications and results. Running chats end. Public ids and domains of its bots become free; users and their tokens stay. This cannot be undone.
         *
         *     Permission: an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        delete: operations["deleteWorkspace"];
        options?: never;
        head?: never;
        /**
         * Change a workspace
         * @description Changes the name, the icon or the retention of results of a workspace; null removes the icon, or leaves retention to the installation. A workspace can retain results for a shorter time than the installation, not for a longer one. A shorter time deletes results within a quarter of an hour; this cannot be undone. All other properties are read-only and ignored when sent.
         *
         *     Permission: an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        patch: operations["updateWorkspace"];
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/auditLog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log of a workspace
         * @description Returns the actions in the workspace with the users who did them, newest first. It lists created and changed workspaces, changes of members, and created, deleted, published, unpublished and restored bots. It lists deleted folders and results, created, changed and deleted credentials, and changes of who may see or embed a bot. Created and revoked tokens are listed if they are bound to the workspace. Unbound tokens are listed if they belong to the user who created the workspace. An entry exists exactly if the action was done, and never changes. The operator of the service can also read the log of a deleted workspace.
         *
         *     Permission: an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["listAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/chats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the chats of a workspace that people handle
         * @description Returns the chats of all bots of the workspace that wait for a member, longest wait first. Chats that members handle follow, latest change of hands first. Chats that the bot handles are in the list of each bot.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `chat-admin`.
         */
        get: operations["listWorkspaceChats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the credentials of a workspace
         * @description Returns the credentials that bots of the workspace can use, newest first. Secrets are never shown.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["listCredentials"];
        put?: never;
        /**
         * Create credentials
         * @description Stores encrypted credentials for the bots of the workspace; blocks name them with `credentialsId`. The secret part cannot be read again and is used only for the service of the type. Without an encryption key, the installation returns 503 with an issue that says so. A workspace can have 200; more are rejected with 403.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        post: operations["createCredentials"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/credentials/{credentialsId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get credentials
         * @description Returns credentials without their secrets.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["getCredentials"];
        put?: never;
        post?: never;
        /**
         * Delete credentials
         * @description Deletes credentials and returns their last state. Blocks that name them stay as they are and no longer work: their chats log an error and continue.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        delete: operations["deleteCredentials"];
        options?: never;
        head?: never;
        /**
         * Update credentials
         * @description Changes the name of credentials, or replaces all of their data, effective with the next turn of every chat. The type decides about the data and has to be the stored one.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        patch: operations["updateCredentials"];
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/credentials/{credentialsId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test credentials
         * @description Sends a request that changes nothing to the service of the credentials, and returns its verdict. With a mail server it signs in, and sends no mail. The secret is sent to that service alone, and is never part of the response. Some vendors offer no test: their credentials are `untestable`. The test takes at most 20 seconds.
         *
         *     Permission: a member or an admin of the workspace, by a token with the scope `write`.
         */
        post: operations["testCredentials"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the invitations of a workspace
         * @description Returns the invitations that can still be accepted, newest first. Links are never shown again.
         *
         *     Permission: an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite somebody to a workspace
         * @description Invites an e-mail address, with or without a user, and returns a link to a page that accepts the invitation. No other response shows the link; if the service can send mail, the address also gets it. An invitation ends after 7 days, when it is accepted or revoked, and while the admin who created it is no admin. Another one for the same address replaces it. Accepting creates a user if the address has none; members keep a role that is higher. The address of a member is a conflict, that of a disabled user is invalid input.
         *
         *     Permission: an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an invitation
         * @description Ends an invitation at once and returns its last state. One that was accepted, replaced or revoked before is not found. After an acceptance, remove the member instead.
         *
         *     Permission: an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of a workspace
         * @description Returns the users with a role in the workspace, guests included, longest membership first. A list of more than 8 MB ends early, with a `nextCursor`.
         *
         *     Permission: a guest, a member or an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["listMembers"];
        put?: never;
        /**
         * Add a member to a workspace
         * @description Gives an existing user, named by e-mail address, a role in the workspace, effective with their next request. An address that no user has or has proven to own, or that of a disabled user, is invalid input: create an invitation instead. A user who is a member already is a conflict and keeps their role.
         *
         *     Permission: an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        post: operations["addMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member from a workspace
         * @description Takes a user out of the workspace, effective with their next request, and returns the membership that ended. Members of any role may remove themselves to leave the workspace; only an admin may remove somebody else. The last admin of a workspace cannot be removed; admins who are disabled do not count.
         *
         *     Permission: a guest, a member or an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Change the role of a member
         * @description Gives a member another role, effective with their next request. The last admin of a workspace cannot be given a lower role; admins who are disabled do not count.
         *
         *     Permission: an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/webhookEndpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhook endpoints of a workspace
         * @description Returns the endpoints that receive the events of the workspace, newest first.
         *
         *     Permission: an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Create a webhook endpoint
         * @description Adds an address that receives the events of the workspace from now on, signed as Standard Webhooks says. No other response shows the secret. A workspace has at most 20 endpoints.
         *
         *     Permission: an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook endpoint
         * @description Returns one endpoint, without its secret.
         *
         *     Permission: an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description Deletes an endpoint with its deliveries. Waiting deliveries are not sent.
         *
         *     Permission: an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Update a webhook endpoint
         * @description Changes the given properties and keeps the rest. Enabling an endpoint or giving it another address sends its waiting deliveries within seconds. Another address enables an endpoint that the service disabled.
         *
         *     Permission: an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        patch: operations["updateWebhookEndpoint"];
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook endpoint
         * @description Returns sent and waiting deliveries, newest first. Deliveries are retained for 30 days.
         *
         *     Permission: an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook delivery
         * @description Returns one delivery with the payload that is posted.
         *
         *     Permission: an admin of the workspace, by a token with the scope `read`.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description Queues the same event under the same `webhook-id` once more, whatever its outcome, with all its attempts. If an attempt is under way, it is sent after that one. Get the delivery to see its outcome. An endpoint that is not enabled gets only test events again. An event of a deleted result is not sent again: that is a conflict.
         *
         *     Permission: an admin of the workspace, by a token with the scope `write`.
         */
        post: operations["redeliverWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/rotateSecret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook endpoint
         * @description Creates a new secret and shows it this once. For 24 hours events are signed with both, so that receivers can change over. Only two are ever in use: one that was already replaced ends at once.
         *
         *     Permission: an admin of the workspace, by a token with the scope `write`. Its effect is in the audit log of the workspace.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces/{workspaceId}/webhookEndpoints/{endpointId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Queues an event of type `endpoint.test` for the endpoint and returns the delivery, even if the endpoint is disabled or subscribes to other types. Get the delivery shortly after to see its outcome. An endpoint that is not enabled gets one attempt.
         *
         *     Permission: an admin of the workspace, by a token with the scope `write`.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "bot.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Event `bot.created`
         * @description A bot was created or imported. Posted to the webhook endpoints of the workspace that subscribe to this type, at least once, and in order for one bot and for one result.
         */
        post: operations["onBotCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "bot.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Event `bot.deleted`
         * @description A bot was deleted; it cannot be read any more. Posted to the webhook endpoints of the workspace that subscribe to this type, at least once, and in order for one bot and for one result.
         */
        post: operations["onBotDeleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "bot.published": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Event `bot.published`
         * @description The draft of a bot was published. Posted to the webhook endpoints of the workspace that subscribe to this type, at least once, and in order for one bot and for one result.
         */
        post: operations["onBotPublished"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "bot.unpublished": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Event `bot.unpublished`
         * @description A bot was taken offline. Posted to the webhook endpoints of the workspace that subscribe to this type, at least once, and in order for one bot and for one result.
         */
        post: operations["onBotUnpublished"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "bot.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Event `bot.updated`
         * @description The draft or a property of a bot was changed, or a publication was restored. Posted to the webhook endpoints of the workspace that subscribe to this type, at least once, and in order for one bot and for one result.
         */
        post: operations["onBotUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "chat.handoffRequested": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Event `chat.handoffRequested`
         * @description A chat waits for a member from now on. Posted to the webhook endpoints of the workspace that subscribe to this type, at least once, and in order for one bot and for one result.
         */
        post: operations["onChatHandoffRequested"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "chat.messageReceived": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Event `chat.messageReceived`
         * @description A visitor wrote while people handle the chat. Posted to the webhook endpoints of the workspace that subscribe to this type, at least once, and in order for one bot and for one result.
         */
        post: operations["onChatMessageReceived"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "chat.returned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Event `chat.returned`
         * @description The bot handles a chat again. Posted to the webhook endpoints of the workspace that subscribe to this type, at least once, and in order for one bot and for one result.
         */
        post: operations["onChatReturned"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "chat.taken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Event `chat.taken`
         * @description A member handles a chat from now on. Posted to the webhook endpoints of the workspace that subscribe to this type, at least once, and in order for one bot and for one result.
         */
        post: operations["onChatTaken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "endpoint.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Event `endpoint.test`
         * @description A caller tests the endpoint. Posted to the webhook endpoints of the workspace that subscribe to this type, at least once, and in order for one bot and for one result.
         */
        post: operations["onEndpointTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "result.answered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Event `result.answered`
         * @description A turn of a chat stored answers. Posted to the webhook endpoints of the workspace that subscribe to this type, at least once, and in order for one bot and for one result.
         */
        post: operations["onResultAnswered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "result.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Event `result.completed`
         * @description A chat with at least one answer reached an end. Posted to the webhook endpoints of the workspace that subscribe to this type, at least once, and in order for one bot and for one result.
         */
        post: operations["onResultCompleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "result.started": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Event `result.started`
         * @description The first answer of a chat was given. Posted to the webhook endpoints of the workspace that subscribe to this type, at least once, and in order for one bot and for one result.
         */
        post: operations["onResultStarted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "results.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Event `results.deleted`
         * @description A caller deleted results of a bot, or their retention ended. Posted to the webhook endpoints of the workspace that subscribe to this type, at least once, and in order for one bot and for one result.
         */
        post: operations["onResultsDeleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description Assigns each visitor one of two paths at random. */
        AbTestBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            /** @description The two paths: first a, then b. */
            items: components["schemas"]["AbTestItem"][];
            options?: components["schemas"]["AbTestOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "AB test";
        } & {
            [key: string]: unknown;
        };
        /** @description One of the two paths of an AB test. */
        AbTestItem: {
            /**
             * @description Id of the item.
             * @example itmPathA
             */
            id: string;
            /**
             * @description Id of the edge that leaves the item. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Path of the item: a for the first, b for the second.
             * @enum {string}
             */
            path: "a" | "b";
        } & {
            [key: string]: unknown;
        };
        /** @description Division of the visitors. */
        AbTestOptions: {
            /**
             * Format: double
             * @description Percentage of visitors on path a. Default 50.
             * @example 50
             */
            aPercent?: number;
        } & {
            [key: string]: unknown;
        };
        /** @description Restricts the accepted files. */
        AllowedFileTypes: {
            /** @description True if the restriction applies. Default false. */
            isEnabled?: boolean;
            /**
             * @description Accepted extensions or MIME types.
             * @example [
             *       ".pdf",
             *       "image/png"
             *     ]
             */
            types?: string[];
        } & {
            [key: string]: unknown;
        };
        /** @description One answer of a visitor to one input block. */
        Answer: {
            /**
             * @description URLs of files sent with the answer.
             * @example [
             *       "https://example.com/plan.pdf"
             *     ]
             */
            attachedFileUrls?: string[];
            /**
             * @description Id of the input block that was answered.
             * @example block-email
             */
            blockId: string;
            /**
             * @description The answer as text; files are named by their URLs, separated by a comma.
             * @example ada@example.com
             */
            content: string;
        };
        /** @description A result and the answers of one turn. */
        AnsweredResultEventData: {
            /** @description The answers of this turn. */
            answers: components["schemas"]["Answer"][];
            /**
             * @description Id of the bot.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * Format: date-time
             * @description When the chat started.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description True if at least one answer was given.
             * @example true
             */
            hasStarted: boolean;
            /**
             * @description Id of the result.
             * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
             */
            id: string;
            /**
             * @description True if the chat reached an end and had at least one answer.
             * @example false
             */
            isCompleted: boolean;
            /**
             * @description Id of the chat session that wrote last.
             * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
             */
            lastChatSessionId: string;
        };
        /** @description Works with Anthropic. Chats run it, with credentials of type anthropic. Versions 6 and 6.1 only. */
        AnthropicBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["AnthropicOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "anthropic";
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type anthropic. */
        AnthropicCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "anthropic";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type anthropic. */
        AnthropicCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "anthropic";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description Options of the Anthropic block. The action decides which other properties apply. */
        AnthropicOptions: {
            /**
             * @description Action of the block: Create Chat Message, Generate variables. The service preserves other texts. Without an action the block does nothing.
             * @example Create Chat Message
             */
            action?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /**
             * @description Maximum number of tokens in the response. A number, or a text that is one {{variable}} or reads as a number.
             * @example 1024
             */
            maxTokens?: number | string;
            /** @description The messages, oldest first. */
            messages?: components["schemas"]["ChatMessage"][];
            /**
             * @description Name of the model.
             * @example gpt-4o
             */
            model?: string;
            /**
             * @description Prompt for the model; may hold placeholders.
             * @example I live in {{Answer}}.
             */
            prompt?: string;
            /** @description Parts of the response and the variables that store them. With action Create Chat Message: Message content. */
            responseMapping?: components["schemas"]["VendorAnswerMapping"][];
            /**
             * @description Instructions for the whole conversation.
             * @example Answer in French.
             */
            systemMessage?: string;
            /**
             * @description Sampling temperature of the model, from 0 to 2. A number, or a text that is one {{variable}} or reads as a number.
             * @example 0.7
             */
            temperature?: number | string;
            /** @description Functions that the model can call. */
            tools?: components["schemas"]["ChatTool"][];
            /** @description With action Generate variables: the values to find. */
            variablesToExtract?: components["schemas"]["VariableToExtract"][];
        } & {
            [key: string]: unknown;
        };
        /** @description A key of a service, and the address of that service. */
        ApiKeyData: {
            /**
             * Format: password
             * @description Key of the account.
             * @example sk-example
             */
            apiKey: string;
            /**
             * Format: uri
             * @description Address of the API if it is not the one of the vendor: any service with the same protocol works. The key is sent to no other address. Private addresses work only if the installation allows them.
             * @example https://llm.example.com/v1
             */
            baseUrl?: string;
        };
        /** @description An access token, without the token itself. */
        ApiToken: {
            /**
             * Format: date-time
             * @description When the token was created.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the token stops working; null means never.
             * @example 2026-03-04T10:15:30.120Z
             */
            expiresAt: string | null;
            /** @description True if the token stops working within 7 days, or has stopped: time to renew it. */
            expiresSoon: boolean;
            /**
             * @description The last four characters of the token.
             * @example x7Qa
             */
            hint: string;
            /**
             * @description Id of the token, which is not the token itself.
             * @example 01jr5x4g2r3a7v1z6q8s0t2w4y
             */
            id: string;
            /**
             * Format: date-time
             * @description When the token was last used, to the day; null when never.
             * @example 2026-03-04T10:15:30.120Z
             */
            lastUsedAt: string | null;
            /**
             * @description Purpose of the token, as its owner wrote it.
             * @example Nightly export
             */
            name: string;
            /**
             * @description Maximum rights of the token; the roles of its owner can limit them further.
             * @example [
             *       "read",
             *       "results"
             *     ]
             */
            scopes: components["schemas"]["TokenScope"][];
            /**
             * @description Workspace that the token is bound to: outside of it, the token acts as if its owner had no role. Null for a token that is bound to none.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId: string | null;
        };
        /** @description One token, without its secret. */
        ApiTokenBody: {
            apiToken: components["schemas"]["ApiToken"];
        };
        /** @description The token to create. */
        ApiTokenCreate: {
            /**
             * Format: int32
             * @description Days after which the token stops working; absent means never.
             * @example 90
             */
            expiresInDays?: number;
            /**
             * @description Purpose of the token, as its owner wrote it.
             * @example Nightly export
             */
            name: string;
            /**
             * @description Maximum rights of the token; absent means those of the token of this request, which are all for a token without limits.
             * @example [
             *       "read",
             *       "results"
             *     ]
             */
            scopes?: components["schemas"]["TokenScope"][];
            /**
             * @description Id of the workspace to bind the token to; absent means that of the token of this request, if it has one.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId?: string;
        };
        /** @description The caller's tokens. */
        ApiTokenList: {
            /** @description The tokens, newest first. */
            apiTokens: components["schemas"]["ApiToken"][];
            /**
             * @description Send it as `cursor` to get the following page; null on the last page.
             * @example AZx0mC1jZ3JhbnQ
             */
            nextCursor: string | null;
        };
        /** @description A function that the model can call. */
        AssistantFunction: {
            /**
             * @description Body of the function.
             * @example return fetchWeather(city)
             */
            code?: string;
            /**
             * @description Purpose of the function.
             * @example Gives the weather of a city
             */
            description?: string;
            /**
             * @description Name of the function.
             * @example getWeather
             */
            name?: string;
            /**
             * @description Parameters of the function: a JSON Schema, or a list like that of a ChatTool. Any JSON value.
             * @example [
             *       {
             *         "type": "enum",
             *         "name": "city",
             *         "values": [
             *           "Lyon",
             *           "Paris"
             *         ]
             *       }
             *     ]
             */
            parameters?: unknown;
        } & {
            [key: string]: unknown;
        };
        /** @description Lets visitors attach files to the text. */
        AttachmentOptions: {
            /** @description True if visitors can attach files. Default false. */
            isEnabled?: boolean;
            /**
             * @description Id of the variable that stores the addresses of the files.
             * @example varFiles
             */
            saveVariableId?: string;
            visibility?: components["schemas"]["FileVisibility"];
        } & {
            [key: string]: unknown;
        };
        /** @description Plays a sound by its address. */
        AudioBubble: {
            content?: components["schemas"]["AudioBubbleContent"];
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "audio";
        } & {
            [key: string]: unknown;
        };
        /** @description Sound that the block plays. */
        AudioBubbleContent: {
            /** @description True if the sound starts by itself. Default true. */
            isAutoplayEnabled?: boolean;
            /**
             * @description Address of the sound.
             * @example https://files.example.com/hello.mp3
             */
            url?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Lets visitors answer with a recording. */
        AudioClipOptions: {
            /** @description True if visitors can record. Default false. */
            isEnabled?: boolean;
            /**
             * @description Id of the variable that stores the address of the recording.
             * @example varRecording
             */
            saveVariableId?: string;
            visibility?: components["schemas"]["FileVisibility"];
        } & {
            [key: string]: unknown;
        };
        /** @description A recording of the visitor. */
        AudioMessage: {
            /**
             * @description A recording. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "audio";
            /**
             * @description URL of the recording.
             * @example https://example.com/a.mp3
             */
            url: string;
        };
        /** @description A recording of the bot. */
        AudioMessageBubble: {
            /**
             * @description The content of the block, with placeholders filled in.
             * @example {}
             */
            content: {
                [key: string]: unknown;
            };
            /**
             * @description Id of the block in the flow.
             * @example block-hello
             */
            id: string;
            /**
             * @description Kind of the bubble. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "audio";
        };
        /** @description Further details of the action; the list is open. */
        AuditDetails: {
            /**
             * @description Changed parts of the credentials: `name`, `data` or both.
             * @example [
             *       "data"
             *     ]
             */
            changed?: string[];
            /**
             * Format: int32
             * @description Number of deleted results.
             * @example 42
             */
            count?: number;
            /**
             * Format: date-time
             * @description Only results that began before it were deleted.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdBefore?: string;
            /**
             * @description The e-mail address that was invited.
             * @example grace@example.com
             */
            email?: string;
            /**
             * @description Role that the member had before.
             * @example MEMBER
             */
            formerRole?: string;
            /** @description True if there were more than `count`; those are not counted. */
            isMore?: boolean;
            /**
             * @description The publication that was restored.
             * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
             */
            publicationId?: string;
            /**
             * @description Role that the member has now; null for none.
             * @example ADMIN
             */
            role?: string | null;
            /**
             * @description Settings that changed.
             * @example [
             *       "security"
             *     ]
             */
            settings?: string[];
            /**
             * @description The type of the credentials.
             * @example openai
             */
            type?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description An action in a workspace, with the user who did it. */
        AuditEntry: {
            /**
             * Format: date-time
             * @description Time of the action.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /** @description Further details; null if there are none. */
            details: components["schemas"]["AuditDetails"] | null;
            /**
             * @description The e-mail address of that user, or null.
             * @example ada@example.com
             */
            email: string | null;
            /**
             * @description Id of the entry.
             * @example 01jr5x8m6w7e1z5d0v2x4y6a8c
             */
            id: string;
            /**
             * @description Operation that was used; names that begin with `admin` are commands of the operator of the service.
             * @example updateMember
             */
            operation: string;
            /**
             * @description Outcome of the action: `success`, since only completed actions are listed. Rejected requests are in the log of the service.
             * @example success
             */
            outcome: string;
            /**
             * @description Id of the bot, folder, workspace, token or credentials it was done to, or of the user who is a member.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            recordId: string;
            /**
             * @description Id of the token that was used; null if there was none.
             * @example 01jr5x4g2r3a7v1z6q8s0t2w4y
             */
            tokenId: string | null;
            /**
             * @description Id of the user who did it; null for the operator of the service.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            userId: string | null;
        };
        /** @description A page of the audit log of a workspace. */
        AuditPage: {
            /** @description The entries, newest first. */
            entries: components["schemas"]["AuditEntry"][];
            /**
             * @description Send it as `cursor` to get the following page; null on the last page.
             * @example AZx0mC1jZ3JhbnQ
             */
            nextCursor: string | null;
        };
        /** @description The input does not fit the contract, or names something that cannot be. Nothing was changed. Correct what the issues name before sending the request again. */
        BadRequestErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "BAD_REQUEST";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Invalid input data
             */
            message: string;
        };
        /** @description Works with Blink. Chats run it, with credentials of type blink. Versions 6 and 6.1 only. */
        BlinkBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["BlinkOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "blink";
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type blink. */
        BlinkCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "blink";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type blink. */
        BlinkCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "blink";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description Options of the Blink block. The action decides which other properties apply. */
        BlinkOptions: {
            /**
             * @description Action of the block: Get Users, Send Feed Event, Redirect. The service preserves other texts. Without an action the block does nothing.
             * @example Get Users
             */
            action?: string;
            /** @description With action Send Feed Event: true if comments are open. */
            allowComments?: boolean;
            /** @description With action Send Feed Event: true if reactions are open. */
            allowReactions?: boolean;
            /**
             * @description With action Send Feed Event: id of the category.
             * @example cat_news
             */
            categoryId?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /**
             * @description With action Get Users: users by User ID or by Employee ID. Any JSON value.
             * @example {
             *       "type": "User ID",
             *       "userId": "u1"
             *     }
             */
            filter?: unknown;
            /**
             * @description With action Send Feed Event: groups that receive it. Any JSON value.
             * @example [
             *       "g1"
             *     ]
             */
            groupIds?: unknown;
            /**
             * @description With action Send Feed Event: its push notification. Any JSON value.
             * @example {
             *       "title": "News"
             *     }
             */
            pushNotification?: unknown;
            /** @description Parts of the response and the variables that store them. With action Get Users: Emails, Company Names, First Names, Second Names, Display Names, Initials, Job Titles, Profile Photo IDs, Timezones, Manager IDs, Department Names, Account Statuses, Employee IDs, User IDs. With action Send Feed Event: Event ID. */
            responseMapping?: components["schemas"]["VendorAnswerMapping"][];
            /**
             * @description With action Send Feed Event: colour of the ribbon.
             * @example #ff5924
             */
            ribbonColor?: string;
            /**
             * @description With action Send Feed Event: the content. Any JSON value.
             * @example [
             *       {
             *         "type": "Text",
             *         "value": "Hello"
             *       }
             *     ]
             */
            sections?: unknown;
            /**
             * @description With action Redirect: address to open.
             * @example https://www.example.com
             */
            url?: string;
            /**
             * @description With action Send Feed Event: users who receive it. Any JSON value.
             * @example [
             *       "u1"
             *     ]
             */
            userIds?: unknown;
        } & {
            [key: string]: unknown;
        };
        /** @description A block of the flow in versions 6 and 6.1. The type decides its shape. */
        Block: components["schemas"]["StartBlock"] | components["schemas"]["TextBubble"] | components["schemas"]["ImageBubble"] | components["schemas"]["VideoBubble"] | components["schemas"]["EmbedBubble"] | components["schemas"]["AudioBubble"] | components["schemas"]["TextInput"] | components["schemas"]["NumberInput"] | components["schemas"]["EmailInput"] | components["schemas"]["UrlInput"] | components["schemas"]["PhoneNumberInput"] | components["schemas"]["DateInput"] | components["schemas"]["TimeInput"] | components["schemas"]["PaymentInput"] | components["schemas"]["RatingInput"] | components["schemas"]["FileInput"] | components["schemas"]["ChoiceInput"] | components["schemas"]["PictureChoiceInput"] | components["schemas"]["CardsInput"] | components["schemas"]["SetVariableBlock"] | components["schemas"]["RedirectBlock"] | components["schemas"]["CodeBlock"] | components["schemas"]["BotLinkBlock"] | components["schemas"]["WaitBlock"] | components["schemas"]["JumpBlock"] | components["schemas"]["ReturnBlock"] | components["schemas"]["ConditionBlock"] | components["schemas"]["AbTestBlock"] | components["schemas"]["WebhookListenerBlock"] | components["schemas"]["HandoffBlock"] | components["schemas"]["WaitUntilBlock"] | components["schemas"]["GoogleSheetsBlock"] | components["schemas"]["HttpRequestBlock"] | components["schemas"]["ZapierBlock"] | components["schemas"]["MakeComBlock"] | components["schemas"]["PabblyBlock"] | components["schemas"]["EmailBlock"] | components["schemas"]["ChatwootBlock"] | components["schemas"]["GoogleAnalyticsBlock"] | components["schemas"]["PixelBlock"] | components["schemas"]["ClassicOpenAiBlock"] | components["schemas"]["OpenAiBlock"] | components["schemas"]["AnthropicBlock"] | components["schemas"]["MistralBlock"] | components["schemas"]["GroqBlock"] | components["schemas"]["TogetherAiBlock"] | components["schemas"]["OpenRouterBlock"] | components["schemas"]["PerplexityBlock"] | components["schemas"]["DeepSeekBlock"] | components["schemas"]["DifyAiBlock"] | components["schemas"]["ChatNodeBlock"] | components["schemas"]["ElevenLabsBlock"] | components["schemas"]["CalComBlock"] | components["schemas"]["NocoDbBlock"] | components["schemas"]["SegmentBlock"] | components["schemas"]["PostHogBlock"] | components["schemas"]["QrCodeBlock"] | components["schemas"]["ZendeskBlock"] | components["schemas"]["BlinkBlock"] | components["schemas"]["GmailBlock"] | components["schemas"]["OpaqueBlock"];
        /** @description Outcomes of the chats that came to an input block. */
        BlockStats: {
            /**
             * Format: int64
             * @description Times the input was answered.
             * @example 700
             */
            answered: number;
            /**
             * @description Id of the input block.
             * @example block-email
             */
            blockId: string;
            /**
             * Format: int64
             * @description Times a chat ended there, because its time ran out or a member ended it.
             * @example 180
             */
            left: number;
            /**
             * Format: int64
             * @description Times the input was shown: answered, left, and still open.
             * @example 900
             */
            shown: number;
        };
        /** @description The statistics of the blocks of a bot. */
        BlockStatsBody: {
            /** @description The blocks, in the order of the flow. */
            blocks: components["schemas"]["BlockStats"][];
        };
        /** @description A bot with its draft; the version decides about the schema of its flow. */
        Bot: components["schemas"]["BotV3"] | components["schemas"]["BotV4"] | components["schemas"]["BotV5"] | components["schemas"]["BotV6"] | components["schemas"]["BotV61"];
        /** @description One bot with its draft. */
        BotBody: {
            bot: components["schemas"]["Bot"];
        };
        /** @description A chat of a visitor with a bot. */
        BotChat: {
            /**
             * @description Id of the member who handles the chat; null if none does, and for an agent of Chatwoot.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            assigneeId: string | null;
            /**
             * @description Id of the block that waits for the visitor; null if none does.
             * @example block-email
             */
            blockId: string | null;
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * Format: date-time
             * @description When the chat started.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it can no longer be continued, unless another turn runs before.
             * @example 2026-03-04T10:15:30.120Z
             */
            expiresAt: string;
            /**
             * @description `bot`: the bot runs. `waiting`: the chat waits for a member. `member`: a member handles it. In the last two states, the bot neither runs nor sends.
             * @enum {string}
             */
            handledBy: "bot" | "waiting" | "member";
            /**
             * Format: date-time
             * @description When it last changed hands; null where only the bot has handled it.
             * @example 2026-03-05T12:40:00.000Z
             */
            handledSince: string | null;
            /**
             * @description True if the chat has ended.
             * @example false
             */
            isOver: boolean;
            lastMessage: components["schemas"]["LastMessage"];
            /**
             * @description Id of the publication that the chat runs.
             * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
             */
            publicationId: string;
            /**
             * @description Id of the result, as the list of results returns it.
             * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
             */
            resultId: string;
            /**
             * Format: int32
             * @description Counts the turns of the chat.
             * @example 1
             */
            revision: number;
            /**
             * @description Id of the chat session, as start chat returns it.
             * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
             */
            sessionId: string;
            timer: components["schemas"]["ChatTimer"];
            /**
             * Format: date-time
             * @description When its last turn ran.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
        };
        /** @description A chat in the list of a bot. */
        BotChatSummary: {
            /**
             * @description Id of the member who handles the chat; null if none does, and for an agent of Chatwoot.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            assigneeId: string | null;
            /**
             * @description Id of the block that waits for the visitor; null if none does.
             * @example block-email
             */
            blockId: string | null;
            /**
             * Format: date-time
             * @description When the chat started.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it can no longer be continued, unless another turn runs before.
             * @example 2026-03-04T10:15:30.120Z
             */
            expiresAt: string;
            /**
             * @description `bot`: the bot runs. `waiting`: the chat waits for a member. `member`: a member handles it. In the last two states, the bot neither runs nor sends.
             * @enum {string}
             */
            handledBy: "bot" | "waiting" | "member";
            /**
             * Format: date-time
             * @description When it last changed hands; null where only the bot has handled it.
             * @example 2026-03-05T12:40:00.000Z
             */
            handledSince: string | null;
            lastMessage: components["schemas"]["LastMessage"];
            /**
             * @description Id of the result, as the list of results returns it.
             * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
             */
            resultId: string;
            /**
             * Format: int32
             * @description Counts the turns of the chat.
             * @example 1
             */
            revision: number;
            /**
             * @description Id of the chat session, as start chat returns it.
             * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
             */
            sessionId: string;
            timer: components["schemas"]["ChatTimer"];
            /**
             * Format: date-time
             * @description When its last turn ran.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
        };
        /** @description The bot to create; every property may be absent. Properties that create does not take are ignored, so that a bot that was read can be posted as a copy. */
        BotCreate: {
            /**
             * @description Address of the JSON Schema that an editor checks the document with; accepted and ignored.
             * @example /schemas/bot-6.1.json
             */
            $schema?: unknown;
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            /**
             * @description Host name, with an optional path, at which the chat of the bot is served; DNS and the proxy in front of the service have to lead there. Trackers, widgets and head code run there. International names are valid in both spellings; the host is stored in ASCII and lower case, the path without a slash at its end. Unique over the installation, a taken one is invalid input; null without one.
             * @example chat.example.com/leads
             */
            customDomain?: string | null;
            /** @description The connections of the flow, in no particular order. */
            edges?: components["schemas"]["Edge"][];
            /** @description Events that begin the branches of the flow. The first event, and only the first, is the start event. */
            events?: components["schemas"]["FlowEvent"][];
            /**
             * @description Id of the folder the bot is in; null at the top level of its workspace.
             * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
             */
            folderId?: string | null;
            /** @description The groups of the flow, in no particular order. */
            groups?: components["schemas"]["Group"][];
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon?: string | null;
            /**
             * @description Read-only id; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Read-only flag; accepted and ignored.
             * @example null
             */
            readonly isArchived?: unknown;
            /**
             * @description Read-only flag, changed by update; accepted and ignored.
             * @example null
             */
            readonly isClosed?: unknown;
            /**
             * @description Read-only reference, changed by update; accepted and ignored.
             * @example null
             */
            readonly messagingCredentialsId?: unknown;
            /**
             * @description Name of the bot. Names need not be unique.
             * @example Lead generation
             */
            name?: string;
            /**
             * @description Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one.
             * @example lead-generation-8k2m4p6
             */
            publicId?: string | null;
            /** @description Layout of the table of results in an editor; null for its own defaults. */
            resultsTablePreferences?: components["schemas"]["ResultsTablePreferences"] | null;
            /**
             * @description Read-only assessment; accepted and ignored.
             * @example null
             */
            readonly riskLevel?: unknown;
            /**
             * @description Id of the theme template an editor applied, which the service only stores; null without one.
             * @example template-1
             */
            selectedThemeTemplateId?: string | null;
            settings?: components["schemas"]["Settings"];
            theme?: components["schemas"]["Theme"];
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /** @description The variables of the bot. */
            variables?: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in.
             * @default 6.1
             * @enum {string}
             */
            version?: "6" | "6.1";
            /**
             * @description Read-only workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A bot was created or imported. */
        BotCreatedEvent: {
            data: components["schemas"]["BotEventData"];
            /**
             * Format: date-time
             * @description Time of the event. Events of one bot come in order, but not always by this time.
             * @example 2026-03-04T10:15:30.120Z
             */
            timestamp: string;
            /**
             * @description The type of the event.
             * @example bot.created
             * @enum {string}
             */
            type: "bot.created";
        };
        /** @description A bot was deleted; it cannot be read any more. */
        BotDeletedEvent: {
            data: components["schemas"]["BotEventData"];
            /**
             * Format: date-time
             * @description Time of the event. Events of one bot come in order, but not always by this time.
             * @example 2026-03-04T10:15:30.120Z
             */
            timestamp: string;
            /**
             * @description The type of the event.
             * @example bot.deleted
             * @enum {string}
             */
            type: "bot.deleted";
        };
        /** @description A bot without its documents. */
        BotEventData: {
            /**
             * Format: date-time
             * @description When the bot was created.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description Id of the folder of the bot; null at the top level.
             * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
             */
            folderId: string | null;
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            id: string;
            /**
             * @description Name of the bot.
             * @example Lead capture
             */
            name: string;
            /**
             * @description Name of the bot in the address of its chat, or null.
             * @example lead-capture
             */
            publicId: string | null;
            /**
             * Format: date-time
             * @description When the draft was last changed; read the bot to see its current state.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
            version: components["schemas"]["DocumentVersion"];
            /**
             * @description Id of the workspace of the bot.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId: string;
        };
        /** @description A bot as a document of any version, as this service or another builder exported it. Unknown properties are ignored. */
        BotImport: {
            /**
             * @description Address of the JSON Schema that an editor checks the document with; ignored.
             * @example /schemas/bot-6.1.json
             */
            $schema?: unknown;
            /**
             * @description The edges. Malformed ones are dropped.
             * @example []
             */
            edges?: unknown;
            /**
             * @description The events; none in the legacy versions.
             * @example null
             */
            events?: unknown;
            /**
             * @description The groups, with their blocks.
             * @example []
             */
            groups: unknown[];
            /**
             * @description Icon of the bot.
             * @example 🎯
             */
            icon?: unknown;
            /**
             * @description Name of the bot; a default when it is absent or cannot be one.
             * @example Lead generation
             */
            name?: unknown;
            /**
             * @description The settings.
             * @example {}
             */
            settings?: unknown;
            /**
             * @description The theme.
             * @example {}
             */
            theme?: unknown;
            /**
             * @description The variables.
             * @example []
             */
            variables?: unknown;
            /** @description Version of the schema the flow is written in. A document without it, or with null, counts as 6 if it has events, else as 3. */
            version?: components["schemas"]["DocumentVersion"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Continues in another bot, or in another group of this one. */
        BotLinkBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["BotLinkOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Bot link";
        } & {
            [key: string]: unknown;
        };
        /** @description Bot and group where the chat continues. */
        BotLinkOptions: {
            /**
             * @description Id of the other bot, or current.
             * @example current
             */
            botId?: string;
            /**
             * @description Id of the group, or one placeholder that gives the title of a group. Default: the start.
             * @example grpContact
             */
            groupId?: string;
            /** @description True if answers in the other bot count for this bot. Default false, in versions 3, 4 and 5 true. */
            mergeResults?: boolean;
        } & {
            [key: string]: unknown;
        };
        /** @description Texts and pictures for search engines and link previews. */
        BotMetadata: {
            /** @description True if search engines may list the page. */
            allowIndexing?: boolean;
            /**
             * @description HTML for the head of the page; may contain scripts. The page adds it only on a host that serves chats alone.
             * @example <meta name="author" content="Ada">
             */
            customHeadCode?: string;
            /**
             * @description Summary of the page.
             * @example Answer three questions and pick a date.
             */
            description?: string;
            /**
             * @description Icon of the browser tab.
             * @example https://files.example.com/favicon.png
             */
            favIconUrl?: string;
            /**
             * @description Picture of link previews.
             * @example https://files.example.com/preview.png
             */
            imageUrl?: string;
            /**
             * @description Container id of the tag manager. The page loads it only on a host that serves chats alone.
             * @example GTM-ABC1234
             */
            tagManagerId?: string;
            /**
             * @description Title of the page.
             * @example Book a demo
             */
            title?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A page of the bots of a workspace. */
        BotPage: {
            /** @description The bots, newest first. */
            bots: components["schemas"]["BotSummary"][];
            /**
             * @description Send it as `cursor` to get the following page; null on the last page.
             * @example AZx0mC1jZ3JhbnQ
             */
            nextCursor: string | null;
        };
        /** @description A bot was published. */
        BotPublishedEvent: {
            data: components["schemas"]["BotEventData"];
            /**
             * Format: date-time
             * @description Time of the event. Events of one bot come in order, but not always by this time.
             * @example 2026-03-04T10:15:30.120Z
             */
            timestamp: string;
            /**
             * @description The type of the event.
             * @example bot.published
             * @enum {string}
             */
            type: "bot.published";
        };
        /** @description A bot and the state of its draft. */
        BotReference: {
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            id: string;
            /**
             * Format: date-time
             * @description When the draft was last changed.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
            version: components["schemas"]["DocumentVersion"];
        };
        /** @description The bot for callers who have its flow. */
        BotReferenceBody: {
            bot: components["schemas"]["BotReference"];
        };
        /** @description A bot in a list, without its flow. */
        BotSummary: {
            /**
             * @description The caller's rights on the bot: `write` for admins and members of its workspace, `read` for guests, `guest` for all other callers of a publicly shared bot.
             * @enum {string}
             */
            accessRight: "write" | "read" | "guest";
            /**
             * Format: date-time
             * @description When the bot was created.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description Id of the folder the bot is in; null at the top level of its workspace.
             * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
             */
            folderId: string | null;
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon: string | null;
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            id: string;
            /**
             * @description Name of the bot. Names need not be unique.
             * @example Lead generation
             */
            name: string;
            /**
             * @description Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one.
             * @example lead-generation-8k2m4p6
             */
            publicId: string | null;
            /**
             * Format: date-time
             * @description When the bot was last published; null while it is not published. An earlier time than `updatedAt` means that the draft has changed since.
             * @example 2026-03-04T10:15:30.120Z
             */
            publishedAt: string | null;
            /**
             * @description Id of the published copy; null while the bot is not published.
             * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
             */
            publishedBotId: string | null;
            /**
             * Format: date-time
             * @description When the draft was last changed.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
        };
        /** @description A message of the bot. */
        BotTurn: {
            message: components["schemas"]["MessageBubble"];
            /**
             * @description Role of the author. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            role: "bot";
        };
        /** @description A bot was unpublished. */
        BotUnpublishedEvent: {
            data: components["schemas"]["BotEventData"];
            /**
             * Format: date-time
             * @description Time of the event. Events of one bot come in order, but not always by this time.
             * @example 2026-03-04T10:15:30.120Z
             */
            timestamp: string;
            /**
             * @description The type of the event.
             * @example bot.unpublished
             * @enum {string}
             */
            type: "bot.unpublished";
        };
        /** @description A change to a bot. The version is required and decides about the shape: `6` and `6.1` are the current one, `3`, `4` and `5` the legacy one. */
        BotUpdate: components["schemas"]["BotUpdateV3"] | components["schemas"]["BotUpdateV4"] | components["schemas"]["BotUpdateV5"] | components["schemas"]["BotUpdateV6"] | components["schemas"]["BotUpdateV61"];
        /** @description A change to a bot in a current version. */
        BotUpdateCurrent: components["schemas"]["BotUpdateV6"] | components["schemas"]["BotUpdateV61"];
        /** @description The draft or a property of a bot was changed. */
        BotUpdatedEvent: {
            data: components["schemas"]["BotEventData"];
            /**
             * Format: date-time
             * @description Time of the event. Events of one bot come in order, but not always by this time.
             * @example 2026-03-04T10:15:30.120Z
             */
            timestamp: string;
            /**
             * @description The type of the event.
             * @example bot.updated
             * @enum {string}
             */
            type: "bot.updated";
        };
        /** @description A change to a bot in a legacy version. */
        BotUpdateLegacy: components["schemas"]["BotUpdateV3"] | components["schemas"]["BotUpdateV4"] | components["schemas"]["BotUpdateV5"];
        /** @description A change to a bot in version 3. Absent properties stay as they are, given ones replace the whole property. */
        BotUpdateV3: {
            /**
             * @description Address of the JSON Schema that an editor checks the document with; accepted and ignored.
             * @example /schemas/bot-6.1.json
             */
            $schema?: unknown;
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            /**
             * @description Host name, with an optional path, at which the chat of the bot is served; DNS and the proxy in front of the service have to lead there. Trackers, widgets and head code run there. International names are valid in both spellings; the host is stored in ASCII and lower case, the path without a slash at its end. Unique over the installation, a taken one is invalid input; null without one.
             * @example chat.example.com/leads
             */
            customDomain?: string | null;
            /** @description The connections of the flow, in no particular order. */
            edges?: components["schemas"]["Edge"][];
            /** @description Null, because the start is a block of a group. An empty list is valid too. */
            events?: components["schemas"]["FlowEvent"][] | null;
            /**
             * @description Id of the folder the bot is in; null at the top level of its workspace.
             * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
             */
            folderId?: string | null;
            /** @description The groups of the flow, in no particular order. */
            groups?: components["schemas"]["LegacyGroup"][];
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon?: string | null;
            /**
             * @description Read-only id; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Read-only flag; accepted and ignored.
             * @example null
             */
            readonly isArchived?: unknown;
            /** @description True if new chats are rejected. Takes effect at once, without publishing. */
            isClosed?: boolean;
            /**
             * @description Id of the credentials of a messaging channel, which the service only stores; null without one.
             * @example cred-1
             */
            messagingCredentialsId?: string | null;
            /**
             * @description Name of the bot. Names need not be unique.
             * @example Lead generation
             */
            name?: string;
            /**
             * @description Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one.
             * @example lead-generation-8k2m4p6
             */
            publicId?: string | null;
            /** @description Layout of the table of results in an editor; null for its own defaults. */
            resultsTablePreferences?: components["schemas"]["ResultsTablePreferences"] | null;
            /**
             * Format: double
             * @description Risk of the bot as the operator of the service assessed it: higher is riskier and -1 is trusted. Read-only, ignored when sent. Null when not assessed.
             * @example null
             */
            riskLevel?: number | null;
            /**
             * @description Id of the theme template an editor applied, which the service only stores; null without one.
             * @example template-1
             */
            selectedThemeTemplateId?: string | null;
            settings?: components["schemas"]["Settings"];
            theme?: components["schemas"]["Theme"];
            /**
             * Format: date-time
             * @description Precondition: the `updatedAt` that the caller read. The update is rejected as a conflict if the stored one differs, even by a millisecond.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt?: string;
            /** @description The variables of the bot. */
            variables?: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "3";
            /**
             * @description Read-only workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change to a bot in version 4. Absent properties stay as they are, given ones replace the whole property. */
        BotUpdateV4: {
            /**
             * @description Address of the JSON Schema that an editor checks the document with; accepted and ignored.
             * @example /schemas/bot-6.1.json
             */
            $schema?: unknown;
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            /**
             * @description Host name, with an optional path, at which the chat of the bot is served; DNS and the proxy in front of the service have to lead there. Trackers, widgets and head code run there. International names are valid in both spellings; the host is stored in ASCII and lower case, the path without a slash at its end. Unique over the installation, a taken one is invalid input; null without one.
             * @example chat.example.com/leads
             */
            customDomain?: string | null;
            /** @description The connections of the flow, in no particular order. */
            edges?: components["schemas"]["Edge"][];
            /** @description Null, because the start is a block of a group. An empty list is valid too. */
            events?: components["schemas"]["FlowEvent"][] | null;
            /**
             * @description Id of the folder the bot is in; null at the top level of its workspace.
             * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
             */
            folderId?: string | null;
            /** @description The groups of the flow, in no particular order. */
            groups?: components["schemas"]["LegacyGroup"][];
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon?: string | null;
            /**
             * @description Read-only id; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Read-only flag; accepted and ignored.
             * @example null
             */
            readonly isArchived?: unknown;
            /** @description True if new chats are rejected. Takes effect at once, without publishing. */
            isClosed?: boolean;
            /**
             * @description Id of the credentials of a messaging channel, which the service only stores; null without one.
             * @example cred-1
             */
            messagingCredentialsId?: string | null;
            /**
             * @description Name of the bot. Names need not be unique.
             * @example Lead generation
             */
            name?: string;
            /**
             * @description Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one.
             * @example lead-generation-8k2m4p6
             */
            publicId?: string | null;
            /** @description Layout of the table of results in an editor; null for its own defaults. */
            resultsTablePreferences?: components["schemas"]["ResultsTablePreferences"] | null;
            /**
             * Format: double
             * @description Risk of the bot as the operator of the service assessed it: higher is riskier and -1 is trusted. Read-only, ignored when sent. Null when not assessed.
             * @example null
             */
            riskLevel?: number | null;
            /**
             * @description Id of the theme template an editor applied, which the service only stores; null without one.
             * @example template-1
             */
            selectedThemeTemplateId?: string | null;
            settings?: components["schemas"]["Settings"];
            theme?: components["schemas"]["Theme"];
            /**
             * Format: date-time
             * @description Precondition: the `updatedAt` that the caller read. The update is rejected as a conflict if the stored one differs, even by a millisecond.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt?: string;
            /** @description The variables of the bot. */
            variables?: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "4";
            /**
             * @description Read-only workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change to a bot in version 5. Absent properties stay as they are, given ones replace the whole property. */
        BotUpdateV5: {
            /**
             * @description Address of the JSON Schema that an editor checks the document with; accepted and ignored.
             * @example /schemas/bot-6.1.json
             */
            $schema?: unknown;
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            /**
             * @description Host name, with an optional path, at which the chat of the bot is served; DNS and the proxy in front of the service have to lead there. Trackers, widgets and head code run there. International names are valid in both spellings; the host is stored in ASCII and lower case, the path without a slash at its end. Unique over the installation, a taken one is invalid input; null without one.
             * @example chat.example.com/leads
             */
            customDomain?: string | null;
            /** @description The connections of the flow, in no particular order. */
            edges?: components["schemas"]["Edge"][];
            /** @description Null, because the start is a block of a group. An empty list is valid too. */
            events?: components["schemas"]["FlowEvent"][] | null;
            /**
             * @description Id of the folder the bot is in; null at the top level of its workspace.
             * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
             */
            folderId?: string | null;
            /** @description The groups of the flow, in no particular order. */
            groups?: components["schemas"]["LegacyGroup"][];
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon?: string | null;
            /**
             * @description Read-only id; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Read-only flag; accepted and ignored.
             * @example null
             */
            readonly isArchived?: unknown;
            /** @description True if new chats are rejected. Takes effect at once, without publishing. */
            isClosed?: boolean;
            /**
             * @description Id of the credentials of a messaging channel, which the service only stores; null without one.
             * @example cred-1
             */
            messagingCredentialsId?: string | null;
            /**
             * @description Name of the bot. Names need not be unique.
             * @example Lead generation
             */
            name?: string;
            /**
             * @description Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one.
             * @example lead-generation-8k2m4p6
             */
            publicId?: string | null;
            /** @description Layout of the table of results in an editor; null for its own defaults. */
            resultsTablePreferences?: components["schemas"]["ResultsTablePreferences"] | null;
            /**
             * Format: double
             * @description Risk of the bot as the operator of the service assessed it: higher is riskier and -1 is trusted. Read-only, ignored when sent. Null when not assessed.
             * @example null
             */
            riskLevel?: number | null;
            /**
             * @description Id of the theme template an editor applied, which the service only stores; null without one.
             * @example template-1
             */
            selectedThemeTemplateId?: string | null;
            settings?: components["schemas"]["Settings"];
            theme?: components["schemas"]["Theme"];
            /**
             * Format: date-time
             * @description Precondition: the `updatedAt` that the caller read. The update is rejected as a conflict if the stored one differs, even by a millisecond.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt?: string;
            /** @description The variables of the bot. */
            variables?: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "5";
            /**
             * @description Read-only workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change to a bot in version 6. Absent properties stay as they are, given ones replace the whole property. */
        BotUpdateV6: {
            /**
             * @description Address of the JSON Schema that an editor checks the document with; accepted and ignored.
             * @example /schemas/bot-6.1.json
             */
            $schema?: unknown;
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            /**
             * @description Host name, with an optional path, at which the chat of the bot is served; DNS and the proxy in front of the service have to lead there. Trackers, widgets and head code run there. International names are valid in both spellings; the host is stored in ASCII and lower case, the path without a slash at its end. Unique over the installation, a taken one is invalid input; null without one.
             * @example chat.example.com/leads
             */
            customDomain?: string | null;
            /** @description The connections of the flow, in no particular order. */
            edges?: components["schemas"]["Edge"][];
            /** @description Events that begin the branches of the flow. The first event, and only the first, is the start event. */
            events?: components["schemas"]["FlowEvent"][];
            /**
             * @description Id of the folder the bot is in; null at the top level of its workspace.
             * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
             */
            folderId?: string | null;
            /** @description The groups of the flow, in no particular order. */
            groups?: components["schemas"]["Group"][];
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon?: string | null;
            /**
             * @description Read-only id; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Read-only flag; accepted and ignored.
             * @example null
             */
            readonly isArchived?: unknown;
            /** @description True if new chats are rejected. Takes effect at once, without publishing. */
            isClosed?: boolean;
            /**
             * @description Id of the credentials of a messaging channel, which the service only stores; null without one.
             * @example cred-1
             */
            messagingCredentialsId?: string | null;
            /**
             * @description Name of the bot. Names need not be unique.
             * @example Lead generation
             */
            name?: string;
            /**
             * @description Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one.
             * @example lead-generation-8k2m4p6
             */
            publicId?: string | null;
            /** @description Layout of the table of results in an editor; null for its own defaults. */
            resultsTablePreferences?: components["schemas"]["ResultsTablePreferences"] | null;
            /**
             * Format: double
             * @description Risk of the bot as the operator of the service assessed it: higher is riskier and -1 is trusted. Read-only, ignored when sent. Null when not assessed.
             * @example null
             */
            riskLevel?: number | null;
            /**
             * @description Id of the theme template an editor applied, which the service only stores; null without one.
             * @example template-1
             */
            selectedThemeTemplateId?: string | null;
            settings?: components["schemas"]["Settings"];
            theme?: components["schemas"]["Theme"];
            /**
             * Format: date-time
             * @description Precondition: the `updatedAt` that the caller read. The update is rejected as a conflict if the stored one differs, even by a millisecond.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt?: string;
            /** @description The variables of the bot. */
            variables?: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "6";
            /**
             * @description Read-only workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change to a bot in version 6.1. Absent properties stay as they are, given ones replace the whole property. */
        BotUpdateV61: {
            /**
             * @description Address of the JSON Schema that an editor checks the document with; accepted and ignored.
             * @example /schemas/bot-6.1.json
             */
            $schema?: unknown;
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            /**
             * @description Host name, with an optional path, at which the chat of the bot is served; DNS and the proxy in front of the service have to lead there. Trackers, widgets and head code run there. International names are valid in both spellings; the host is stored in ASCII and lower case, the path without a slash at its end. Unique over the installation, a taken one is invalid input; null without one.
             * @example chat.example.com/leads
             */
            customDomain?: string | null;
            /** @description The connections of the flow, in no particular order. */
            edges?: components["schemas"]["Edge"][];
            /** @description Events that begin the branches of the flow. The first event, and only the first, is the start event. */
            events?: components["schemas"]["FlowEvent"][];
            /**
             * @description Id of the folder the bot is in; null at the top level of its workspace.
             * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
             */
            folderId?: string | null;
            /** @description The groups of the flow, in no particular order. */
            groups?: components["schemas"]["Group"][];
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon?: string | null;
            /**
             * @description Read-only id; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Read-only flag; accepted and ignored.
             * @example null
             */
            readonly isArchived?: unknown;
            /** @description True if new chats are rejected. Takes effect at once, without publishing. */
            isClosed?: boolean;
            /**
             * @description Id of the credentials of a messaging channel, which the service only stores; null without one.
             * @example cred-1
             */
            messagingCredentialsId?: string | null;
            /**
             * @description Name of the bot. Names need not be unique.
             * @example Lead generation
             */
            name?: string;
            /**
             * @description Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one.
             * @example lead-generation-8k2m4p6
             */
            publicId?: string | null;
            /** @description Layout of the table of results in an editor; null for its own defaults. */
            resultsTablePreferences?: components["schemas"]["ResultsTablePreferences"] | null;
            /**
             * Format: double
             * @description Risk of the bot as the operator of the service assessed it: higher is riskier and -1 is trusted. Read-only, ignored when sent. Null when not assessed.
             * @example null
             */
            riskLevel?: number | null;
            /**
             * @description Id of the theme template an editor applied, which the service only stores; null without one.
             * @example template-1
             */
            selectedThemeTemplateId?: string | null;
            settings?: components["schemas"]["Settings"];
            theme?: components["schemas"]["Theme"];
            /**
             * Format: date-time
             * @description Precondition: the `updatedAt` that the caller read. The update is rejected as a conflict if the stored one differs, even by a millisecond.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt?: string;
            /** @description The variables of the bot. */
            variables?: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "6.1";
            /**
             * @description Read-only workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A bot whose flow is written in version 3. */
        BotV3: {
            /**
             * Format: date-time
             * @description When the bot was created.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description Host name, with an optional path, at which the chat of the bot is served; DNS and the proxy in front of the service have to lead there. Trackers, widgets and head code run there. International names are valid in both spellings; the host is stored in ASCII and lower case, the path without a slash at its end. Unique over the installation, a taken one is invalid input; null without one.
             * @example chat.example.com/leads
             */
            customDomain: string | null;
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Null, because the start is a block of a group. An empty list is valid too. */
            events: components["schemas"]["FlowEvent"][] | null;
            /**
             * @description Id of the folder the bot is in; null at the top level of its workspace.
             * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
             */
            folderId: string | null;
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["LegacyGroup"][];
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon: string | null;
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            id: string;
            /** @description Always false: an archived bot is not found. */
            isArchived: boolean;
            /** @description True if new chats are rejected. Takes effect at once, without publishing. */
            isClosed: boolean;
            /**
             * @description Id of the credentials of a messaging channel, which the service only stores; null without one.
             * @example cred-1
             */
            messagingCredentialsId: string | null;
            /**
             * @description Name of the bot. Names need not be unique.
             * @example Lead generation
             */
            name: string;
            /**
             * @description Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one.
             * @example lead-generation-8k2m4p6
             */
            publicId: string | null;
            /** @description Layout of the table of results in an editor; null for its own defaults. */
            resultsTablePreferences: components["schemas"]["ResultsTablePreferences"] | null;
            /**
             * Format: double
             * @description Risk of the bot as the operator of the service assessed it: higher is riskier and -1 is trusted. Read-only, ignored when sent. Null when not assessed.
             * @example null
             */
            riskLevel: number | null;
            /**
             * @description Id of the theme template an editor applied, which the service only stores; null without one.
             * @example template-1
             */
            selectedThemeTemplateId: string | null;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /**
             * Format: date-time
             * @description When the draft was last changed; strictly increasing, so it serves as a precondition of an update. Publishing does not change it.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "3";
            /**
             * @description Id of the workspace the bot is in.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId: string;
        };
        /** @description A bot whose flow is written in version 4. */
        BotV4: {
            /**
             * Format: date-time
             * @description When the bot was created.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description Host name, with an optional path, at which the chat of the bot is served; DNS and the proxy in front of the service have to lead there. Trackers, widgets and head code run there. International names are valid in both spellings; the host is stored in ASCII and lower case, the path without a slash at its end. Unique over the installation, a taken one is invalid input; null without one.
             * @example chat.example.com/leads
             */
            customDomain: string | null;
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Null, because the start is a block of a group. An empty list is valid too. */
            events: components["schemas"]["FlowEvent"][] | null;
            /**
             * @description Id of the folder the bot is in; null at the top level of its workspace.
             * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
             */
            folderId: string | null;
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["LegacyGroup"][];
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon: string | null;
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            id: string;
            /** @description Always false: an archived bot is not found. */
            isArchived: boolean;
            /** @description True if new chats are rejected. Takes effect at once, without publishing. */
            isClosed: boolean;
            /**
             * @description Id of the credentials of a messaging channel, which the service only stores; null without one.
             * @example cred-1
             */
            messagingCredentialsId: string | null;
            /**
             * @description Name of the bot. Names need not be unique.
             * @example Lead generation
             */
            name: string;
            /**
             * @description Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one.
             * @example lead-generation-8k2m4p6
             */
            publicId: string | null;
            /** @description Layout of the table of results in an editor; null for its own defaults. */
            resultsTablePreferences: components["schemas"]["ResultsTablePreferences"] | null;
            /**
             * Format: double
             * @description Risk of the bot as the operator of the service assessed it: higher is riskier and -1 is trusted. Read-only, ignored when sent. Null when not assessed.
             * @example null
             */
            riskLevel: number | null;
            /**
             * @description Id of the theme template an editor applied, which the service only stores; null without one.
             * @example template-1
             */
            selectedThemeTemplateId: string | null;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /**
             * Format: date-time
             * @description When the draft was last changed; strictly increasing, so it serves as a precondition of an update. Publishing does not change it.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "4";
            /**
             * @description Id of the workspace the bot is in.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId: string;
        };
        /** @description A bot whose flow is written in version 5. */
        BotV5: {
            /**
             * Format: date-time
             * @description When the bot was created.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description Host name, with an optional path, at which the chat of the bot is served; DNS and the proxy in front of the service have to lead there. Trackers, widgets and head code run there. International names are valid in both spellings; the host is stored in ASCII and lower case, the path without a slash at its end. Unique over the installation, a taken one is invalid input; null without one.
             * @example chat.example.com/leads
             */
            customDomain: string | null;
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Null, because the start is a block of a group. An empty list is valid too. */
            events: components["schemas"]["FlowEvent"][] | null;
            /**
             * @description Id of the folder the bot is in; null at the top level of its workspace.
             * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
             */
            folderId: string | null;
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["LegacyGroup"][];
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon: string | null;
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            id: string;
            /** @description Always false: an archived bot is not found. */
            isArchived: boolean;
            /** @description True if new chats are rejected. Takes effect at once, without publishing. */
            isClosed: boolean;
            /**
             * @description Id of the credentials of a messaging channel, which the service only stores; null without one.
             * @example cred-1
             */
            messagingCredentialsId: string | null;
            /**
             * @description Name of the bot. Names need not be unique.
             * @example Lead generation
             */
            name: string;
            /**
             * @description Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one.
             * @example lead-generation-8k2m4p6
             */
            publicId: string | null;
            /** @description Layout of the table of results in an editor; null for its own defaults. */
            resultsTablePreferences: components["schemas"]["ResultsTablePreferences"] | null;
            /**
             * Format: double
             * @description Risk of the bot as the operator of the service assessed it: higher is riskier and -1 is trusted. Read-only, ignored when sent. Null when not assessed.
             * @example null
             */
            riskLevel: number | null;
            /**
             * @description Id of the theme template an editor applied, which the service only stores; null without one.
             * @example template-1
             */
            selectedThemeTemplateId: string | null;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /**
             * Format: date-time
             * @description When the draft was last changed; strictly increasing, so it serves as a precondition of an update. Publishing does not change it.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "5";
            /**
             * @description Id of the workspace the bot is in.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId: string;
        };
        /** @description A bot whose flow is written in version 6. */
        BotV6: {
            /**
             * Format: date-time
             * @description When the bot was created.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description Host name, with an optional path, at which the chat of the bot is served; DNS and the proxy in front of the service have to lead there. Trackers, widgets and head code run there. International names are valid in both spellings; the host is stored in ASCII and lower case, the path without a slash at its end. Unique over the installation, a taken one is invalid input; null without one.
             * @example chat.example.com/leads
             */
            customDomain: string | null;
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Events that begin the branches of the flow. The first event, and only the first, is the start event. */
            events: components["schemas"]["FlowEvent"][];
            /**
             * @description Id of the folder the bot is in; null at the top level of its workspace.
             * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
             */
            folderId: string | null;
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["Group"][];
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon: string | null;
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            id: string;
            /** @description Always false: an archived bot is not found. */
            isArchived: boolean;
            /** @description True if new chats are rejected. Takes effect at once, without publishing. */
            isClosed: boolean;
            /**
             * @description Id of the credentials of a messaging channel, which the service only stores; null without one.
             * @example cred-1
             */
            messagingCredentialsId: string | null;
            /**
             * @description Name of the bot. Names need not be unique.
             * @example Lead generation
             */
            name: string;
            /**
             * @description Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one.
             * @example lead-generation-8k2m4p6
             */
            publicId: string | null;
            /** @description Layout of the table of results in an editor; null for its own defaults. */
            resultsTablePreferences: components["schemas"]["ResultsTablePreferences"] | null;
            /**
             * Format: double
             * @description Risk of the bot as the operator of the service assessed it: higher is riskier and -1 is trusted. Read-only, ignored when sent. Null when not assessed.
             * @example null
             */
            riskLevel: number | null;
            /**
             * @description Id of the theme template an editor applied, which the service only stores; null without one.
             * @example template-1
             */
            selectedThemeTemplateId: string | null;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /**
             * Format: date-time
             * @description When the draft was last changed; strictly increasing, so it serves as a precondition of an update. Publishing does not change it.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "6";
            /**
             * @description Id of the workspace the bot is in.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId: string;
        };
        /** @description A bot whose flow is written in version 6.1. */
        BotV61: {
            /**
             * Format: date-time
             * @description When the bot was created.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description Host name, with an optional path, at which the chat of the bot is served; DNS and the proxy in front of the service have to lead there. Trackers, widgets and head code run there. International names are valid in both spellings; the host is stored in ASCII and lower case, the path without a slash at its end. Unique over the installation, a taken one is invalid input; null without one.
             * @example chat.example.com/leads
             */
            customDomain: string | null;
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Events that begin the branches of the flow. The first event, and only the first, is the start event. */
            events: components["schemas"]["FlowEvent"][];
            /**
             * @description Id of the folder the bot is in; null at the top level of its workspace.
             * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
             */
            folderId: string | null;
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["Group"][];
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon: string | null;
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            id: string;
            /** @description Always false: an archived bot is not found. */
            isArchived: boolean;
            /** @description True if new chats are rejected. Takes effect at once, without publishing. */
            isClosed: boolean;
            /**
             * @description Id of the credentials of a messaging channel, which the service only stores; null without one.
             * @example cred-1
             */
            messagingCredentialsId: string | null;
            /**
             * @description Name of the bot. Names need not be unique.
             * @example Lead generation
             */
            name: string;
            /**
             * @description Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one.
             * @example lead-generation-8k2m4p6
             */
            publicId: string | null;
            /** @description Layout of the table of results in an editor; null for its own defaults. */
            resultsTablePreferences: components["schemas"]["ResultsTablePreferences"] | null;
            /**
             * Format: double
             * @description Risk of the bot as the operator of the service assessed it: higher is riskier and -1 is trusted. Read-only, ignored when sent. Null when not assessed.
             * @example null
             */
            riskLevel: number | null;
            /**
             * @description Id of the theme template an editor applied, which the service only stores; null without one.
             * @example template-1
             */
            selectedThemeTemplateId: string | null;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /**
             * Format: date-time
             * @description When the draft was last changed; strictly increasing, so it serves as a precondition of an update. Publishing does not change it.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "6.1";
            /**
             * @description Id of the workspace the bot is in.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId: string;
        };
        /** @description One bot and the caller's rights on it. */
        BotWithModeBody: {
            bot: components["schemas"]["Bot"];
            /**
             * @description The caller's rights on the bot: `write` for admins and members of its workspace, `read` for guests, `guest` for all other callers of a publicly shared bot.
             * @enum {string}
             */
            currentUserMode: "write" | "read" | "guest";
        };
        /** @description A browser in which a user is signed in. */
        BrowserSession: {
            /**
             * Format: date-time
             * @description When the user signed in.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the session ends by itself.
             * @example 2026-03-04T10:15:30.120Z
             */
            expiresAt: string;
            /**
             * @description Id of the browser session, as the list returns it.
             * @example 01jr5xcp0a1j5d9h4z6b8c0e2g
             */
            id: string;
            /**
             * @description True for the session whose page sent this request.
             * @example true
             */
            isCurrent: boolean;
            /**
             * Format: date-time
             * @description When a page of the session last requested a token, to the day; null when never.
             * @example 2026-03-04T10:15:30.120Z
             */
            lastUsedAt: string | null;
            /**
             * @description `User-Agent` of the browser, cut at 255 characters; null if it sends none.
             * @example Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0
             */
            userAgent: string | null;
        };
        /** @description One browser session of the caller. */
        BrowserSessionBody: {
            browserSession: components["schemas"]["BrowserSession"];
        };
        /** @description The caller's browser sessions. */
        BrowserSessionList: {
            /** @description The browser sessions, newest first. */
            browserSessions: components["schemas"]["BrowserSession"][];
            /**
             * @description Send it as `cursor` to get the following page; null on the last page.
             * @example AZx0mC1jZ3JhbnQ
             */
            nextCursor: string | null;
        };
        /** @description Answer to a question of the booking form. */
        CalComAnswer: {
            /**
             * @description Id of the question.
             * @example company
             */
            questionId?: string;
            /**
             * @description The answer.
             * @example {{Company}}
             */
            value?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Works with Cal.com. Chats run it. Versions 6 and 6.1 only. */
        CalComBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["CalComOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "cal-com";
        } & {
            [key: string]: unknown;
        };
        /** @description Options of the Cal.com block. The action decides which other properties apply. */
        CalComOptions: {
            /**
             * @description Action of the block: Book event. The service preserves other texts. Without an action the block does nothing.
             * @example Book event
             */
            action?: string;
            /**
             * @description Notes for the host.
             * @example Wants to see the editor.
             */
            additionalNotes?: string;
            /** @description Prefilled answers of the booking form. */
            anyPrefilledInformations?: components["schemas"]["CalComAnswer"][];
            /**
             * @description Address of the Cal.com installation.
             * @example https://cal.com
             */
            baseUrl?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /**
             * @description E-mail address of the visitor.
             * @example {{Email}}
             */
            email?: string;
            /**
             * @description Layout of the calendar.
             * @enum {string}
             */
            layout?: "Month" | "Weekly" | "Columns";
            /**
             * @description Address of the event, or its path.
             * @example ada/30min
             */
            link?: string;
            /**
             * @description Name of the visitor.
             * @example {{Name}}
             */
            name?: string;
            /**
             * @description Phone number of the visitor.
             * @example {{Phone}}
             */
            phone?: string;
            /**
             * @description Id of the variable that stores the booked date.
             * @example varDate
             */
            saveBookedDateInVariableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Show a calendar, and continue with the date that was booked. */
        CalendarAction: {
            calendar: components["schemas"]["CalendarDetails"];
            /** @description True if the client must continue the chat with the outcome. */
            expectsDedicatedReply?: boolean;
            /**
             * @description Run the action after this bubble; absent means before all.
             * @example block-hello
             */
            lastBubbleBlockId?: string;
            /**
             * @description Kind of the action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "calendar";
        };
        /** @description The calendar that the client shows. */
        CalendarDetails: {
            /**
             * @description Address of the page for a frame. It posts messages whose `originator` is `CAL`; `bookingSuccessfulV2` has the date as `data.startTime`.
             * @example https://app.cal.com/ada/30min/embed?embed=chat&embedType=inline
             */
            url: string;
        };
        /** @description A card with a picture, texts and buttons. */
        CardItem: {
            /**
             * @description Text of the card. Null: none.
             * @example For one person.
             */
            description?: string | null;
            /**
             * @description Id of the item.
             * @example itmPlanBasic
             */
            id: string;
            /**
             * @description Address of the picture. Null: none.
             * @example https://files.example.com/basic.png
             */
            imageUrl?: string | null;
            options?: components["schemas"]["CardItemOptions"];
            /**
             * @description Id of the edge that leaves the item. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /** @description The buttons, in the order shown. */
            paths?: components["schemas"]["CardPath"][];
            /**
             * @description Title of the card. Null: none.
             * @example Basic
             */
            title?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Display condition and internal value of a card. */
        CardItemOptions: {
            displayCondition?: components["schemas"]["DisplayCondition"];
            /**
             * @description Text stored as the answer, and by mappings of Internal Value. Null: none.
             * @example basic
             */
            internalValue?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Stores one part of the chosen card in a variable. */
        CardMapping: {
            /**
             * @description Part of the card to store.
             * @enum {string}
             */
            field?: "Image URL" | "Title" | "Description" | "Button" | "Internal Value";
            /**
             * @description Id of the variable that stores the part.
             * @example varPlan
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A button of a card and its edge. */
        CardPath: {
            /**
             * @description Id of the path.
             * @example pthBuy
             */
            id: string;
            /**
             * @description Id of the edge that leaves the path. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Text of the button.
             * @example Buy
             */
            text?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Asks to choose from cards. */
        CardsInput: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            /** @description The cards, in the order shown. */
            items: components["schemas"]["CardItem"][];
            options?: components["schemas"]["CardsInputOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "cards";
        } & {
            [key: string]: unknown;
        };
        /** @description Variables for the answer and for parts of the chosen card. */
        CardsInputOptions: {
            /** @description Parts of the card and the variables that store them. */
            saveResponseMapping?: components["schemas"]["CardMapping"][];
            /**
             * @description Id of the variable that stores the answer.
             * @example varEmail
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description An action of the client. The event `answer` repeats it. */
        ChatActionEvent: {
            action: components["schemas"]["ClientSideAction"];
            /**
             * @description Name of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "action";
        };
        /** @description The last event: the response of a request without a stream. */
        ChatAnswerEvent: {
            /**
             * @description A `StartedChatBody` for a start, a `ContinuedChatBody` for a continuation.
             * @example {
             *       "messages": [],
             *       "revision": 2
             *     }
             */
            answer: {
                [key: string]: unknown;
            };
            /**
             * @description Name of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "answer";
        };
        /** @description One chat of a bot, as it is now. */
        ChatBody: {
            chat: components["schemas"]["BotChat"];
        };
        /** @description The bot that runs: its version, theme and settings. */
        ChatBot: {
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            id: string;
            /**
             * Format: date-time
             * @description When the running copy was published.
             * @example 2026-03-04T10:15:30.120Z
             */
            publishedAt?: string;
            /**
             * @description The settings a client needs: `general` and `typingEmulation`.
             * @example {}
             */
            settings: {
                [key: string]: unknown;
            };
            /**
             * @description The theme, with placeholders filled in.
             * @example {}
             */
            theme: {
                [key: string]: unknown;
            };
            /**
             * @description Version of the flow that runs.
             * @example 6.1
             */
            version: string;
        };
        /** @description A piece of a text that a language model is writing. The bubble that will show the text has this id, and replaces the pieces. */
        ChatDeltaEvent: {
            /**
             * @description Id of the block in the flow.
             * @example block-hello
             */
            id: string;
            /**
             * @description The piece.
             * @example Hel
             */
            text: string;
            /**
             * @description Name of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "delta";
        };
        /** @description One chat of a bot with its messages. */
        ChatDetailBody: {
            chat: components["schemas"]["BotChat"];
            /** @description The messages, oldest first; for very long chats, only the latest. */
            turns: components["schemas"]["ChatTurn"][];
        };
        /** @description The last event of a request that failed after others were sent. */
        ChatErrorEvent: {
            /**
             * @description Body of the response without a stream.
             * @example {
             *       "code": "CONFLICT",
             *       "message": "Conflicting update",
             *       "issues": []
             *     }
             */
            error: {
                [key: string]: unknown;
            };
            /**
             * Format: int32
             * @description Status of the response without a stream.
             * @example 409
             */
            status: number;
            /**
             * @description Name of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "error";
        };
        /** @description Data of an event of a streamed chat, as JSON in one line. */
        ChatEvent: components["schemas"]["ChatLookEvent"] | components["schemas"]["ChatMessageEvent"] | components["schemas"]["ChatActionEvent"] | components["schemas"]["ChatDeltaEvent"] | components["schemas"]["ChatAnswerEvent"] | components["schemas"]["ChatErrorEvent"];
        /** @description A chat that changed hands. */
        ChatEventData: {
            /**
             * @description Id of the member who handles the chat; null if none does, and for an agent of Chatwoot.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            assigneeId: string | null;
            /**
             * @description Id of the bot.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * @description The one who handles the chat from then on.
             * @example member
             * @enum {string}
             */
            handledBy: "bot" | "waiting" | "member";
            /**
             * @description Id of the result.
             * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
             */
            resultId: string;
            /**
             * @description Id of the chat session.
             * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
             */
            sessionId: string;
        };
        /** @description A chat that waits for a member. */
        ChatHandoffEventData: {
            /**
             * @description Id of the member who handles the chat; null if none does, and for an agent of Chatwoot.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            assigneeId: string | null;
            /**
             * @description Id of the block that requested a member; null if a member queued the chat.
             * @example block-people
             */
            blockId: string | null;
            /**
             * @description Id of the bot.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * @description The one who handles the chat from then on.
             * @example member
             * @enum {string}
             */
            handledBy: "bot" | "waiting" | "member";
            /**
             * @description Id of the result.
             * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
             */
            resultId: string;
            /**
             * @description Id of the chat session.
             * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
             */
            sessionId: string;
        };
        /** @description A chat waits for a member from now on. */
        ChatHandoffRequestedEvent: {
            data: components["schemas"]["ChatHandoffEventData"];
            /**
             * Format: date-time
             * @description Time of the event. Events of one bot come in order, but not always by this time.
             * @example 2026-03-04T10:15:30.120Z
             */
            timestamp: string;
            /**
             * @description The type of the event.
             * @example chat.handoffRequested
             * @enum {string}
             */
            type: "chat.handoffRequested";
        };
        /** @description The input block that waits for a reply. */
        ChatInput: {
            /**
             * @description Id of the block in the flow.
             * @example block-hello
             */
            id: string;
            /** @description The items that can be chosen. */
            items?: {
                [key: string]: unknown;
            }[];
            /**
             * @description Options of the block, with placeholders filled in.
             * @example {}
             */
            options?: {
                [key: string]: unknown;
            };
            payment?: components["schemas"]["ChatPayment"];
            /**
             * @description Initial value of the input.
             * @example ada@example.com
             */
            prefilledValue?: string;
            runtimeOptions?: components["schemas"]["PaymentFormOptions"];
            /**
             * @description Type of the input block, such as `email input`.
             * @example email input
             */
            type: string;
            upload?: components["schemas"]["UploadLimits"];
        } & {
            [key: string]: unknown;
        };
        /** @description A log entry of a turn. */
        ChatLog: {
            /**
             * @description Location of the event.
             * @example Group Welcome
             */
            context?: string;
            /**
             * @description Description of the event.
             * @example The mail was not sent
             */
            description: string;
            /**
             * @description Further details.
             * @example Connection refused
             */
            details?: string;
            /**
             * @description Kind of the entry: `error`, `success` or `info`.
             * @example error
             */
            status?: string;
        };
        /** @description Appearance of the chat: the first event of a start. The event `answer` repeats it. */
        ChatLookEvent: {
            /**
             * @description The settings a client needs: `general` and `typingEmulation`.
             * @example {}
             */
            settings: {
                [key: string]: unknown;
            };
            /**
             * @description The theme, with placeholders filled in.
             * @example {}
             */
            theme: {
                [key: string]: unknown;
            };
            /**
             * @description Name of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "look";
        };
        /** @description A message to a model. The role decides which other properties apply. */
        ChatMessage: {
            /**
             * @description Text of the message, with the roles system, user and assistant.
             * @example You are a helpful assistant.
             */
            content?: string;
            /**
             * @description Id of the variable that holds the earlier messages, with role Dialogue.
             * @example varDialogue
             */
            dialogueVariableId?: string;
            /**
             * @description Speaker, or Dialogue for earlier messages from a variable. Missing until chosen.
             * @enum {string}
             */
            role?: "system" | "user" | "assistant" | "Dialogue";
            /**
             * @description First speaker, with role Dialogue. Default user.
             * @enum {string}
             */
            startsBy?: "user" | "assistant";
        } & {
            [key: string]: unknown;
        };
        /** @description A message of the bot. The event `answer` repeats it. */
        ChatMessageEvent: {
            message: components["schemas"]["MessageBubble"];
            /**
             * @description Name of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "message";
        };
        /** @description A message of a visitor to people. */
        ChatMessageEventData: {
            /**
             * @description Id of the member who handles the chat; null if none does, and for an agent of Chatwoot.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            assigneeId: string | null;
            /**
             * @description Id of the bot.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * @description The one who handles the chat from then on.
             * @example member
             * @enum {string}
             */
            handledBy: "bot" | "waiting" | "member";
            /**
             * @description Id of the result.
             * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
             */
            resultId: string;
            /** @description Messages of the visitor. */
            said: components["schemas"]["VisitorMessage"][];
            /**
             * @description Id of the chat session.
             * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
             */
            sessionId: string;
        };
        /** @description A visitor wrote while people handle the chat. */
        ChatMessageReceivedEvent: {
            data: components["schemas"]["ChatMessageEventData"];
            /**
             * Format: date-time
             * @description Time of the event. Events of one bot come in order, but not always by this time.
             * @example 2026-03-04T10:15:30.120Z
             */
            timestamp: string;
            /**
             * @description The type of the event.
             * @example chat.messageReceived
             * @enum {string}
             */
            type: "chat.messageReceived";
        };
        /** @description Works with ChatNode. Chats run it, with credentials of type chat-node. Versions 6 and 6.1 only. */
        ChatNodeBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["ChatNodeOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "chat-node";
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type chat-node. */
        ChatNodeCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "chat-node";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type chat-node. */
        ChatNodeCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "chat-node";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description Options of the ChatNode block. The action decides which other properties apply. */
        ChatNodeOptions: {
            /**
             * @description Action of the block: Send Message. The service preserves other texts. Without an action the block does nothing.
             * @example Send Message
             */
            action?: string;
            /**
             * @description Id of the bot at the vendor.
             * @example b1c2d3
             */
            botId?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /**
             * @description Text for the bot; may hold placeholders.
             * @example {{Question}}
             */
            message?: string;
            /** @description Parts of the response and the variables that store them. With action Send Message: Message, Thread ID. */
            responseMapping?: components["schemas"]["VendorAnswerMapping"][];
            /**
             * @description Id of the thread.
             * @example {{Thread}}
             */
            threadId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A page of the chats of a bot. */
        ChatPage: {
            /** @description The chats, in their order. */
            chats: components["schemas"]["BotChatSummary"][];
            /**
             * @description Send it as `cursor` to get the following page; null on the last page.
             * @example AZx0mC1jZ3JhbnQ
             */
            nextCursor: string | null;
        };
        /** @description The payment that the chat waits for. Continue the chat with any message, or with none, to check it. The chat continues once the service has read from the provider that the payment succeeded. */
        ChatPayment: {
            /**
             * @description Amount with its currency, to show.
             * @example €30.00
             */
            amount: string;
            /**
             * @description Id of the payment at the provider.
             * @example cs_live_a1b2
             */
            id: string;
            /**
             * Format: uri
             * @description Page on which the visitor pays: that of the provider, or one of this service with the form of the provider.
             * @example https://checkout.stripe.com/c/pay/cs_live_a1b2
             */
            url: string;
        };
        /** @description The bot handles a chat again. */
        ChatReturnedEvent: {
            data: components["schemas"]["ChatEventData"];
            /**
             * Format: date-time
             * @description Time of the event. Events of one bot come in order, but not always by this time.
             * @example 2026-03-04T10:15:30.120Z
             */
            timestamp: string;
            /**
             * @description The type of the event.
             * @example chat.returned
             * @enum {string}
             */
            type: "chat.returned";
        };
        /** @description The current state of a chat, for a client that comes back to it. */
        ChatSessionBody: {
            bot: components["schemas"]["ChatBot"];
            /** @description Actions that the chat waits for; one-time actions are not repeated. */
            clientSideActions?: components["schemas"]["ClientSideAction"][];
            dynamicTheme?: components["schemas"]["DynamicTheme"];
            /**
             * @description True while events can come without a request of the visitor: people handle the chat, or a timer runs. Clients then follow the events of the session. Absent otherwise.
             * @example true
             */
            expectsEvents?: boolean;
            /**
             * @description Present while the bot does not handle the chat: it waits for a member, or a member handles it. The input is then a text for people; messages of members come with the session and its events.
             * @enum {string}
             */
            handledBy?: "waiting" | "member";
            input?: components["schemas"]["ChatInput"];
            /**
             * @description True if the chat has ended.
             * @example false
             */
            isOver: boolean;
            /**
             * @description Id of the last event of the session; the next events come after it.
             * @example 3.1
             */
            lastEventId: string;
            /**
             * Format: double
             * @description Progress of the chat in percent; only with the progress bar on.
             * @example 40
             */
            progress?: number;
            /**
             * @description Id of the result; absent while the chat is only registered, and in a preview.
             * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
             */
            resultId?: string;
            /**
             * Format: int32
             * @description Number of turns of the session. Send it with the reply: the same reply sent again then gets the same response instead of counting twice.
             * @example 1
             */
            revision: number;
            /**
             * @description Id of the chat session.
             * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
             */
            sessionId: string;
            /** @description The messages, oldest first; for very long chats, only the latest. */
            turns: components["schemas"]["ChatTurn"][];
        };
        /** @description A member handles a chat from now on. */
        ChatTakenEvent: {
            data: components["schemas"]["ChatEventData"];
            /**
             * Format: date-time
             * @description Time of the event. Events of one bot come in order, but not always by this time.
             * @example 2026-03-04T10:15:30.120Z
             */
            timestamp: string;
            /**
             * @description The type of the event.
             * @example chat.taken
             * @enum {string}
             */
            type: "chat.taken";
        };
        /** @description The timer of a chat: an action of the bot at a set time, without a message. It ends with the chat; null if there is none. */
        ChatTimer: {
            /**
             * Format: date-time
             * @description When it fires, by the clock of the database.
             * @example 2026-03-04T10:15:30.120Z
             */
            dueAt: string;
            /**
             * @description True while people handle the chat; the timer does not fire then.
             * @example false
             */
            isPaused: boolean;
            /**
             * @description `idle`: the branch for a visitor who does not answer. `wait`: the bot continues. `handoff`: the branch for a chat that no member takes.
             * @enum {string}
             */
            kind: "idle" | "wait" | "handoff";
        } | null;
        /** @description A function that the model can call. */
        ChatTool: {
            /**
             * @description Body of the function.
             * @example return fetchWeather(city)
             */
            code?: string;
            /**
             * @description Purpose of the function.
             * @example Gives the weather of a city
             */
            description?: string;
            /**
             * @description Name of the function.
             * @example getWeather
             */
            name?: string;
            /** @description Parameters of the function. */
            parameters?: components["schemas"]["ChatToolParameter"][];
            /**
             * @description Kind of tool.
             * @enum {string}
             */
            type?: "function";
        } & {
            [key: string]: unknown;
        };
        /**
         * @description A parameter of a function that the model can call.
         * @example {
         *       "type": "enum",
         *       "name": "city",
         *       "description": "City the weather is asked for",
         *       "values": [
         *         "Lyon",
         *         "Paris"
         *       ]
         *     }
         */
        ChatToolParameter: {
            /**
             * @description Meaning of the parameter.
             * @example City the weather is asked for
             */
            description?: string;
            /**
             * @description Name of the parameter.
             * @example city
             */
            name?: string;
            /** @description True if the model must send the parameter. Default false. */
            required?: boolean;
            /**
             * @description Kind of value.
             * @enum {string}
             */
            type?: "string" | "number" | "boolean" | "enum";
            /**
             * @description With type enum: the allowed values.
             * @example [
             *       "Lyon",
             *       "Paris"
             *     ]
             */
            values?: string[];
        } & {
            [key: string]: unknown;
        };
        /** @description A message in a chat. */
        ChatTurn: components["schemas"]["BotTurn"] | components["schemas"]["UserTurn"] | components["schemas"]["MemberTurn"];
        /** @description Changes to a chat; absent properties stay as they are. */
        ChatUpdate: {
            /**
             * @description Id of the member who takes the chat, also from another member. Absent or null with `handledBy` `member` means the caller.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            assigneeId?: string | null;
            /**
             * @description Read-only id of the block that waits; accepted and ignored.
             * @example null
             */
            readonly blockId?: unknown;
            /**
             * @description Read-only id of the bot; accepted and ignored.
             * @example null
             */
            readonly botId?: unknown;
            /**
             * @description Read-only time of the start; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            /**
             * @description Read-only end of its life; accepted and ignored.
             * @example null
             */
            readonly expiresAt?: unknown;
            /**
             * @description Group of the bot where the chat continues. Only with `handledBy` `bot`, for a chat that the bot does not handle.
             * @example group-welcome
             */
            groupId?: string;
            /**
             * @description `bot`: the bot runs. `waiting`: the chat waits for a member. `member`: a member handles it. In the last two states, the bot neither runs nor sends.
             * @enum {string}
             */
            handledBy?: "bot" | "waiting" | "member";
            /**
             * @description Read-only time when it changed hands; accepted and ignored.
             * @example null
             */
            readonly handledSince?: unknown;
            /**
             * @description `true` ends the chat; `false` changes nothing.
             * @example true
             */
            isOver?: boolean;
            /**
             * @description Read-only last message; accepted and ignored.
             * @example null
             */
            readonly lastMessage?: unknown;
            /**
             * @description Read-only id of the publication; accepted and ignored.
             * @example null
             */
            readonly publicationId?: unknown;
            /**
             * @description Read-only id of the result; accepted and ignored.
             * @example null
             */
            readonly resultId?: unknown;
            /**
             * @description Read-only number of turns; accepted and ignored.
             * @example null
             */
            readonly revision?: unknown;
            /**
             * @description Read-only id of the chat session; accepted and ignored.
             * @example null
             */
            readonly sessionId?: unknown;
            /**
             * @description Read-only timer; accepted and ignored.
             * @example null
             */
            readonly timer?: unknown;
            /**
             * @description Read-only time of the last turn; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description New values, by variable name; null empties a variable. Others stay.
             * @example {
             *       "Email": "ada@example.com"
             *     }
             */
            variables?: {
                [key: string]: unknown;
            };
        };
        /** @description Open or close the Chatwoot widget. */
        ChatwootAction: {
            chatwoot: components["schemas"]["ScriptHolder"];
            /** @description True if the client must continue the chat with the outcome. */
            expectsDedicatedReply?: boolean;
            /**
             * @description Run the action after this bubble; absent means before all.
             * @example block-hello
             */
            lastBubbleBlockId?: string;
            /**
             * @description Kind of the action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "chatwoot";
        };
        /** @description Opens the widget of Chatwoot. Works only on a host that serves chats alone. */
        ChatwootBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["ChatwootOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Chatwoot";
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type chatwoot. */
        ChatwootCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["ChatwootData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "chatwoot";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type chatwoot. */
        ChatwootCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["ChatwootData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "chatwoot";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description An agent bot of a Chatwoot installation. It writes to the conversations of its inboxes. */
        ChatwootData: {
            /**
             * Format: password
             * @description Access token of the agent bot.
             * @example chatwoot-token-example
             */
            accessToken: string;
            /**
             * Format: int64
             * @description Number of the account in Chatwoot.
             * @example 1
             */
            accountId: number;
            /**
             * Format: uri
             * @description Address of the installation. The token is sent to no other address. Private addresses work only if the installation of this service allows them.
             * @example https://chatwoot.example.com
             */
            baseUrl: string;
            /**
             * Format: password
             * @description Secret with which the agent bot signs its events. A Chatwoot before 4.13 signs none: choose a long random text, and put it into the address of the events.
             * @example chatwoot-secret-example
             */
            secret: string;
        };
        /**
         * @description An event as Chatwoot sends it to agent bots.
         * @example {
         *       "event": "message_created",
         *       "message_type": "incoming"
         *     }
         */
        ChatwootEvent: {
            [key: string]: unknown;
        };
        /** @description The Chatwoot widget and the identity of the visitor. */
        ChatwootOptions: {
            /**
             * @description Address of the Chatwoot installation.
             * @example https://app.chatwoot.com
             */
            baseUrl?: string;
            /**
             * @description Task of the block. Default Show widget.
             * @enum {string}
             */
            task?: "Show widget" | "Close widget";
            user?: components["schemas"]["ChatwootUser"];
            /**
             * @description Token of the widget.
             * @example bX7cPq2LkD
             */
            websiteToken?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The visitor as Chatwoot shows them; all texts may hold placeholders. */
        ChatwootUser: {
            /**
             * @description Address of a picture.
             * @example https://files.example.com/cat.png
             */
            avatarUrl?: string;
            /**
             * @description E-mail address.
             * @example {{Email}}
             */
            email?: string;
            /**
             * @description Id of the visitor.
             * @example {{User ID}}
             */
            id?: string;
            /**
             * @description Name.
             * @example {{Name}}
             */
            name?: string;
            /**
             * @description Phone number.
             * @example {{Phone}}
             */
            phoneNumber?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Asks to choose from buttons. */
        ChoiceInput: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            /** @description The buttons, in the order shown. */
            items: components["schemas"]["ChoiceItem"][];
            options?: components["schemas"]["ChoiceInputOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "choice input";
        } & {
            [key: string]: unknown;
        };
        /** @description Settings of a choice input. */
        ChoiceInputOptions: {
            /** @description True if the buttons show before a search. Default true. */
            areInitialSearchButtonsVisible?: boolean;
            /**
             * @description Text of the button that sends several choices. Default Send.
             * @example Send
             */
            buttonLabel?: string;
            /**
             * @description Id of the variable whose list gives the buttons instead of the items.
             * @example varPlans
             */
            dynamicVariableId?: string;
            /** @description True if visitors may choose several buttons. Default false. */
            isMultipleChoice?: boolean;
            /** @description True if a search field filters the buttons. Default false. */
            isSearchable?: boolean;
            /**
             * @description Text in the empty search field.
             * @example Filter the options...
             */
            searchInputPlaceholder?: string;
            /**
             * @description Id of the variable that stores the answer.
             * @example varEmail
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A button of a choice input. */
        ChoiceItem: {
            /**
             * @description Text of the button.
             * @example Yes, please
             */
            content?: string;
            displayCondition?: components["schemas"]["DisplayCondition"];
            /**
             * @description Id of the item.
             * @example itmYes
             */
            id: string;
            /**
             * @description Id of the edge that leaves the item. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Text stored as the answer. Default: the content.
             * @example yes
             */
            value?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Calls an OpenAI model. Chats of this service run the task Create chat completion, with credentials of type openai, and skip other tasks. Newer documents use the block of type openai. */
        ClassicOpenAiBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["ClassicOpenAiOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "OpenAI";
        } & {
            [key: string]: unknown;
        };
        /** @description Settings of a picture. Required with task Create image. */
        ClassicOpenAiImageOptions: {
            /**
             * @description Width and height in pixels.
             * @enum {string}
             */
            size?: "256x256" | "512x512" | "1024x1024";
        } & {
            [key: string]: unknown;
        };
        /** @description Stores one part of the response in a variable. */
        ClassicOpenAiMapping: {
            /**
             * @description Id of the entry.
             * @example mapReply
             */
            id: string;
            /**
             * @description Part of the response: `Image URL` for pictures, else `Message content`, `Total tokens`, `Prompt tokens` or `Completion tokens`. Default, also if empty: Message content.
             * @example Message content
             */
            valueToExtract?: string;
            /**
             * @description Id of the variable that stores the part.
             * @example varReply
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A message to the model. The role decides which other properties apply. */
        ClassicOpenAiMessage: {
            /**
             * @description Text of the message; with role Messages sequence ✨ the variables that hold earlier messages.
             * @example You are a helpful assistant.
             */
            content?: string | components["schemas"]["ClassicOpenAiMessagesSequence"];
            /**
             * @description Id of the variable that holds the earlier messages, with role Dialogue.
             * @example varDialogue
             */
            dialogueVariableId?: string;
            /**
             * @description Id of the message.
             * @example msgSystem
             */
            id: string;
            /**
             * @description Name of the speaker.
             * @example Ada
             */
            name?: string;
            /**
             * @description Speaker, or source of earlier messages. Missing until chosen.
             * @enum {string}
             */
            role?: "system" | "user" | "assistant" | "Messages sequence ✨" | "Dialogue";
            /**
             * @description First speaker, with role Dialogue. Default user.
             * @enum {string}
             */
            startsBy?: "user" | "assistant";
        } & {
            [key: string]: unknown;
        };
        /** @description Earlier messages, from two list variables in turn. */
        ClassicOpenAiMessagesSequence: {
            /**
             * @description Id of the variable with the messages of the assistant.
             * @example varBotMessages
             */
            assistantMessagesVariableId?: string;
            /**
             * @description Id of the variable with the messages of the user.
             * @example varUserMessages
             */
            userMessagesVariableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Request to the model. The task decides which other properties apply. */
        ClassicOpenAiOptions: {
            advancedOptions?: components["schemas"]["ClassicOpenAiImageOptions"];
            advancedSettings?: components["schemas"]["ClassicOpenAiSettings"];
            /**
             * @description Version of the API.
             * @example 2024-06-01
             */
            apiVersion?: string;
            /**
             * @description Address of the API, if the credentials name none. It must belong to the vendor, since it receives the key.
             * @example https://api.openai.com/v1
             */
            baseUrl?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdOpenAi
             */
            credentialsId?: string;
            /**
             * @description With task Create speech: the text to speak.
             * @example {{Answer}}
             */
            input?: string;
            /** @description With task Create chat completion: the messages. */
            messages?: components["schemas"]["ClassicOpenAiMessage"][];
            /**
             * @description Name of the model.
             * @example gpt-4o
             */
            model?: string;
            /**
             * @description With task Create image: content of the picture.
             * @example A cat on a roof
             */
            prompt?: string;
            /** @description Parts of the response and the variables that store them. Required with task Create image. */
            responseMapping?: components["schemas"]["ClassicOpenAiMapping"][];
            /**
             * @description Id of the variable that stores the address of the sound, with task Create speech.
             * @example varSpeech
             */
            saveUrlInVariableId?: string;
            /**
             * @description Task of the block. Without a task the block does nothing.
             * @enum {string}
             */
            task?: "Create chat completion" | "Create speech" | "Create image";
            /**
             * @description With task Create speech: the voice.
             * @enum {string}
             */
            voice?: "alloy" | "echo" | "fable" | "onyx" | "nova" | "shimmer";
        } & {
            [key: string]: unknown;
        };
        /** @description Settings of a chat completion. */
        ClassicOpenAiSettings: {
            /**
             * @description Sampling temperature of the model, from 0 to 2. A number, or a text that is one {{variable}} or reads as a number.
             * @example 0.7
             */
            temperature?: number | string;
        } & {
            [key: string]: unknown;
        };
        /** @description One entry of the log of a chat client. Each text is cut at 1,000 characters. */
        ClientLog: {
            /**
             * @description Location of the event.
             * @example While executing the script
             */
            context?: string;
            /**
             * @description Description of the event.
             * @example Could not load the script
             */
            description: string;
            /**
             * @description Further details.
             * @example net::ERR_BLOCKED_BY_CLIENT
             */
            details?: string;
            /**
             * @description Kind of the entry, such as `error`, `success` or `info`; `error` when absent.
             * @example error
             */
            status?: string;
        };
        /** @description Code for the client, with its arguments. */
        ClientScript: {
            /** @description The arguments. */
            args: components["schemas"]["ScriptArgument"][];
            /**
             * @description The code.
             * @example console.log(name)
             */
            content: string;
            /** @description True if it is code rather than an expression. */
            isCode?: boolean;
            /** @description True if the code comes from an unknown author. */
            isUnsafe?: boolean;
        };
        /** @description An action of the client. */
        ClientSideAction: components["schemas"]["ScriptAction"] | components["schemas"]["SetVariableAction"] | components["schemas"]["ChatwootAction"] | components["schemas"]["ZendeskAction"] | components["schemas"]["CalendarAction"] | components["schemas"]["RedirectAction"] | components["schemas"]["WaitAction"] | components["schemas"]["HttpRequestAction"] | components["schemas"]["GoogleAnalyticsAction"] | components["schemas"]["PixelAction"] | components["schemas"]["StartPropertiesAction"] | components["schemas"]["ListenForWebhookAction"];
        /** @description Runs a script in the browser of the visitor or on the server. */
        CodeBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["CodeOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Code";
        } & {
            [key: string]: unknown;
        };
        /** @description Script to run and its settings. */
        CodeOptions: {
            /**
             * @description The script; placeholders become values. On the server it runs in a sandbox with `setVariable(name, value)` and `fetch(url, options)`. Its response has `ok`, `status`, `headers`, `text()` and `json()`; used as a text, it is the body. The guide to flows lists the rest.
             * @example document.title = {{Name}}
             */
            content?: string;
            /** @description True if the script runs in the browser of the visitor. If false, it runs on the server, and the browser does not receive it. Default true. */
            isExecutedOnClient?: boolean;
            /** @description True if the script is marked as from an unknown author. */
            isUnsafe?: boolean;
            /**
             * @description Name shown in the editor.
             * @example Track the lead
             */
            name?: string;
            /** @description True if the script is meant for the page that embeds the chat. The service preserves and ignores this: scripts run in the page of the chat. */
            shouldExecuteInParentContext?: boolean;
        } & {
            [key: string]: unknown;
        };
        /** @description Begins a branch when the page around the chat sends a command. */
        CommandEvent: {
            graphCoordinates: components["schemas"]["Coordinates"];
            /**
             * @description Id of the event.
             * @example evtStart
             */
            id: string;
            options?: components["schemas"]["CommandEventOptions"];
            /**
             * @description Id of the edge that leaves the event. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the event.
             * @enum {string}
             */
            type: "command";
        } & {
            [key: string]: unknown;
        };
        /** @description Command that begins the branch. */
        CommandEventOptions: {
            /**
             * @description The command.
             * @example show-offer
             */
            command?: string;
            /** @description True if the chat returns to the waiting input afterwards. Default false. */
            resumeAfter?: boolean;
        } & {
            [key: string]: unknown;
        };
        /** @description Runs the branch of a command event. */
        CommandMessage: {
            /**
             * @description The command that an event of the flow has.
             * @example help
             */
            command: string;
            /**
             * @description A command. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "command";
        };
        /** @description One of the two flows that were compared. */
        ComparedFlow: {
            /**
             * @description Id of the publication; null for the draft.
             * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
             */
            publicationId: string | null;
            /**
             * @description Kind of the flow: the draft or a publication.
             * @enum {string}
             */
            state: "draft" | "publication";
            /**
             * Format: date-time
             * @description When the draft last changed, or when the publication was made.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
            /**
             * @description Version of the schema the flow is stored in.
             * @enum {string}
             */
            version: "3" | "4" | "5" | "6" | "6.1";
        };
        /** @description Compares the value of a variable with a text. It does not hold if the variable or the operator is missing. */
        Comparison: {
            comparisonOperator?: components["schemas"]["ComparisonOperator"];
            /**
             * @description Id of the comparison.
             * @example cmpIsAdult
             */
            id: string;
            /**
             * @description The right side; may hold placeholders. The texts `null` and `undefined` mean no value.
             * @example 18
             */
            value?: string;
            /**
             * @description Id of the variable on the left side.
             * @example varAge
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The differences between two states of a bot. */
        ComparisonBody: {
            /** @description The differences. */
            changes: components["schemas"]["FlowChange"][];
            from: components["schemas"]["ComparedFlow"];
            /** @description False if there are more differences than the list holds: 1,000, or 8 MB of values. */
            isComplete: boolean;
            to: components["schemas"]["ComparedFlow"];
        };
        /**
         * @description Operator that compares two values. Order operators compare numbers, then dates, then lengths. Is set and Is empty ignore the right side.
         * @enum {string}
         */
        ComparisonOperator: "Equal to" | "Not equal" | "Contains" | "Does not contain" | "Greater than" | "Greater or equal to" | "Less than" | "Less or equal to" | "Is set" | "Is empty" | "Starts with" | "Ends with" | "Matches regex" | "Does not match regex";
        /** @description Comparisons joined by one operator. Without comparisons it does not hold. */
        Condition: {
            /** @description The comparisons, in any order. */
            comparisons?: components["schemas"]["Comparison"][];
            logicalOperator?: components["schemas"]["LogicalOperator"];
        } & {
            [key: string]: unknown;
        };
        /** @description Follows the edge of the first item whose condition holds, else its own. Has no options. */
        ConditionBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            /** @description The conditions, in the order of evaluation. */
            items: components["schemas"]["ConditionItem"][];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Condition";
        } & {
            [key: string]: unknown;
        };
        /** @description One condition and the edge that the chat follows if it holds. */
        ConditionItem: {
            content?: components["schemas"]["Condition"];
            /**
             * @description Id of the item.
             * @example itmIsAdult
             */
            id: string;
            /**
             * @description Id of the edge that leaves the item. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The record was changed since the caller read it, or it exists already. Read it again and repeat the change on the new state. */
        ConflictErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "CONFLICT";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Conflicting update
             */
            message: string;
        };
        /** @description Asks visitors for consent before the page loads third-party code: trackers, widgets, head code and fonts. */
        ConsentSettings: {
            /**
             * @description Button to agree.
             * @example Accept
             */
            acceptLabel?: string;
            /**
             * @description Button to decline.
             * @example Decline
             */
            declineLabel?: string;
            /** @description True if the page asks visitors and loads none of these before they agree. Default false. */
            isRequired?: boolean;
            /**
             * @description Address of a page about privacy, linked beside the question.
             * @example https://www.example.com/privacy
             */
            policyUrl?: string;
            /**
             * @description The question. Default: one in the language of the page.
             * @example May we measure your visit?
             */
            text?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The reply of the visitor. */
        ContinueChatBody: {
            /**
             * @description The reply; absent or null skips an optional input, or confirms that an awaited action is done.
             * @example ada@example.com
             */
            message?: components["schemas"]["Message"] | null;
            /**
             * Format: int32
             * @description Number of turns of the session. Send it with the reply: the same reply sent again then gets the same response instead of counting twice.
             * @example 1
             */
            revision?: number;
            /**
             * @description Format of the texts of the bot: a tree of formatted nodes, or Markdown.
             * @default richText
             * @enum {string}
             */
            textBubbleContentFormat?: "richText" | "markdown";
        };
        /** @description A further turn of a chat. Without `input` and awaited action it is over. */
        ContinuedChatBody: {
            /** @description Actions of the client, in order; absent if there are none. */
            clientSideActions?: components["schemas"]["ClientSideAction"][];
            dynamicTheme?: components["schemas"]["DynamicTheme"];
            /**
             * @description True while events can come without a request of the visitor: people handle the chat, or a timer runs. Clients then follow the events of the session. Absent otherwise.
             * @example true
             */
            expectsEvents?: boolean;
            /**
             * @description Present while the bot does not handle the chat: it waits for a member, or a member handles it. The input is then a text for people; messages of members come with the session and its events.
             * @enum {string}
             */
            handledBy?: "waiting" | "member";
            input?: components["schemas"]["ChatInput"];
            /**
             * @description The reply as it was understood, if that differs from the sent one.
             * @example +33 1 23 45 67 89
             */
            lastMessageNewFormat?: string;
            /** @description Log of the turn, for developers of the client. */
            logs?: components["schemas"]["ChatLog"][];
            /** @description Messages of the bot, in order. */
            messages: components["schemas"]["MessageBubble"][];
            /**
             * Format: double
             * @description Progress of the chat in percent; only with the progress bar on.
             * @example 40
             */
            progress?: number;
            /**
             * Format: int32
             * @description Number of turns of the session. Send it with the reply: the same reply sent again then gets the same response instead of counting twice.
             * @example 1
             */
            revision: number;
            /** @description The variables that have a value after the turn; in previews only. */
            variables?: components["schemas"]["ResultVariable"][];
        };
        /** @description Coordinates of a group or an event on the canvas of the editor. */
        Coordinates: {
            /**
             * Format: double
             * @description Distance from the left, in CSS pixels.
             * @example 420
             */
            x: number;
            /**
             * Format: double
             * @description Distance from the top, in CSS pixels.
             * @example 160
             */
            y: number;
        } & {
            [key: string]: unknown;
        };
        /** @description The bot to create, and its workspace. */
        CreateBotBody: {
            bot: components["schemas"]["BotCreate"];
            /**
             * @description Id of the workspace to create the bot in.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId: string;
        };
        /** @description A new access token, with the token itself. */
        CreatedApiToken: {
            /**
             * Format: date-time
             * @description When the token was created.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the token stops working; null means never.
             * @example 2026-03-04T10:15:30.120Z
             */
            expiresAt: string | null;
            /** @description True if the token stops working within 7 days, or has stopped: time to renew it. */
            expiresSoon: boolean;
            /**
             * @description The last four characters of the token.
             * @example x7Qa
             */
            hint: string;
            /**
             * @description Id of the token, which is not the token itself.
             * @example 01jr5x4g2r3a7v1z6q8s0t2w4y
             */
            id: string;
            /**
             * Format: date-time
             * @description When the token was last used, to the day; null when never.
             * @example 2026-03-04T10:15:30.120Z
             */
            lastUsedAt: string | null;
            /**
             * @description Purpose of the token, as its owner wrote it.
             * @example Nightly export
             */
            name: string;
            /**
             * @description Maximum rights of the token; the roles of its owner can limit them further.
             * @example [
             *       "read",
             *       "results"
             *     ]
             */
            scopes: components["schemas"]["TokenScope"][];
            /**
             * @description The token itself. It is shown only here; only a digest is stored.
             * @example botb_pat_EXAMPLEexampleEXAMPLEexample0000000000
             */
            token: string;
            /**
             * @description Workspace that the token is bound to: outside of it, the token acts as if its owner had no role. Null for a token that is bound to none.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId: string | null;
        };
        /** @description The new token, shown this once. */
        CreatedApiTokenBody: {
            apiToken: components["schemas"]["CreatedApiToken"];
        };
        /** @description A new invitation, with its link. */
        CreatedInvitationBody: {
            invitation: components["schemas"]["Invitation"];
            /**
             * @description The page that accepts the invitation. It is shown only here.
             * @example http://localhost:3000/invitations/EXAMPLEexampleEXAMPLEexample00000000000000
             */
            link: string;
        };
        /** @description The folder to create, and its workspace. */
        CreateFolderBody: {
            folder: components["schemas"]["FolderCreate"];
            /**
             * @description Id of the workspace to create the folder in.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId: string;
        };
        /** @description One record of credentials. */
        CredentialsBody: {
            credentials: components["schemas"]["StoredCredentials"];
        };
        /** @description New credentials; the type decides about their data. */
        CredentialsCreate: components["schemas"]["SmtpCredentialsCreate"] | components["schemas"]["GoogleSheetsCredentialsCreate"] | components["schemas"]["StripeCredentialsCreate"] | components["schemas"]["ChatwootCredentialsCreate"] | components["schemas"]["OpenAiCredentialsCreate"] | components["schemas"]["AnthropicCredentialsCreate"] | components["schemas"]["MistralCredentialsCreate"] | components["schemas"]["GroqCredentialsCreate"] | components["schemas"]["TogetherAiCredentialsCreate"] | components["schemas"]["OpenRouterCredentialsCreate"] | components["schemas"]["PerplexityCredentialsCreate"] | components["schemas"]["DeepSeekCredentialsCreate"] | components["schemas"]["DifyAiCredentialsCreate"] | components["schemas"]["ChatNodeCredentialsCreate"] | components["schemas"]["ElevenLabsCredentialsCreate"] | components["schemas"]["NocoDbCredentialsCreate"] | components["schemas"]["SegmentCredentialsCreate"] | components["schemas"]["PostHogCredentialsCreate"] | components["schemas"]["ZendeskCredentialsCreate"] | components["schemas"]["BlinkCredentialsCreate"] | components["schemas"]["GmailCredentialsCreate"];
        /** @description The credentials of a workspace. */
        CredentialsList: {
            /** @description The credentials, newest first. */
            credentials: components["schemas"]["StoredCredentials"][];
        };
        /** @description The outcome of a test of credentials. */
        CredentialsTest: {
            /**
             * @description Message of the service, without the secret.
             * @example OpenAI accepts the credentials
             */
            message: string;
            /**
             * @description `accepted` and `rejected`: the verdict of the service. `unclear`: it responded with something else, such as a limit. `unreachable`: it did not respond, or may not be called. `untestable`: it offers no test.
             * @example accepted
             * @enum {string}
             */
            outcome: "accepted" | "rejected" | "unclear" | "unreachable" | "untestable";
            /**
             * Format: int32
             * @description Status of its response; null without one.
             * @example 200
             */
            status: number | null;
        };
        /** @description The verdict of the service on credentials. */
        CredentialsTestBody: {
            test: components["schemas"]["CredentialsTest"];
        };
        /** @description A change of credentials. The type is the stored one; given data replace all stored data. */
        CredentialsUpdate: components["schemas"]["SmtpCredentialsUpdate"] | components["schemas"]["GoogleSheetsCredentialsUpdate"] | components["schemas"]["StripeCredentialsUpdate"] | components["schemas"]["ChatwootCredentialsUpdate"] | components["schemas"]["OpenAiCredentialsUpdate"] | components["schemas"]["AnthropicCredentialsUpdate"] | components["schemas"]["MistralCredentialsUpdate"] | components["schemas"]["GroqCredentialsUpdate"] | components["schemas"]["TogetherAiCredentialsUpdate"] | components["schemas"]["OpenRouterCredentialsUpdate"] | components["schemas"]["PerplexityCredentialsUpdate"] | components["schemas"]["DeepSeekCredentialsUpdate"] | components["schemas"]["DifyAiCredentialsUpdate"] | components["schemas"]["ChatNodeCredentialsUpdate"] | components["schemas"]["ElevenLabsCredentialsUpdate"] | components["schemas"]["NocoDbCredentialsUpdate"] | components["schemas"]["SegmentCredentialsUpdate"] | components["schemas"]["PostHogCredentialsUpdate"] | components["schemas"]["ZendeskCredentialsUpdate"] | components["schemas"]["BlinkCredentialsUpdate"] | components["schemas"]["GmailCredentialsUpdate"];
        /** @description State of the stored record, on a conflict or a failed precondition: read the record, or send these values to write on top of it. Absent if the record has none. */
        CurrentState: {
            /**
             * @description Entity tag of the record, as in the header `ETag` of a read.
             * @example "01jr5x2e0p1y5s9x4n6q8r0t2w-8c1d5b6e0f3a9247-4f9c02a7d1b8e365"
             */
            etag?: string;
            /**
             * @description Id of the created record, if the response that created it cannot be repeated.
             * @example 01jr5x4g2r3a7v1z6q8s0t2w4y
             */
            id?: string;
            /**
             * Format: date-time
             * @description Time of the last change of the record, as in its `updatedAt`.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt?: string;
        };
        /** @description The user of a token. */
        CurrentUser: {
            /**
             * @description E-mail address of the user.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description Id of the user.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            id: string;
            /**
             * @description URL of a picture of the user, or null.
             * @example https://example.com/ada.png
             */
            image: string | null;
            /**
             * @description Name of the user, or null.
             * @example Ada Lovelace
             */
            name: string | null;
        };
        /** @description The caller, their token and their roles. */
        CurrentUserBody: {
            token: components["schemas"]["ApiToken"];
            user: components["schemas"]["CurrentUser"];
            /** @description The workspaces of the user, longest membership first. */
            workspaces: components["schemas"]["CurrentUserWorkspace"][];
        };
        /** @description A workspace of the caller, and their role in it. */
        CurrentUserWorkspace: {
            /**
             * @description Id of the workspace.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            id: string;
            /**
             * @description Name of the workspace.
             * @example Acme
             */
            name: string;
            /**
             * @description `ADMIN` may do everything, `MEMBER` writes bots and folders and reads results, `GUEST` reads bots and folders.
             * @enum {string}
             */
            role: "ADMIN" | "MEMBER" | "GUEST";
        };
        /** @description Asks for a date or a range of dates. */
        DateInput: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["DateInputOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "date input";
        } & {
            [key: string]: unknown;
        };
        /** @description Texts of a date input. */
        DateInputLabels: {
            /**
             * @description Text of the button that sends the answer. Default Send.
             * @example Send
             */
            button?: string;
            /**
             * @description Label of the first date of a range.
             * @example From:
             */
            from?: string;
            /**
             * @description Word between the two dates in the answer. Visitors see a dash for the default. Default to.
             * @example to
             */
            separator?: string;
            /**
             * @description Label of the last date of a range.
             * @example To:
             */
            to?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Accepted dates and their format. */
        DateInputOptions: {
            /**
             * @description Unicode date pattern (TR 35) of the answer. Default dd/MM/yyyy, with a time dd/MM/yyyy HH:mm.
             * @example dd/MM/yyyy
             */
            format?: string;
            /** @description True if the input also asks for a time of day. Default false. */
            hasTime?: boolean;
            /** @description True if the input asks for two dates. Default false. */
            isRange?: boolean;
            labels?: components["schemas"]["DateInputLabels"];
            /**
             * @description Latest accepted date, or a placeholder.
             * @example 2026-12-31
             */
            max?: string;
            /**
             * @description Earliest accepted date, or a placeholder.
             * @example 2026-01-01
             */
            min?: string;
            /**
             * @description Id of the variable that stores the answer.
             * @example varEmail
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Works with DeepSeek. Chats run it, with credentials of type deepseek. Versions 6 and 6.1 only. */
        DeepSeekBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["DeepSeekOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "deepseek";
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type deepseek. */
        DeepSeekCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "deepseek";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type deepseek. */
        DeepSeekCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "deepseek";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description Options of the DeepSeek block. The action decides which other properties apply. */
        DeepSeekOptions: {
            /**
             * @description Action of the block: Create chat completion. The service preserves other texts. Without an action the block does nothing.
             * @example Create chat completion
             */
            action?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /** @description The messages, oldest first. */
            messages?: components["schemas"]["ChatMessage"][];
            /**
             * @description Name of the model.
             * @example gpt-4o
             */
            model?: string;
            /** @description Parts of the response and the variables that store them. With action Create chat completion: Message content, Total tokens, Prompt tokens, Completion tokens. */
            responseMapping?: components["schemas"]["VendorAnswerMapping"][];
            /**
             * @description Sampling temperature of the model, from 0 to 2. A number, or a text that is one {{variable}} or reads as a number.
             * @example 0.7
             */
            temperature?: number | string;
            /** @description Functions that the model can call. */
            tools?: components["schemas"]["ChatTool"][];
        } & {
            [key: string]: unknown;
        };
        /** @description The results that were deleted. */
        DeletedResultsEventData: {
            /**
             * @description Id of the bot.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * Format: date-time
             * @description Only results that began before it were deleted; null without such a bound. If `resultIds` is null too, all results were deleted.
             * @example null
             */
            createdBefore: string | null;
            /**
             * @description Ids that the request named; null if it named none.
             * @example null
             */
            resultIds: string[] | null;
        };
        /** @description The state of a login. */
        DeviceLogin: {
            apiToken?: components["schemas"]["CreatedApiToken"];
            /**
             * Format: int32
             * @description Minimum seconds to wait before the next request.
             * @example 5
             */
            interval: number;
            /**
             * @description Decision of the user, or `slowDown` if the program polls too often.
             * @enum {string}
             */
            status: "pending" | "slowDown" | "allowed" | "denied";
        };
        /** @description The login to poll for. */
        DeviceLoginContinue: {
            /**
             * @description The secret code of the program, as start device login returns it. Show it to nobody.
             * @example EXAMPLEexampleEXAMPLEexample00000000000000
             */
            deviceCode: string;
        };
        /** @description The token that a program requests from a user. */
        DeviceLoginStart: {
            /**
             * Format: int32
             * @description Days after which the token stops working; absent means never.
             * @example 90
             */
            expiresInDays?: number;
            /**
             * @description Purpose of the token, as its owner wrote it.
             * @example Nightly export
             */
            name: string;
            /**
             * @description Maximum rights of the token; absent means all rights of its owner.
             * @example [
             *       "read",
             *       "write"
             *     ]
             */
            scopes?: components["schemas"]["TokenScope"][];
            /**
             * @description Id of the workspace to bind the token to; absent means none.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId?: string;
        };
        /** @description Works with Dify. Chats run it, with credentials of type dify-ai. Versions 6 and 6.1 only. */
        DifyAiBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["DifyAiOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "dify-ai";
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type dify-ai. */
        DifyAiCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["DifyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "dify-ai";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type dify-ai. */
        DifyAiCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["DifyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "dify-ai";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description Options of the Dify block. The action decides which other properties apply. */
        DifyAiOptions: {
            /**
             * @description Action of the block: Create Chat Message, Query Knowledge Base. The service preserves other texts. Without an action the block does nothing.
             * @example Create Chat Message
             */
            action?: string;
            /**
             * @description Id of the variable that holds the id of the conversation.
             * @example varConversation
             */
            conversationVariableId?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /**
             * @description With action Query Knowledge Base: id of the knowledge base.
             * @example ds_abc123
             */
            datasetId?: string;
            /** @description Inputs of the application. */
            inputs?: components["schemas"]["KeyValuePair"][];
            /**
             * @description Text of the query; may hold placeholders.
             * @example {{Question}}
             */
            query?: string;
            /** @description Parts of the response and the variables that store them. With action Create Chat Message: Answer, Total Tokens, Message content, Total tokens, Prompt tokens, Completion tokens. With action Query Knowledge Base: Retrieved chunks. */
            responseMapping?: components["schemas"]["VendorAnswerMapping"][];
            /**
             * @description Id of the visitor at the vendor. Default: an id of the session.
             * @example {{User ID}}
             */
            user?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description An application, or the knowledge bases of an account, at Dify. */
        DifyData: {
            /**
             * Format: uri
             * @description Address of Dify. Default https://api.dify.ai.
             * @example https://dify.example.com
             */
            apiEndpoint?: string;
            /**
             * Format: password
             * @description Key of the application, for Create Chat Message.
             * @example app-example
             */
            apiKey?: string;
            /**
             * Format: password
             * @description Key of the knowledge bases, for Query Knowledge Base.
             * @example dataset-example
             */
            knowledgeApiKey?: string;
        };
        /** @description Shows an item only while a condition holds. */
        DisplayCondition: {
            condition?: components["schemas"]["Condition"];
            /** @description True if the condition applies. Default false: the chat always shows the item. */
            isEnabled?: boolean;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Version of the schema a flow is written in.
         * @enum {string}
         */
        DocumentVersion: "3" | "4" | "5" | "6" | "6.1";
        /** @description Name and folder of the new bot. */
        DuplicateBotBody: {
            /**
             * @description Id of a folder of the workspace to put the new bot into; null for none. Default: the folder of the bot.
             * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
             */
            folderId?: string | null;
            /**
             * @description Name of the new bot. Default: the name of the bot, followed by `(copy)`.
             * @example Lead generation
             */
            name?: string;
        };
        /** @description Parts of the theme that depend on variables. */
        DynamicTheme: {
            /**
             * @description URL of the background image.
             * @example https://example.com/back.png
             */
            backgroundUrl?: string;
            /**
             * @description URL of the visitor's picture.
             * @example https://example.com/ada.png
             */
            guestAvatarUrl?: string;
            /**
             * @description URL of the bot's picture.
             * @example https://example.com/bot.png
             */
            hostAvatarUrl?: string;
        };
        /** @description A connection of the flow. The service does not enforce references: source and target may name missing records. */
        Edge: {
            from: components["schemas"]["EdgeSource"];
            /**
             * @description Id of the edge.
             * @example edgToEmail
             */
            id: string;
            to: components["schemas"]["EdgeTarget"];
        } & {
            [key: string]: unknown;
        };
        /** @description Start of an edge: a block, an item or a path of a block, or an event. It has a blockId or, in versions 6 and 6.1 only, an eventId. */
        EdgeSource: {
            /**
             * @description Id of the block the edge leaves.
             * @example blkAskEmail
             */
            blockId?: string;
            /**
             * @description Id of the event the edge leaves.
             * @example evtStart
             */
            eventId?: string;
            /**
             * @description Id of the item of the block, if the edge leaves an item.
             * @example itmYes
             */
            itemId?: string;
            /**
             * @description Id of the path of a card, if the edge leaves a path.
             * @example pthBuy
             */
            pathId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Target of an edge: a group or one of its blocks. */
        EdgeTarget: {
            /**
             * @description Id of the block in the group. Default: its first block.
             * @example blkAskEmail
             */
            blockId?: string;
            /**
             * @description Id of the group.
             * @example grpContact
             */
            groupId: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Works with ElevenLabs. Chats run it, with credentials of type elevenlabs. Versions 6 and 6.1 only. */
        ElevenLabsBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["ElevenLabsOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "elevenlabs";
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type elevenlabs. */
        ElevenLabsCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "elevenlabs";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type elevenlabs. */
        ElevenLabsCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "elevenlabs";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description Options of the ElevenLabs block. The action decides which other properties apply. */
        ElevenLabsOptions: {
            /**
             * @description Action of the block: Convert text to speech. The service preserves other texts. Without an action the block does nothing.
             * @example Convert text to speech
             */
            action?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /**
             * @description Id of the model.
             * @example eleven_multilingual_v2
             */
            modelId?: string;
            /**
             * @description Id of the variable that stores the address of the sound.
             * @example varSpeech
             */
            saveUrlInVariableId?: string;
            /**
             * @description Text to speak.
             * @example {{Answer}}
             */
            text?: string;
            /**
             * @description Id of the voice.
             * @example vceRachel
             */
            voiceId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Sends an e-mail to one or more recipients. */
        EmailBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["EmailOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Email";
        } & {
            [key: string]: unknown;
        };
        /** @description Asks for an e-mail address. */
        EmailInput: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["EmailInputOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "email input";
        } & {
            [key: string]: unknown;
        };
        /** @description Settings of an e-mail input. */
        EmailInputOptions: {
            labels?: components["schemas"]["InputLabels"];
            /**
             * @description Sent after an invalid answer.
             * @example This does not look right. Can you check it?
             */
            retryMessageContent?: string;
            /**
             * @description Id of the variable that stores the answer.
             * @example varEmail
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description E-mail to send. All texts may hold placeholders. */
        EmailOptions: {
            /**
             * @description Id of the variable that holds the addresses of files to attach.
             * @example varFiles
             */
            attachmentsVariableId?: string;
            /**
             * @description Addresses that get a hidden copy.
             * @example [
             *       "archive@example.com"
             *     ]
             */
            bcc?: string[];
            /**
             * @description Body.
             * @example {{Name}} asks for a demo.
             */
            body?: string;
            /**
             * @description Addresses that get a copy.
             * @example [
             *       "team@example.com"
             *     ]
             */
            cc?: string[];
            /**
             * @description Id of the credentials of the mail account, or default for the mailer of the installation. The block sends nothing if the workspace lacks the credentials.
             * @example default
             */
            credentialsId?: string;
            /** @description True if the body is HTML. Default false. */
            isBodyCode?: boolean;
            /** @description True if the e-mail has `body` instead of all answers and variables. Default true if there is a body. */
            isCustomBody?: boolean;
            /**
             * @description Addresses of the recipients.
             * @example [
             *       "sales@example.com"
             *     ]
             */
            recipients?: string[];
            /**
             * @description Address for replies.
             * @example {{Email}}
             */
            replyTo?: string;
            /**
             * @description Subject.
             * @example New lead: {{Name}}
             */
            subject?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Shows another page inside the chat. */
        EmbedBubble: {
            content?: components["schemas"]["EmbedBubbleContent"];
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "embed";
        } & {
            [key: string]: unknown;
        };
        /** @description Page that the block shows, and its settings. */
        EmbedBubbleContent: {
            /**
             * @description Height in CSS pixels. Default 400. A number, or a text that is one {{variable}} or reads as a number.
             * @example 400
             */
            height?: number | string;
            /**
             * @description Address of the page.
             * @example https://www.example.com/map
             */
            url?: string;
            waitForEvent?: components["schemas"]["EmbedWaitForEvent"];
        } & {
            [key: string]: unknown;
        };
        /** @description An embedded page of the bot. */
        EmbedMessageBubble: {
            /**
             * @description The content of the block, with placeholders filled in.
             * @example {}
             */
            content: {
                [key: string]: unknown;
            };
            /**
             * @description Id of the block in the flow.
             * @example block-hello
             */
            id: string;
            /**
             * @description Kind of the bubble. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "embed";
        };
        /** @description Makes the chat wait until the page sends an event. */
        EmbedWaitForEvent: {
            /** @description True if the chat waits. Default false. */
            isEnabled?: boolean;
            /**
             * @description Name of the event.
             * @example seat-chosen
             */
            name?: string;
            /**
             * @description Id of the variable that stores the data of the event.
             * @example varSeat
             */
            saveDataInVariableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The endpoint is tested. */
        EndpointTestEvent: {
            data: components["schemas"]["TestEventData"];
            /**
             * Format: date-time
             * @description Time of the event. Events of one bot come in order, but not always by this time.
             * @example 2026-03-04T10:15:30.120Z
             */
            timestamp: string;
            /**
             * @description The type of the event.
             * @example endpoint.test
             * @enum {string}
             */
            type: "endpoint.test";
        };
        /** @description One issue of a request, with its path. */
        ErrorIssue: {
            code: components["schemas"]["IssueCode"];
            current?: components["schemas"]["CurrentState"];
            /**
             * @description Message for people.
             * @example Invalid input: expected string, received number
             */
            message: string;
            /**
             * @description Path of the issue: first `path`, `query`, `header` or `body`, then keys; indexes are written as text.
             * @example [
             *       "body",
             *       "items",
             *       "0",
             *       "name"
             *     ]
             */
            path: string[];
        };
        /**
         * @description Type of an event. The list is open: later versions add types.
         * @enum {string}
         */
        EventType: "bot.created" | "bot.updated" | "bot.deleted" | "bot.published" | "bot.unpublished" | "result.started" | "result.answered" | "result.completed" | "chat.handoffRequested" | "chat.taken" | "chat.returned" | "chat.messageReceived" | "results.deleted";
        /** @description A bot as a document that import takes. */
        ExportedBot: components["schemas"]["ExportedBotV3"] | components["schemas"]["ExportedBotV4"] | components["schemas"]["ExportedBotV5"] | components["schemas"]["ExportedBotV6"] | components["schemas"]["ExportedBotV61"];
        /** @description The document of an exported bot. */
        ExportedBotBody: {
            bot: components["schemas"]["ExportedBot"];
        };
        /** @description A bot in version 3 without ids, times and names that belong to one installation. */
        ExportedBotV3: {
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Null, because the start is a block of a group. An empty list is valid too. */
            events: components["schemas"]["FlowEvent"][] | null;
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["LegacyGroup"][];
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon: string | null;
            /** @description True if new chats are rejected. Takes effect at once, without publishing. */
            isClosed: boolean;
            /**
             * @description Name of the bot. Names need not be unique.
             * @example Lead generation
             */
            name: string;
            /** @description Layout of the table of results in an editor; null for its own defaults. */
            resultsTablePreferences: components["schemas"]["ResultsTablePreferences"] | null;
            /**
             * @description Id of the theme template an editor applied, which the service only stores; null without one.
             * @example template-1
             */
            selectedThemeTemplateId: string | null;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "3";
        };
        /** @description A bot in version 4 without ids, times and names that belong to one installation. */
        ExportedBotV4: {
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Null, because the start is a block of a group. An empty list is valid too. */
            events: components["schemas"]["FlowEvent"][] | null;
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["LegacyGroup"][];
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon: string | null;
            /** @description True if new chats are rejected. Takes effect at once, without publishing. */
            isClosed: boolean;
            /**
             * @description Name of the bot. Names need not be unique.
             * @example Lead generation
             */
            name: string;
            /** @description Layout of the table of results in an editor; null for its own defaults. */
            resultsTablePreferences: components["schemas"]["ResultsTablePreferences"] | null;
            /**
             * @description Id of the theme template an editor applied, which the service only stores; null without one.
             * @example template-1
             */
            selectedThemeTemplateId: string | null;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "4";
        };
        /** @description A bot in version 5 without ids, times and names that belong to one installation. */
        ExportedBotV5: {
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Null, because the start is a block of a group. An empty list is valid too. */
            events: components["schemas"]["FlowEvent"][] | null;
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["LegacyGroup"][];
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon: string | null;
            /** @description True if new chats are rejected. Takes effect at once, without publishing. */
            isClosed: boolean;
            /**
             * @description Name of the bot. Names need not be unique.
             * @example Lead generation
             */
            name: string;
            /** @description Layout of the table of results in an editor; null for its own defaults. */
            resultsTablePreferences: components["schemas"]["ResultsTablePreferences"] | null;
            /**
             * @description Id of the theme template an editor applied, which the service only stores; null without one.
             * @example template-1
             */
            selectedThemeTemplateId: string | null;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "5";
        };
        /** @description A bot in version 6 without ids, times and names that belong to one installation. */
        ExportedBotV6: {
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Events that begin the branches of the flow. The first event, and only the first, is the start event. */
            events: components["schemas"]["FlowEvent"][];
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["Group"][];
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon: string | null;
            /** @description True if new chats are rejected. Takes effect at once, without publishing. */
            isClosed: boolean;
            /**
             * @description Name of the bot. Names need not be unique.
             * @example Lead generation
             */
            name: string;
            /** @description Layout of the table of results in an editor; null for its own defaults. */
            resultsTablePreferences: components["schemas"]["ResultsTablePreferences"] | null;
            /**
             * @description Id of the theme template an editor applied, which the service only stores; null without one.
             * @example template-1
             */
            selectedThemeTemplateId: string | null;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "6";
        };
        /** @description A bot in version 6.1 without ids, times and names that belong to one installation. */
        ExportedBotV61: {
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Events that begin the branches of the flow. The first event, and only the first, is the start event. */
            events: components["schemas"]["FlowEvent"][];
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["Group"][];
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon: string | null;
            /** @description True if new chats are rejected. Takes effect at once, without publishing. */
            isClosed: boolean;
            /**
             * @description Name of the bot. Names need not be unique.
             * @example Lead generation
             */
            name: string;
            /** @description Layout of the table of results in an editor; null for its own defaults. */
            resultsTablePreferences: components["schemas"]["ResultsTablePreferences"] | null;
            /**
             * @description Id of the theme template an editor applied, which the service only stores; null without one.
             * @example template-1
             */
            selectedThemeTemplateId: string | null;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "6.1";
        };
        /** @description Asks for one file or several. */
        FileInput: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["FileInputOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "file input";
        } & {
            [key: string]: unknown;
        };
        /** @description Texts of a file input. */
        FileInputLabels: {
            /**
             * @description Text of the button that uploads.
             * @example Upload
             */
            button?: string;
            /**
             * @description Text of the button that removes the chosen files.
             * @example Clear
             */
            clear?: string;
            /**
             * @description Text in the drop area.
             * @example Click to upload or drop files here
             */
            placeholder?: string;
            /**
             * @description Text of the button that continues without files.
             * @example Skip
             */
            skip?: string;
            success?: components["schemas"]["FileInputSuccessLabels"];
        } & {
            [key: string]: unknown;
        };
        /** @description Settings of a file input. */
        FileInputOptions: {
            allowedFileTypes?: components["schemas"]["AllowedFileTypes"];
            /**
             * @description Camera of a phone: at the back (environment) or at the front (user).
             * @enum {string}
             */
            capture?: "environment" | "user";
            /** @description True if visitors may upload several files. Default false. */
            isMultipleAllowed?: boolean;
            /** @description True if the visitor must upload a file. Default true. */
            isRequired?: boolean;
            labels?: components["schemas"]["FileInputLabels"];
            /**
             * @description Id of the variable that stores the answer.
             * @example varEmail
             */
            variableId?: string;
            visibility?: components["schemas"]["FileVisibility"];
        } & {
            [key: string]: unknown;
        };
        /** @description Texts shown after an upload. */
        FileInputSuccessLabels: {
            /**
             * @description Text after several files.
             * @example {total} files uploaded
             */
            multiple?: string;
            /**
             * @description Text after one file.
             * @example File uploaded
             */
            single?: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Access to an uploaded file: Public for everybody with the address, Private for members only, Auto as the installation decides. Default Auto.
         * @enum {string}
         */
        FileVisibility: "Auto" | "Public" | "Private";
        /** @description One difference between two flows. */
        FlowChange: {
            /**
             * @description The value in `to`; absent if there is none.
             * @example Your work e-mail
             */
            after?: unknown;
            /**
             * @description The value in `from`; absent if there was none.
             * @example Your e-mail
             */
            before?: unknown;
            /**
             * @description Id of the block of an item; null for other parts.
             * @example null
             */
            blockId: string | null;
            /**
             * @description Kind of the change. A group or variable with another name is `renamed`. A group or event that moved on the canvas is `moved`, and so is a block or item that moved in the flow. Other properties are `changed`, with one entry for each.
             * @enum {string}
             */
            change: "added" | "removed" | "renamed" | "moved" | "changed";
            /**
             * @description Id of the group of a block or item; null for other parts.
             * @example grpContact
             */
            groupId: string | null;
            /**
             * @description Id of the part; null for theme and settings.
             * @example blkAskEmail
             */
            id: string | null;
            /**
             * @description The part of the flow that changed.
             * @enum {string}
             */
            kind: "group" | "block" | "item" | "edge" | "variable" | "event" | "theme" | "settings";
            /**
             * @description The change in words, for people.
             * @example Block blkAskEmail in group "Contact": options.labels.placeholder changed
             */
            message: string;
            /**
             * @description Path of the property within the part; empty if the part as a whole changed.
             * @example [
             *       "options",
             *       "labels",
             *       "placeholder"
             *     ]
             */
            path: string[];
        };
        /** @description The result of a check. */
        FlowCheckBody: {
            /** @description The findings; the first 1,000. */
            findings: components["schemas"]["FlowFinding"][];
        };
        /** @description An event that begins a branch of the flow. The type names its trigger. */
        FlowEvent: components["schemas"]["StartEvent"] | components["schemas"]["CommandEvent"] | components["schemas"]["ReplyEvent"] | components["schemas"]["InvalidReplyEvent"] | components["schemas"]["IdleEvent"] | components["schemas"]["OpaqueEvent"];
        /** @description A part of a flow that would misbehave when it runs. */
        FlowFinding: {
            /**
             * @description Kind of the finding, for programs.
             * @example missing_edge
             */
            code: string;
            /**
             * @description Effect of the finding, for people.
             * @example The edge it leaves by does not exist
             */
            message: string;
            /**
             * @description Path in the flow; indexes are written as text.
             * @example [
             *       "groups",
             *       "0",
             *       "blocks",
             *       "2",
             *       "outgoingEdgeId"
             *     ]
             */
            path: string[];
            /**
             * @description `error`: a chat cannot do what the flow says. `warning`: the author probably did not mean it. Absent in the warnings of an import.
             * @enum {string}
             */
            severity?: "error" | "warning";
        };
        /** @description A folder of a workspace, holding bots and other folders. */
        Folder: {
            /**
             * Format: date-time
             * @description When the folder was created.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description Id of the folder, as create and list return it.
             * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
             */
            id: string;
            /**
             * @description Name of the folder. Names need not be unique.
             * @example Lead forms
             */
            name: string;
            /**
             * @description Id of the folder this one is in; null at the top level.
             * @example 01jr5x1c7k8w2p6t0h3m5n7q9r
             */
            parentFolderId: string | null;
            /**
             * Format: date-time
             * @description When the folder was last changed.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
            /**
             * @description Id of the workspace the folder is in.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId: string;
        };
        /** @description One folder, without its contents. */
        FolderBody: {
            folder: components["schemas"]["Folder"];
        };
        /** @description The folder to create. */
        FolderCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            /**
             * @description Read-only id; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name of the folder. Names need not be unique.
             * @example Lead forms
             */
            name: string;
            /**
             * @description Id of the folder this one is in; null at the top level.
             * @example 01jr5x1c7k8w2p6t0h3m5n7q9r
             */
            parentFolderId?: string | null;
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only workspace, which is taken from the property beside `folder`; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description Folders of one level. */
        FolderList: {
            /** @description The folders, newest first. */
            folders: components["schemas"]["Folder"][];
            /**
             * @description Send it as `cursor` to get the following page; null on the last page.
             * @example AZx0mC1jZ3JhbnQ
             */
            nextCursor: string | null;
        };
        /** @description Changes; absent properties stay as they are. */
        FolderUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            /**
             * @description Read-only id; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name of the folder. Names need not be unique.
             * @example Lead forms
             */
            name?: string;
            /**
             * @description Id of the folder this one is in; null at the top level.
             * @example 01jr5x1c7k8w2p6t0h3m5n7q9r
             */
            parentFolderId?: string | null;
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only workspace; folders stay in their workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A font and its source. The chat page always loads fonts that rules in `css` name. It loads Google fonts (from fonts.bunny.net) and style sheets by address only on a host that serves chats alone. Elsewhere the device of the visitor must have the font. */
        FontSource: {
            /**
             * @description Address of a style sheet that declares the font, or the rules themselves.
             * @example https://files.example.com/brand-font.css
             */
            css?: string;
            /**
             * @description Font family name. Default Open Sans.
             * @example Open Sans
             */
            family?: string;
            /**
             * @description Source of the font: Google Fonts or own style sheet.
             * @enum {string}
             */
            type: "Google" | "Custom";
            /**
             * @description Address of a style sheet. `css` overrides it.
             * @example https://files.example.com/brand-font.css
             */
            url?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The caller may not do this to this record, or their token may not do it at all. Ask an admin of the workspace for a higher role; with the issue `missing_scope` or `bound_token`, use another token. */
        ForbiddenErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "FORBIDDEN";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Insufficient access
             */
            message: string;
        };
        /** @description Behaviour of the chat as a whole. */
        GeneralSettings: {
            /** @description True if the chat page shows the name of the installation, where it has one. Default false. */
            isBrandingEnabled?: boolean;
            /** @description True if the page removes query parameters from the address after reading them. Default true. */
            isHideQueryParamsEnabled?: boolean;
            /** @description True if inputs show the current value of their variable. Default false. */
            isInputPrefillEnabled?: boolean;
            /** @description Older documents only: the opposite of rememberUser.isEnabled, used if that is missing. Default true. */
            isNewResultOnRefreshEnabled?: boolean;
            /** @description Without effect, in older documents only. See typingEmulation. */
            isTypingEmulationEnabled?: boolean;
            /**
             * @description BCP 47 tag for built-in texts of the chat page and the service, and for numbers and dates in answers. Texts in systemMessages and labels of inputs replace the built-in ones. Default, also if the page lacks the language: the preferred language of the browser.
             * @example de
             */
            language?: string;
            rememberUser?: components["schemas"]["RememberUser"];
            systemMessages?: components["schemas"]["SystemMessages"];
        } & {
            [key: string]: unknown;
        };
        /** @description Works with Gmail. Chats run it, with credentials of type gmail. Versions 6 and 6.1 only. */
        GmailBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["GmailOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "gmail";
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type gmail. */
        GmailCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["GmailData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "gmail";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type gmail. */
        GmailCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["GmailData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "gmail";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description An account that sends e-mails. */
        GmailData: {
            /**
             * Format: uri
             * @description Address of the API, if not that of Google.
             * @example https://gmail.example.com
             */
            baseUrl?: string;
            oauth: components["schemas"]["GoogleOAuth"];
        };
        /** @description Options of the Gmail block. The action decides which other properties apply. */
        GmailOptions: {
            /**
             * @description Action of the block: Send email. The service preserves other texts. Without an action the block does nothing.
             * @example Send email
             */
            action?: string;
            /**
             * @description Id of the variable that holds the files to attach. Any JSON value.
             * @example varFiles
             */
            attachments?: unknown;
            /**
             * @description Body.
             * @example Hello {{Name}}, see you soon.
             */
            body?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /**
             * @description Address of the sender. Default: that of the account.
             * @example sales@example.com
             */
            from?: string;
            /**
             * @description Id of the label for the e-mail.
             * @example Label_7
             */
            label?: string;
            /**
             * @description Address for replies.
             * @example team@example.com
             */
            replyTo?: string;
            /** @description Parts of the response and the variables that store them. With action Send email: Message ID, Thread ID. */
            responseMapping?: components["schemas"]["VendorAnswerMapping"][];
            /**
             * @description Subject. Default: that of the thread.
             * @example Your demo
             */
            subject?: string;
            /**
             * @description Id of the thread of the e-mail.
             * @example {{Thread}}
             */
            threadId?: string;
            /**
             * @description Addresses of the recipients, with commas between them.
             * @example {{Email}}
             */
            to?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Send an event to Google Analytics. */
        GoogleAnalyticsAction: {
            /** @description True if the client must continue the chat with the outcome. */
            expectsDedicatedReply?: boolean;
            /**
             * @description Options of the block, with placeholders filled in.
             * @example {}
             */
            googleAnalytics: {
                [key: string]: unknown;
            };
            /**
             * @description Run the action after this bubble; absent means before all.
             * @example block-hello
             */
            lastBubbleBlockId?: string;
            /**
             * @description Kind of the action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "googleAnalytics";
        };
        /** @description Sends an event to Google Analytics. Works only on a host that serves chats alone. */
        GoogleAnalyticsBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["GoogleAnalyticsOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Google Analytics";
        } & {
            [key: string]: unknown;
        };
        /** @description Event to send; all texts may hold placeholders. */
        GoogleAnalyticsOptions: {
            /**
             * @description Name of the event.
             * @example lead
             */
            action?: string;
            /**
             * @description Category of the event.
             * @example Bot
             */
            category?: string;
            /**
             * @description Label of the event.
             * @example Campaign A
             */
            label?: string;
            /**
             * @description Destination of the event.
             * @example AW-123/abc
             */
            sendTo?: string;
            /**
             * @description Measurement id.
             * @example G-ABC1234567
             */
            trackingId?: string;
            /**
             * @description Value of the event. A number, or a text that is one {{variable}} or reads as a number.
             * @example 10
             */
            value?: number | string;
        } & {
            [key: string]: unknown;
        };
        /** @description A Google account whose owner has consented, and the OAuth client of the consent. Default: the client of the installation. */
        GoogleOAuth: {
            /**
             * @description Id of the OAuth client.
             * @example 1234.apps.googleusercontent.com
             */
            clientId?: string;
            /**
             * Format: password
             * @description Secret of the OAuth client.
             * @example client-example
             */
            clientSecret?: string;
            /**
             * Format: password
             * @description Refresh token from Google for the consent.
             * @example refresh-example
             */
            refreshToken: string;
            /**
             * Format: uri
             * @description Address that issues tokens. Default https://oauth2.googleapis.com/token.
             * @example https://oauth2.googleapis.com/token
             */
            tokenUri?: string;
        };
        /** @description The JSON key of a service account, as Google Cloud issues it. Share the sheet with its address. */
        GoogleServiceAccount: {
            /**
             * @description Not used.
             * @example https://www.googleapis.com/oauth2/v1/certs
             */
            auth_provider_x509_cert_url?: string;
            /**
             * @description Not used.
             * @example https://accounts.google.com/o/oauth2/auth
             */
            auth_uri?: string;
            /**
             * @description Address of the account.
             * @example bots@project.iam.gserviceaccount.com
             */
            client_email: string;
            /**
             * @description Id of the account; not used.
             * @example 1234
             */
            client_id?: string;
            /**
             * @description Not used.
             * @example https://www.googleapis.com/robot/v1
             */
            client_x509_cert_url?: string;
            /**
             * Format: password
             * @description Private key, in PEM.
             * @example -----BEGIN PRIVATE KEY-----
             *     example
             *     -----END PRIVATE KEY-----
             */
            private_key: string;
            /**
             * @description Id of the key; not used.
             * @example a1b2
             */
            private_key_id?: string;
            /**
             * @description Project of the account; not used.
             * @example project
             */
            project_id?: string;
            /**
             * Format: uri
             * @description Address that issues tokens. Default https://oauth2.googleapis.com/token.
             * @example https://oauth2.googleapis.com/token
             */
            token_uri?: string;
            /**
             * @description Kind of the key; not used.
             * @example service_account
             */
            type?: string;
            /**
             * @description Not used.
             * @example googleapis.com
             */
            universe_domain?: string;
        };
        /** @description Reads or writes rows of a spreadsheet, with credentials of type google sheets. */
        GoogleSheetsBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["GoogleSheetsOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Google Sheets";
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type google sheets. */
        GoogleSheetsCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["GoogleSheetsData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "google sheets";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type google sheets. */
        GoogleSheetsCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["GoogleSheetsData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "google sheets";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description An account that reads and writes sheets: a service account, or the account of a Google user. */
        GoogleSheetsData: {
            /**
             * Format: uri
             * @description Address of the API, if not that of Google.
             * @example https://sheets.example.com
             */
            baseUrl?: string;
            oauth?: components["schemas"]["GoogleOAuth"];
            serviceAccount?: components["schemas"]["GoogleServiceAccount"];
        };
        /** @description Table and the action on it. The action decides which other properties apply. */
        GoogleSheetsOptions: {
            /**
             * @description Action of the block. Without an action the block does nothing.
             * @enum {string}
             */
            action?: "Get data from sheet" | "Insert a row" | "Update a row";
            /** @description With action Get data from sheet: columns and the variables that store them. */
            cellsToExtract?: components["schemas"]["SheetExtraction"][];
            /** @description With action Insert a row: the cells of the new row. */
            cellsToInsert?: components["schemas"]["SheetCell"][];
            /** @description With action Update a row: the cells that change. */
            cellsToUpsert?: components["schemas"]["SheetCell"][];
            /**
             * @description Id of the credentials of the account.
             * @example crdSheets
             */
            credentialsId?: string;
            filter?: components["schemas"]["SheetFilter"];
            /**
             * @description Id of the sheet in the spreadsheet.
             * @example 0
             */
            sheetId?: string;
            /**
             * @description Id of the spreadsheet.
             * @example 1aBcD2eFgH
             */
            spreadsheetId?: string;
            /**
             * @description With action Get data from sheet: rows to read of those found. Default All.
             * @enum {string}
             */
            totalRowsToExtract?: "All" | "First" | "Last" | "Random";
        } & {
            [key: string]: unknown;
        };
        /** @description Works with Groq. Chats run it, with credentials of type groq. Versions 6 and 6.1 only. */
        GroqBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["GroqOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "groq";
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type groq. */
        GroqCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "groq";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type groq. */
        GroqCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "groq";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description Options of the Groq block. The action decides which other properties apply. */
        GroqOptions: {
            /**
             * @description Action of the block: Create chat completion. The service preserves other texts. Without an action the block does nothing.
             * @example Create chat completion
             */
            action?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /** @description The messages, oldest first. */
            messages?: components["schemas"]["ChatMessage"][];
            /**
             * @description Name of the model.
             * @example gpt-4o
             */
            model?: string;
            /** @description Parts of the response and the variables that store them. With action Create chat completion: Message content, Total tokens, Prompt tokens, Completion tokens. */
            responseMapping?: components["schemas"]["VendorAnswerMapping"][];
            /**
             * @description Sampling temperature of the model, from 0 to 2. A number, or a text that is one {{variable}} or reads as a number.
             * @example 0.7
             */
            temperature?: number | string;
            /** @description Functions that the model can call. */
            tools?: components["schemas"]["ChatTool"][];
        } & {
            [key: string]: unknown;
        };
        /** @description Blocks that run from the first to the last, in versions 6 and 6.1. */
        Group: {
            /** @description The blocks, in the order they run. */
            blocks: components["schemas"]["Block"][];
            graphCoordinates: components["schemas"]["Coordinates"];
            /**
             * @description Id of the group.
             * @example grpContact
             */
            id: string;
            /**
             * @description Title shown in the editor.
             * @example Contact details
             */
            title: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Settings for generated titles of groups in editors. */
        GroupTitlesAutoGeneration: {
            /**
             * @description Id of the credentials used.
             * @example cred_1
             */
            credentialsId?: string;
            /** @description True if titles of new groups are generated. */
            isEnabled?: boolean;
            /**
             * @description The model.
             * @example small
             */
            model?: string;
            /**
             * @description The instruction to the model.
             * @example Name this group
             */
            prompt?: string;
            /**
             * @description The AI provider.
             * @example openai
             */
            provider?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Hands the chat over to the members of the workspace. The bot is silent until a member returns the chat, then continues after the block. Only this service has this block. */
        HandoffBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            /** @description The exits. If one is missing, the chat continues after the block. */
            items?: components["schemas"]["HandoffItem"][];
            options?: components["schemas"]["HandoffOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "handoff";
        } & {
            [key: string]: unknown;
        };
        /** @description An exit of a handoff and its edge. */
        HandoffItem: {
            /**
             * @description Id of the item.
             * @example itmUnanswered
             */
            id: string;
            /**
             * @description Id of the edge that leaves the item. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Reason for the exit: no member came in time, or the office is closed.
             * @enum {string}
             */
            path: "unanswered" | "closed";
        } & {
            [key: string]: unknown;
        };
        /** @description Message, timeout and office hours of a handoff. */
        HandoffOptions: {
            /**
             * @description Message to the visitor; may hold placeholders. Default: no message.
             * @example A colleague will be with you in a moment.
             */
            message?: string;
            officeHours?: components["schemas"]["OfficeHours"];
            /**
             * Format: double
             * @description Seconds until the chat takes the exit `unanswered`, if no member has joined. Default: no timeout as long as the session lives.
             * @example 300
             */
            timeoutSeconds?: number;
        } & {
            [key: string]: unknown;
        };
        /** @description Send a request and continue with the response. */
        HttpRequestAction: {
            /** @description True if the client must continue the chat with the outcome. */
            expectsDedicatedReply?: boolean;
            httpRequestToExecute: components["schemas"]["HttpRequestDetails"];
            /**
             * @description Run the action after this bubble; absent means before all.
             * @example block-hello
             */
            lastBubbleBlockId?: string;
            /**
             * @description Kind of the action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "httpRequestToExecute";
        };
        /** @description Sends an HTTP request. The type still has its old name. */
        HttpRequestBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["HttpRequestOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Webhook";
        } & {
            [key: string]: unknown;
        };
        /** @description The HTTP request to send. */
        HttpRequestDefinition: {
            /**
             * @description Body of the request; may hold placeholders.
             * @example {"email": "{{Email}}"}
             */
            body?: string;
            /** @description Headers of the request. */
            headers?: components["schemas"]["HttpRequestPair"][];
            /**
             * @description HTTP method. Default POST.
             * @enum {string}
             */
            method?: "POST" | "GET" | "PUT" | "DELETE" | "PATCH" | "HEAD" | "CONNECT" | "OPTIONS" | "TRACE";
            /** @description Query parameters added to the address. */
            queryParams?: components["schemas"]["HttpRequestPair"][];
            /**
             * @description Address of the request; may hold placeholders.
             * @example https://api.example.com/leads
             */
            url?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The HTTP request that the client sends. */
        HttpRequestDetails: {
            /**
             * @description The body.
             * @example {}
             */
            body?: string;
            /**
             * @description The headers.
             * @example {}
             */
            headers: {
                [key: string]: string;
            };
            /**
             * @description The method.
             * @example POST
             */
            method: string;
            /**
             * @description The address.
             * @example https://example.com/api
             */
            url: string;
        };
        /** @description Request to send, and parts of the response to store. */
        HttpRequestOptions: {
            /** @description True if the editor shows all properties, in older documents. */
            isAdvancedConfig?: boolean;
            /** @description True if the request sends `body` instead of all answers. Default false. */
            isCustomBody?: boolean;
            /** @description True if the browser of the visitor sends the request. Default false. */
            isExecutedOnClient?: boolean;
            /**
             * @description Id of the credentials of a proxy. This service supports no proxies and does not send such a request.
             * @example crdProxy
             */
            proxyCredentialsId?: string;
            /** @description Parts of the received body and the variables that store them. */
            responseVariableMapping?: components["schemas"]["HttpResponseMapping"][];
            /**
             * Format: double
             * @description Timeout for the response, in seconds. Default 10.
             * @example 10
             */
            timeout?: number;
            /** @description Values of variables in test requests. */
            variablesForTest?: components["schemas"]["HttpTestVariable"][];
            webhook?: components["schemas"]["HttpRequestDefinition"];
        } & {
            [key: string]: unknown;
        };
        /** @description A header or a query parameter. */
        HttpRequestPair: {
            /**
             * @description Id of the pair.
             * @example prmLang
             */
            id: string;
            /**
             * @description Name; may hold placeholders.
             * @example lang
             */
            key?: string;
            /**
             * @description Value; may hold placeholders.
             * @example en
             */
            value?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Stores one part of a received body in a variable. */
        HttpResponseMapping: {
            /**
             * @description Path of the part in the body.
             * @example data.plan
             */
            bodyPath?: string;
            /**
             * @description Id of the entry.
             * @example mapPlan
             */
            id: string;
            /**
             * @description Id of the variable that stores the part.
             * @example varPlan
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Value of a variable in test requests of the editor. */
        HttpTestVariable: {
            /**
             * @description Id of the entry.
             * @example tstEmail
             */
            id: string;
            /**
             * @description The value.
             * @example ada@example.com
             */
            value?: string;
            /**
             * @description Id of the variable that has the value.
             * @example varEmail
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The Idempotency-Key was sent with another method, path or body before. Nothing was changed. Send another request with another key, and a repeat exactly as the first time. */
        IdempotencyMismatchErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "IDEMPOTENCY_MISMATCH";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Idempotency key used for another request
             */
            message: string;
        };
        /** @description Begins a branch when the visitor has not answered for a while. The input appears again after the branch. Only this service has this event. */
        IdleEvent: {
            graphCoordinates: components["schemas"]["Coordinates"];
            /**
             * @description Id of the event.
             * @example evtStart
             */
            id: string;
            options?: components["schemas"]["IdleEventOptions"];
            /**
             * @description Id of the edge that leaves the event. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the event.
             * @enum {string}
             */
            type: "idle";
        } & {
            [key: string]: unknown;
        };
        /** @description Timing of the branch, and an optional end of the chat. */
        IdleEventOptions: {
            /** @description True if the chat ends after the last run and as many seconds again. Default false. */
            isEnding?: boolean;
            /**
             * Format: double
             * @description Seconds without an answer before each run of the branch. If missing, the event has no effect.
             * @example 300
             */
            seconds?: number;
            /**
             * Format: double
             * @description Maximum number of runs for one question. Default 1.
             * @example 2
             */
            times?: number;
        } & {
            [key: string]: unknown;
        };
        /** @description Shows a picture by its address. */
        ImageBubble: {
            content?: components["schemas"]["ImageBubbleContent"];
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "image";
        } & {
            [key: string]: unknown;
        };
        /** @description Picture that the block shows. */
        ImageBubbleContent: {
            clickLink?: components["schemas"]["ImageClickLink"];
            /**
             * @description Address of the picture.
             * @example https://files.example.com/cat.png
             */
            url?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Link that a click on the picture opens. */
        ImageClickLink: {
            /**
             * @description Alternative text of the picture.
             * @example A sleeping cat
             */
            alt?: string;
            /**
             * @description Address to open.
             * @example https://www.example.com/cats
             */
            url?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A picture of the bot. */
        ImageMessageBubble: {
            /**
             * @description The content of the block, with placeholders filled in.
             * @example {}
             */
            content: {
                [key: string]: unknown;
            };
            /**
             * @description Id of the block in the flow.
             * @example block-hello
             */
            id: string;
            /**
             * @description Kind of the bubble. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "image";
        };
        /** @description The document to import, and its destination. */
        ImportBotBody: {
            bot: components["schemas"]["BotImport"];
            /**
             * @description Id of a folder of the workspace to put the bot into; none when absent or null.
             * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
             */
            folderId?: string | null;
            /**
             * @description Id of the workspace to import into.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId: string;
        };
        /** @description A bot that was imported. */
        ImportedBotBody: {
            bot: components["schemas"]["Bot"];
            /**
             * Format: int32
             * @description Number of findings that keep a chat from doing what the flow says. Check a bot lists them.
             * @example 0
             */
            errorsFound: number;
            /** @description Parts that were dropped or added to make the document fit, and blocks that chats skip. Also links to bots, and blocks with credentials, that the workspace does not have. */
            warnings: components["schemas"]["FlowFinding"][];
            /**
             * Format: int32
             * @description Number of findings that the author probably did not mean. Check a bot lists them.
             * @example 0
             */
            warningsFound: number;
        };
        /** @description Texts that an input shows. */
        InputLabels: {
            /**
             * @description Text of the button that sends the answer. Default Send.
             * @example Send
             */
            button?: string;
            /**
             * @description Text in the empty field.
             * @example Type your answer...
             */
            placeholder?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The service failed. Its log has the details under the request id of the X-Request-Id header. */
        InternalServerErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "INTERNAL_SERVER_ERROR";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Internal server error
             */
            message: string;
        };
        /** @description Begins a branch after an invalid answer, in place of the usual message. */
        InvalidReplyEvent: {
            graphCoordinates: components["schemas"]["Coordinates"];
            /**
             * @description Id of the event.
             * @example evtStart
             */
            id: string;
            options?: components["schemas"]["ReplyEventOptions"];
            /**
             * @description Id of the edge that leaves the event. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the event.
             * @enum {string}
             */
            type: "invalidReply";
        } & {
            [key: string]: unknown;
        };
        /** @description A role in a workspace, offered to an e-mail address. */
        Invitation: {
            /**
             * Format: date-time
             * @description When the invitation was created.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description E-mail address of the user.
             * @example ada@example.com
             */
            email: string;
            /**
             * Format: date-time
             * @description When the invitation ends by itself.
             * @example 2026-03-04T10:15:30.120Z
             */
            expiresAt: string;
            /**
             * @description Id of the invitation, as create and list return it.
             * @example 01jr5xdq1b2k6e0j5a7c9d1f3h
             */
            id: string;
            /**
             * @description Id of the admin who invites.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            invitedBy: string;
            /**
             * @description `ADMIN` may do everything, `MEMBER` writes bots and folders and reads results, `GUEST` reads bots and folders.
             * @enum {string}
             */
            role: "ADMIN" | "MEMBER" | "GUEST";
            /**
             * @description Id of the workspace, as create and list return it.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId: string;
        };
        /** @description One invitation, without its link. */
        InvitationBody: {
            invitation: components["schemas"]["Invitation"];
        };
        /** @description The address to invite, with the role to give. */
        InvitationCreate: {
            /**
             * @description E-mail address of the user.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description `ADMIN` may do everything, `MEMBER` writes bots and folders and reads results, `GUEST` reads bots and folders.
             * @enum {string}
             */
            role: "ADMIN" | "MEMBER" | "GUEST";
        };
        /** @description The invitations of a workspace. */
        InvitationList: {
            /** @description The invitations, newest first. */
            invitations: components["schemas"]["Invitation"][];
            /**
             * @description Send it as `cursor` to get the following page; null on the last page.
             * @example AZx0mC1jZ3JhbnQ
             */
            nextCursor: string | null;
        };
        /**
         * @description Kind of the issue, for programs. The list is open: treat an unknown code as `custom`.
         *
         *     - `already_created`: a request with this idempotency key has created the record whose id `current` has; its response held a secret and cannot be repeated.
         *     - `bot_closed`: the bot takes no new chats.
         *     - `bound_token`: the token is bound to a workspace, and this is outside of it.
         *     - `circular_move`: a folder would be inside itself.
         *     - `concurrency_exceeded`: too many requests of the caller run at once.
         *     - `conflict`: the record is in another state than the request expects; `current` has that state.
         *     - `custom`: another rule of the contract is broken; the message says which.
         *     - `daily_quota_exceeded`: the address, or the visitors of the bot together, reached the daily limit of storage.
         *     - `disabled_user`: the user with this e-mail address is disabled.
         *     - `disk_full`: the disk of the installation has too little room left for files.
         *     - `expired`: the token has expired.
         *     - `files_not_kept`: the installation stores no files.
         *     - `in_progress`: a request with this idempotency key is still running.
         *     - `incomplete`: the body ended early.
         *     - `invalid_cursor`: the cursor was not made for this list and filter.
         *     - `invalid_element`: an entry of a collection does not fit.
         *     - `invalid_encoding`: the bytes are not UTF-8, or a percent escape is broken.
         *     - `invalid_format`: the text does not have the required form.
         *     - `invalid_json`: the body is not JSON.
         *     - `invalid_key`: the name of a property cannot be stored.
         *     - `invalid_number`: the number is too large to be stored exactly.
         *     - `invalid_text`: the text has U+0000 or half of a surrogate pair in it.
         *     - `invalid_type`: the value is missing, or of another type.
         *     - `invalid_union`: the value fits none of the alternatives.
         *     - `invalid_value`: the value is not one of those that are allowed.
         *     - `last_admin`: the workspace would be left without an admin.
         *     - `malformed`: the header or the request cannot be read.
         *     - `missing`: a header that is needed was not sent.
         *     - `missing_scope`: the token lacks a scope, which the message names.
         *     - `no_encryption_key`: the installation has no key to encrypt credentials with; its operator has to set one.
         *     - `no_role`: the caller has no role there that allows this, or there is no such record.
         *     - `not_multiple_of`: the number is not one of the allowed steps.
         *     - `not_published`: the bot is not published.
         *     - `not_waiting`: the chat does not wait at this block.
         *     - `origin_not_allowed`: the settings of the bot do not allow this origin, or only pages of the service may send this.
         *     - `private_address`: the address is in a private network, or the installation allows no requests to it.
         *     - `quota_exceeded`: the record would have more entries than it may.
         *     - `rate_exceeded`: the caller sent too many requests in a window of time.
         *     - `repeated`: a parameter was given more than once.
         *     - `required`: the property is required together with another one.
         *     - `reserved_host`: the host is one of the service, or above or below one; the domain of a bot needs another one.
         *     - `result_deleted`: the result that this belongs to was deleted.
         *     - `reused`: the idempotency key belongs to another request.
         *     - `revoked`: the token was revoked.
         *     - `role_too_low`: the role of the caller in the workspace does not allow this; the message names the one that does.
         *     - `taken`: another record has this name.
         *     - `too_big`: the value is longer or larger than allowed.
         *     - `too_deep`: the body is nested too deeply.
         *     - `too_large`: the body is over the limit of the operation.
         *     - `too_many_files`: the chat has reached its limit of files or of their size.
         *     - `too_many_keys`: an object has too many properties.
         *     - `too_many_values`: the body has too many values.
         *     - `too_small`: the value is shorter or smaller than allowed.
         *     - `unexpected`: something was sent that this operation does not take.
         *     - `unknown`: the token or the expectation is not known.
         *     - `unknown_block`: the bot has no such block.
         *     - `unknown_bot`: there is no such bot.
         *     - `unknown_command`: the bot has no event for the command.
         *     - `unknown_credentials`: there are no such credentials in the workspace.
         *     - `unknown_delivery`: there is no such delivery.
         *     - `unknown_device_code`: the code of the device was used, has expired, or never existed.
         *     - `unknown_endpoint`: there is no such webhook endpoint in the workspace.
         *     - `unknown_folder`: the folder does not exist in the workspace.
         *     - `unknown_member`: the workspace has no such member.
         *     - `unknown_method`: the path does not take this method; the message names those it takes.
         *     - `unknown_public_id`: no published bot has this public id.
         *     - `unknown_publication`: there is no such publication of the bot.
         *     - `unknown_record`: there is no such record.
         *     - `unknown_result`: there is no such result of the bot.
         *     - `unknown_route`: there is no such path; the message names one that is near.
         *     - `unknown_session`: there is no such chat session.
         *     - `unknown_start`: the bot has no such group or event.
         *     - `unknown_token`: the caller has no such token.
         *     - `unknown_user`: no user has this e-mail address.
         *     - `unknown_variable`: no bot of the chat has a variable of this name.
         *     - `unknown_workspace`: the caller has no role in such a workspace.
         *     - `unrecognized_keys`: the property or parameter is not known.
         *     - `unsupported_media_type`: the body is not sent as the media type that the operation takes.
         *     - `unsupported_version`: the bot is in a version that does not have this; update it to a newer one.
         * @example invalid_type
         */
        IssueCode: string;
        /** @description Continues at another block of the flow. */
        JumpBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["JumpOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Jump";
        } & {
            [key: string]: unknown;
        };
        /** @description Group and block where the chat continues. */
        JumpOptions: {
            /**
             * @description Id of the block in the group. Default: its first block.
             * @example blkAskEmail
             */
            blockId?: string;
            /**
             * @description Id of the group, or one placeholder that gives the title of a group.
             * @example grpContact
             */
            groupId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A name and its value, such as a header. */
        KeyValuePair: {
            /**
             * @description Name; may hold placeholders.
             * @example plan
             */
            key?: string;
            /**
             * @description Value; may hold placeholders.
             * @example {{Plan}}
             */
            value?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The last message of the visitor or a member in a chat that people handle. Null while the bot handles it, and before the visitor has written. */
        LastMessage: {
            /**
             * @description Author of the message.
             * @enum {string}
             */
            role: "user" | "member";
            /**
             * @description First 200 characters of the text; for files, their names.
             * @example Is anybody there?
             */
            text: string;
        } | null;
        /** @description Assigns each visitor one of two paths at random, in versions 3, 4 and 5. */
        LegacyAbTestBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            /** @description The two paths: first a, then b. */
            items: components["schemas"]["LegacyAbTestItem"][];
            options?: components["schemas"]["AbTestOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "AB test";
        } & {
            [key: string]: unknown;
        };
        /** @description One of the two paths of an AB test, in versions 3, 4 and 5. */
        LegacyAbTestItem: {
            /**
             * @description Id of the block that the item belongs to.
             * @example blkAskPlan
             */
            blockId?: string;
            /**
             * @description Id of the item.
             * @example itmPathA
             */
            id: string;
            /**
             * @description Id of the edge that leaves the item. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Path of the item: a for the first, b for the second.
             * @enum {string}
             */
            path: "a" | "b";
        } & {
            [key: string]: unknown;
        };
        /** @description A block of the flow in versions 3, 4 and 5. The type decides its shape. */
        LegacyBlock: components["schemas"]["StartBlock"] | components["schemas"]["TextBubble"] | components["schemas"]["ImageBubble"] | components["schemas"]["VideoBubble"] | components["schemas"]["EmbedBubble"] | components["schemas"]["AudioBubble"] | components["schemas"]["TextInput"] | components["schemas"]["NumberInput"] | components["schemas"]["EmailInput"] | components["schemas"]["UrlInput"] | components["schemas"]["PhoneNumberInput"] | components["schemas"]["DateInput"] | components["schemas"]["TimeInput"] | components["schemas"]["PaymentInput"] | components["schemas"]["RatingInput"] | components["schemas"]["LegacyFileInput"] | components["schemas"]["LegacyChoiceInput"] | components["schemas"]["LegacyPictureChoiceInput"] | components["schemas"]["CardsInput"] | components["schemas"]["SetVariableBlock"] | components["schemas"]["RedirectBlock"] | components["schemas"]["CodeBlock"] | components["schemas"]["BotLinkBlock"] | components["schemas"]["WaitBlock"] | components["schemas"]["JumpBlock"] | components["schemas"]["ReturnBlock"] | components["schemas"]["LegacyConditionBlock"] | components["schemas"]["LegacyAbTestBlock"] | components["schemas"]["HandoffBlock"] | components["schemas"]["WaitUntilBlock"] | components["schemas"]["LegacyGoogleSheetsBlock"] | components["schemas"]["LegacyHttpRequestBlock"] | components["schemas"]["LegacyZapierBlock"] | components["schemas"]["LegacyMakeComBlock"] | components["schemas"]["LegacyPabblyBlock"] | components["schemas"]["EmailBlock"] | components["schemas"]["ChatwootBlock"] | components["schemas"]["GoogleAnalyticsBlock"] | components["schemas"]["PixelBlock"] | components["schemas"]["ClassicOpenAiBlock"] | components["schemas"]["OpaqueBlock"];
        /** @description Asks to choose from buttons, in versions 3, 4 and 5. */
        LegacyChoiceInput: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            /** @description The buttons, in the order shown. */
            items: components["schemas"]["LegacyChoiceItem"][];
            options?: components["schemas"]["ChoiceInputOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "choice input";
        } & {
            [key: string]: unknown;
        };
        /** @description A button of a choice input, in versions 3, 4 and 5. */
        LegacyChoiceItem: {
            /**
             * @description Id of the block that the item belongs to.
             * @example blkAskPlan
             */
            blockId?: string;
            /**
             * @description Text of the button.
             * @example Yes, please
             */
            content?: string;
            displayCondition?: components["schemas"]["DisplayCondition"];
            /**
             * @description Id of the item.
             * @example itmYes
             */
            id: string;
            /**
             * @description Id of the edge that leaves the item. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Text stored as the answer. Default: the content.
             * @example yes
             */
            value?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Follows the edge of the first item whose condition holds, else its own, in versions 3, 4 and 5. Has no options. */
        LegacyConditionBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            /** @description The conditions, in the order of evaluation. */
            items: components["schemas"]["LegacyConditionItem"][];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Condition";
        } & {
            [key: string]: unknown;
        };
        /** @description One condition and its edge, in versions 3, 4 and 5. */
        LegacyConditionItem: {
            /**
             * @description Id of the block that the item belongs to.
             * @example blkAskPlan
             */
            blockId?: string;
            content?: components["schemas"]["Condition"];
            /**
             * @description Id of the item.
             * @example itmIsAdult
             */
            id: string;
            /**
             * @description Id of the edge that leaves the item. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Asks for files, in versions 3, 4 and 5. */
        LegacyFileInput: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["LegacyFileInputOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "file input";
        } & {
            [key: string]: unknown;
        };
        /** @description Settings of a file input with a size limit of its own. */
        LegacyFileInputOptions: {
            allowedFileTypes?: components["schemas"]["AllowedFileTypes"];
            /**
             * @description Camera of a phone: at the back (environment) or at the front (user).
             * @enum {string}
             */
            capture?: "environment" | "user";
            /** @description True if visitors may upload several files. Default false. */
            isMultipleAllowed?: boolean;
            /** @description True if the visitor must upload a file. Default true. */
            isRequired?: boolean;
            labels?: components["schemas"]["FileInputLabels"];
            /**
             * Format: double
             * @description Maximum size of a file, in megabytes.
             * @example 10
             */
            sizeLimit?: number;
            /**
             * @description Id of the variable that stores the answer.
             * @example varEmail
             */
            variableId?: string;
            visibility?: components["schemas"]["FileVisibility"];
        } & {
            [key: string]: unknown;
        };
        /** @description Reads or writes rows of a spreadsheet, in versions 3, 4 and 5, with credentials of type google sheets. */
        LegacyGoogleSheetsBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["LegacyGoogleSheetsOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Google Sheets";
        } & {
            [key: string]: unknown;
        };
        /** @description Table and the action on it, in versions 3, 4 and 5. */
        LegacyGoogleSheetsOptions: {
            /**
             * @description Action of the block. Without an action the block does nothing.
             * @enum {string}
             */
            action?: "Get data from sheet" | "Insert a row" | "Update a row";
            /** @description With action Get data from sheet: columns and the variables that store them. */
            cellsToExtract?: components["schemas"]["SheetExtraction"][];
            /** @description With action Insert a row: the cells of the new row. */
            cellsToInsert?: components["schemas"]["SheetCell"][];
            /** @description With action Update a row: the cells that change. */
            cellsToUpsert?: components["schemas"]["SheetCell"][];
            /**
             * @description Id of the credentials of the account.
             * @example crdSheets
             */
            credentialsId?: string;
            filter?: components["schemas"]["SheetFilter"];
            referenceCell?: components["schemas"]["SheetCell"];
            /**
             * @description Id of the sheet in the spreadsheet.
             * @example 0
             */
            sheetId?: string;
            /**
             * @description Id of the spreadsheet.
             * @example 1aBcD2eFgH
             */
            spreadsheetId?: string;
            /**
             * @description With action Get data from sheet: rows to read of those found. Default All.
             * @enum {string}
             */
            totalRowsToExtract?: "All" | "First" | "Last" | "Random";
        } & {
            [key: string]: unknown;
        };
        /** @description Blocks that run from the first to the last, in versions 3, 4 and 5. Only version 5 requires the list of blocks. */
        LegacyGroup: {
            /** @description The blocks, in the order they run. */
            blocks?: components["schemas"]["LegacyBlock"][];
            graphCoordinates: components["schemas"]["Coordinates"];
            /**
             * @description Id of the group.
             * @example grpContact
             */
            id: string;
            /**
             * @description Title shown in the editor.
             * @example Contact details
             */
            title: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Sends an HTTP request, in versions 3, 4 and 5. */
        LegacyHttpRequestBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["LegacyHttpRequestOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Webhook";
            /**
             * @description Id of the request, which version 3 stores outside the document.
             * @example reqLead
             */
            webhookId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The request, in versions 3, 4 and 5. */
        LegacyHttpRequestDefinition: {
            /**
             * @description Body of the request; may hold placeholders.
             * @example {"email": "{{Email}}"}
             */
            body?: string;
            /** @description Headers of the request. */
            headers?: components["schemas"]["HttpRequestPair"][];
            /**
             * @description Id of the request. Required in versions 4 and 5.
             * @example reqLead
             */
            id?: string;
            /**
             * @description HTTP method. Default POST.
             * @enum {string}
             */
            method?: "POST" | "GET" | "PUT" | "DELETE" | "PATCH" | "HEAD" | "CONNECT" | "OPTIONS" | "TRACE";
            /** @description Query parameters added to the address. */
            queryParams?: components["schemas"]["HttpRequestPair"][];
            /**
             * @description Address of the request; may hold placeholders.
             * @example https://api.example.com/leads
             */
            url?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Request to send, and parts of the response to store, in versions 3, 4 and 5. */
        LegacyHttpRequestOptions: {
            /** @description True if the editor shows all properties, in older documents. */
            isAdvancedConfig?: boolean;
            /** @description True if the request sends `body` instead of all answers. Default false. */
            isCustomBody?: boolean;
            /** @description True if the browser of the visitor sends the request. Default false. */
            isExecutedOnClient?: boolean;
            /**
             * @description Id of the credentials of a proxy. This service supports no proxies and does not send such a request.
             * @example crdProxy
             */
            proxyCredentialsId?: string;
            /** @description Parts of the received body and the variables that store them. */
            responseVariableMapping?: components["schemas"]["HttpResponseMapping"][];
            /**
             * Format: double
             * @description Timeout for the response, in seconds. Default 10.
             * @example 10
             */
            timeout?: number;
            /** @description Values of variables in test requests. */
            variablesForTest?: components["schemas"]["HttpTestVariable"][];
            webhook?: components["schemas"]["LegacyHttpRequestDefinition"];
        } & {
            [key: string]: unknown;
        };
        /** @description Starts a Make.com scenario by an HTTP request, in versions 3, 4 and 5. */
        LegacyMakeComBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["LegacyHttpRequestOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Make.com";
            /**
             * @description Id of the request, which version 3 stores outside the document.
             * @example reqLead
             */
            webhookId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Starts a Pabbly workflow by an HTTP request, in versions 3, 4 and 5. */
        LegacyPabblyBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["LegacyHttpRequestOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Pabbly";
            /**
             * @description Id of the request, which version 3 stores outside the document.
             * @example reqLead
             */
            webhookId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Asks to choose from pictures, in versions 3, 4 and 5. */
        LegacyPictureChoiceInput: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            /** @description The pictures, in the order shown. */
            items: components["schemas"]["LegacyPictureChoiceItem"][];
            options?: components["schemas"]["PictureChoiceInputOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "picture choice input";
        } & {
            [key: string]: unknown;
        };
        /** @description A picture of a picture choice input, in versions 3, 4 and 5. */
        LegacyPictureChoiceItem: {
            /**
             * @description Id of the block that the item belongs to.
             * @example blkAskPlan
             */
            blockId?: string;
            /**
             * @description Text below the title.
             * @example Sleeps a lot.
             */
            description?: string;
            displayCondition?: components["schemas"]["DisplayCondition"];
            /**
             * @description Id of the item.
             * @example itmCat
             */
            id: string;
            /**
             * @description Id of the edge that leaves the item. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Address of the picture.
             * @example https://files.example.com/cat.png
             */
            pictureSrc?: string;
            /**
             * @description Title below the picture.
             * @example Cat
             */
            title?: string;
            /**
             * @description Text stored as the answer. Default: the title, else the picture.
             * @example cat
             */
            value?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Starts a Zap by an HTTP request, in versions 3, 4 and 5. */
        LegacyZapierBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["LegacyHttpRequestOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Zapier";
            /**
             * @description Id of the request, which version 3 stores outside the document.
             * @example reqLead
             */
            webhookId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Wait until an outside call continues the chat. */
        ListenForWebhookAction: {
            /** @description True if the client must continue the chat with the outcome. */
            expectsDedicatedReply?: boolean;
            /**
             * @description Run the action after this bubble; absent means before all.
             * @example block-hello
             */
            lastBubbleBlockId?: string;
            /**
             * @description Kind of the action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "listenForWebhook";
        };
        /**
         * @description Operator that joins comparisons: one must hold (OR) or all must hold (AND). Default AND.
         * @enum {string}
         */
        LogicalOperator: "OR" | "AND";
        /** @description Starts a Make.com scenario by an HTTP request. */
        MakeComBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["HttpRequestOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Make.com";
        } & {
            [key: string]: unknown;
        };
        /** @description Finds a value in one list and picks the entry of another list with the same index. */
        MapListItemParameters: {
            /**
             * @description Id of the variable that holds the value.
             * @example varCity
             */
            baseItemVariableId?: string;
            /**
             * @description Id of the variable whose list is searched for the value.
             * @example varCities
             */
            baseListVariableId?: string;
            /**
             * @description Id of the variable whose list gives the result.
             * @example varPrices
             */
            targetListVariableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A text written in Markdown. */
        MarkdownContent: {
            /**
             * @description The text in Markdown.
             * @example Hello **Ada**
             */
            markdown: string;
            /**
             * @description Markdown. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "markdown";
        };
        /** @description A user and their role in a workspace. */
        Member: {
            /**
             * @description True if the user is disabled: they cannot sign in, and do not count as an admin.
             * @example false
             */
            isDisabled: boolean;
            /**
             * @description `ADMIN` may do everything, `MEMBER` writes bots and folders and reads results, `GUEST` reads bots and folders.
             * @enum {string}
             */
            role: "ADMIN" | "MEMBER" | "GUEST";
            user: components["schemas"]["MemberUser"];
            /**
             * @description Id of the user, as the list of members returns it.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            userId: string;
            /**
             * @description Id of the workspace, as create and list return it.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId: string;
        };
        /** @description One member of a workspace. */
        MemberBody: {
            member: components["schemas"]["Member"];
        };
        /** @description The user to add, and their role. */
        MemberCreate: {
            /**
             * @description E-mail address of the user.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description `ADMIN` may do everything, `MEMBER` writes bots and folders and reads results, `GUEST` reads bots and folders.
             * @enum {string}
             */
            role: "ADMIN" | "MEMBER" | "GUEST";
        };
        /** @description The members of a workspace. */
        MemberList: {
            /** @description The members and their roles. */
            members: components["schemas"]["Member"][];
            /**
             * @description Send it as `cursor` to get the following page; null on the last page.
             * @example AZx0mC1jZ3JhbnQ
             */
            nextCursor: string | null;
        };
        /** @description Message of a member to a visitor. */
        MemberMessage: {
            /**
             * @description URLs of files that were uploaded for this chat.
             * @example [
             *       "https://bots.example.com/files/bot/file/plan.pdf"
             *     ]
             */
            attachedFileUrls?: string[];
            /**
             * @description The text; may be absent if files are sent.
             * @example I look into it.
             */
            text?: string;
            /**
             * @description Format of the text. Markdown is shown with its formatting.
             * @default plain
             * @enum {string}
             */
            textFormat?: "plain" | "markdown";
        };
        /** @description A message of a member to the visitor. */
        MemberTurn: {
            message: components["schemas"]["MessageBubble"];
            /**
             * @description Role of the author. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            role: "member";
            /**
             * @description Id of the member; only members see it.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            userId?: string;
        };
        /** @description The new role of the member. */
        MemberUpdate: {
            /**
             * @description Read-only state of the user; accepted and ignored.
             * @example null
             */
            readonly isDisabled?: unknown;
            /**
             * @description `ADMIN` may do everything, `MEMBER` writes bots and folders and reads results, `GUEST` reads bots and folders.
             * @enum {string}
             */
            role: "ADMIN" | "MEMBER" | "GUEST";
            /**
             * @description Read-only description of the user; accepted and ignored.
             * @example null
             */
            readonly user?: unknown;
            /**
             * @description Read-only id of the user; accepted and ignored.
             * @example null
             */
            readonly userId?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description The user behind a membership. */
        MemberUser: {
            /**
             * @description E-mail address, or null.
             * @example ada@example.com
             */
            email: string | null;
            /**
             * @description URL of a picture of the user, or null.
             * @example https://example.com/ada.png
             */
            image: string | null;
            /**
             * @description Name of the user, or null.
             * @example Ada Lovelace
             */
            name: string | null;
        };
        /** @description Message of the visitor: a plain text, or a message with its kind. */
        Message: components["schemas"]["PlainMessage"] | components["schemas"]["StructuredMessage"];
        /** @description A message of the bot. */
        MessageBubble: components["schemas"]["TextMessageBubble"] | components["schemas"]["ImageMessageBubble"] | components["schemas"]["VideoMessageBubble"] | components["schemas"]["AudioMessageBubble"] | components["schemas"]["EmbedMessageBubble"];
        /** @description Origin of the text of a message. */
        MessageMetadata: {
            /**
             * @description Id of the item that was chosen.
             * @example item-yes
             */
            replyId?: string;
        };
        /** @description Behaviour on messaging channels. Editors read it; this service has no such channel. */
        MessagingSettings: {
            /**
             * @description Target address for delivery statuses, with the scheme http or https.
             * @example https://hooks.example.com/statuses
             */
            errorAndMarketingStatusWebhookForwardUrl?: string;
            /** @description True if the bot responds on the channel. Default false. */
            isEnabled?: boolean;
            /** @description True if the channel forwards statuses. Also true if only the address is present. */
            isWebhookForwardingEnabled?: boolean;
            /**
             * Format: double
             * @description Hours after the last message until a conversation ends. Default 4.
             * @example 4
             */
            sessionExpiryTimeout?: number;
            startCondition?: components["schemas"]["StartCondition"];
            /**
             * @description Kinds of status to forward.
             * @example [
             *       "errorStatuses"
             *     ]
             */
            webhookForwardingEventTypes?: ("all" | "errorStatuses" | "marketingStatuses")[];
        } & {
            [key: string]: unknown;
        };
        /** @description Works with Mistral. Chats run it, with credentials of type mistral. Versions 6 and 6.1 only. */
        MistralBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["MistralOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "mistral";
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type mistral. */
        MistralCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "mistral";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type mistral. */
        MistralCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "mistral";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description Options of the Mistral block. The action decides which other properties apply. */
        MistralOptions: {
            /**
             * @description Action of the block: Create chat completion, Generate variables. The service preserves other texts. Without an action the block does nothing.
             * @example Create chat completion
             */
            action?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /** @description The messages, oldest first. */
            messages?: components["schemas"]["ChatMessage"][];
            /**
             * @description Name of the model.
             * @example gpt-4o
             */
            model?: string;
            /**
             * @description Prompt for the model; may hold placeholders.
             * @example I live in {{Answer}}.
             */
            prompt?: string;
            /** @description Parts of the response and the variables that store them. With action Create chat completion: Message content, Total tokens, Prompt tokens, Completion tokens. */
            responseMapping?: components["schemas"]["VendorAnswerMapping"][];
            /**
             * @description Sampling temperature of the model, from 0 to 2. A number, or a text that is one {{variable}} or reads as a number.
             * @example 0.7
             */
            temperature?: number | string;
            /** @description Functions that the model can call. */
            tools?: components["schemas"]["ChatTool"][];
            /** @description With action Generate variables: the values to find. */
            variablesToExtract?: components["schemas"]["VariableToExtract"][];
        } & {
            [key: string]: unknown;
        };
        /** @description Works with NocoDB. Chats run it, with credentials of type nocodb. Versions 6 and 6.1 only. */
        NocoDbBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["NocoDbOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "nocodb";
        } & {
            [key: string]: unknown;
        };
        /** @description Compares a field of the record with a text. */
        NocoDbComparison: {
            /**
             * @description Name of the field.
             * @example Email
             */
            input?: string;
            operator?: components["schemas"]["ComparisonOperator"];
            /**
             * @description The text to compare with.
             * @example {{Email}}
             */
            value?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type nocodb. */
        NocoDbCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["NocoDbData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "nocodb";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type nocodb. */
        NocoDbCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["NocoDbData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "nocodb";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description An account of NocoDB. */
        NocoDbData: {
            /**
             * Format: password
             * @description Token of the account.
             * @example nc-example
             */
            apiKey: string;
            /**
             * Format: uri
             * @description Address of NocoDB. Default https://app.nocodb.com.
             * @example https://nocodb.example.com
             */
            baseUrl?: string;
        };
        /** @description Selects records by their fields. */
        NocoDbFilter: {
            /** @description Comparisons with the fields of a record. */
            comparisons: components["schemas"]["NocoDbComparison"][];
            joiner?: components["schemas"]["LogicalOperator"];
        } & {
            [key: string]: unknown;
        };
        /** @description Stores one field of the found records in a variable. */
        NocoDbMapping: {
            /**
             * @description Name of the field.
             * @example Email
             */
            fieldName?: string;
            /**
             * @description Id of the variable that stores the values.
             * @example varEmail
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Options of the NocoDB block. The action decides which other properties apply. */
        NocoDbOptions: {
            /**
             * @description Action of the block: Search Records, Create Record, Update Existing Record. The service preserves other texts. Without an action the block does nothing.
             * @example Search Records
             */
            action?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /** @description With action Create Record: the fields of the new record. */
            fields?: components["schemas"]["KeyValuePair"][];
            filter?: components["schemas"]["NocoDbFilter"];
            /** @description With action Search Records: fields and the variables that store them. */
            responseMapping?: components["schemas"]["NocoDbMapping"][];
            /**
             * @description With action Search Records: records to read of those found.
             * @enum {string}
             */
            returnType?: "All" | "First" | "Last" | "Random";
            /**
             * @description Id of the table.
             * @example tbl_leads
             */
            tableId?: string;
            /** @description With action Update Existing Record: the fields that change. */
            updates?: components["schemas"]["NocoDbUpdate"][];
            /**
             * @description Id of the view.
             * @example viw_open
             */
            viewId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The new value of a field. */
        NocoDbUpdate: {
            /**
             * @description Name of the field.
             * @example Status
             */
            fieldName?: string;
            /**
             * @description The value.
             * @example Booked
             */
            value?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The addressed record does not exist, or no longer does. Check the id. */
        NotFoundErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "NOT_FOUND";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Not found
             */
            message: string;
        };
        /** @description Asks for a number within bounds. */
        NumberInput: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["NumberInputOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "number input";
        } & {
            [key: string]: unknown;
        };
        /** @description Accepted numbers and their format. */
        NumberInputOptions: {
            /**
             * @description ISO 4217 code, used with style currency.
             * @example EUR
             */
            currency?: string;
            labels?: components["schemas"]["InputLabels"];
            /**
             * @description Language tag for typed and displayed numbers, of the form xx or xx-YY. The stored value is a plain number. Default: the language of the bot.
             * @example en-GB
             */
            locale?: string;
            /**
             * @description Maximum of the number. A number, or a text that is one {{variable}} or reads as a number.
             * @example 120
             */
            max?: number | string;
            /**
             * @description Minimum of the number; 0 is a bound too. A number, or a text that is one {{variable}} or reads as a number.
             * @example 0
             */
            min?: number | string;
            /**
             * @description Distance between accepted numbers, counted from min, else from 0. A number, or a text that is one {{variable}} or reads as a number.
             * @example 1
             */
            step?: number | string;
            /**
             * @description Kind of number. Default decimal.
             * @enum {string}
             */
            style?: "decimal" | "currency" | "percent" | "unit";
            /**
             * @description Unit of measure, used with style unit.
             * @enum {string}
             */
            unit?: "acre" | "bit" | "byte" | "celsius" | "centimeter" | "day" | "degree" | "fahrenheit" | "fluid-ounce" | "foot" | "gallon" | "gigabit" | "gigabyte" | "gram" | "hectare" | "hour" | "inch" | "kilobit" | "kilobyte" | "kilogram" | "kilometer" | "liter" | "megabit" | "megabyte" | "meter" | "microsecond" | "mile" | "mile-scandinavian" | "milliliter" | "millimeter" | "millisecond" | "minute" | "month" | "nanosecond" | "ounce" | "percent" | "petabyte" | "pound" | "second" | "stone" | "terabit" | "terabyte" | "week" | "yard" | "year";
            /**
             * @description Id of the variable that stores the answer.
             * @example varEmail
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Hours at which members are available. */
        OfficeHours: {
            /** @description Opening times. Days without any are closed; an empty list means always open. */
            times?: components["schemas"]["OpeningTime"][];
            /**
             * @description IANA time zone of the times. Default UTC.
             * @example Europe/Paris
             */
            timeZone?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A block of a type unknown to this service. The service preserves and returns it unchanged. */
        OpaqueBlock: {
            /**
             * @description Id of the block.
             * @example blkAskMood
             */
            id: string;
            /**
             * @description Any other type of block.
             * @example mood input
             */
            type: string;
        } & {
            [key: string]: unknown;
        };
        /** @description An event of a type unknown to this service. The service preserves it unchanged. */
        OpaqueEvent: {
            /**
             * @description Id of the event.
             * @example evtTimer
             */
            id: string;
            /**
             * @description Any other type of event.
             * @example timer
             */
            type: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Works with OpenAI. Chats run it, with credentials of type openai; the vendor has shut down Ask Assistant. Versions 6 and 6.1 only. */
        OpenAiBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["OpenAiOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "openai";
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type openai. */
        OpenAiCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "openai";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type openai. */
        OpenAiCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "openai";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description Options of the OpenAI block. The action decides which other properties apply. */
        OpenAiOptions: {
            /**
             * @description Action of the block: Create chat completion, Ask Assistant, Ask Model, Generate variables, Create speech, Create transcription. The service preserves other texts. Without an action the block does nothing.
             * @example Create chat completion
             */
            action?: string;
            /**
             * @description With action Ask Assistant: additions to its instructions.
             * @example Answer in French.
             */
            additionalInstructions?: string;
            /**
             * @description Version of the API.
             * @example 2024-06-01
             */
            apiVersion?: string;
            /**
             * @description With action Ask Assistant: id of the assistant.
             * @example asst_abc123
             */
            assistantId?: string;
            /**
             * @description Address of the API, if the credentials name none. It must belong to the vendor, since it receives the key.
             * @example https://api.openai.com/v1
             */
            baseUrl?: string;
            /** @description With action Ask Model: true if the model runs code. Default false. */
            codeInterpreterEnabled?: boolean;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /**
             * @description With action Ask Model: maximum number of results of a file search. A number, or a text that is one {{variable}} or reads as a number.
             * @example 10
             */
            fileSearchMaxNumResults?: number | string;
            /**
             * @description With action Ask Model: minimum score of a file search, from 0 to 1. A number, or a text that is one {{variable}} or reads as a number.
             * @example 0.5
             */
            fileSearchScoreThreshold?: number | string;
            /**
             * @description With action Ask Model: ids of the vector stores to search.
             * @example [
             *       "vs_abc123"
             *     ]
             */
            fileSearchVectorStoreIds?: string[];
            /** @description Functions that the model can call. */
            functions?: components["schemas"]["AssistantFunction"][];
            /**
             * @description With action Create speech: the text to speak.
             * @example {{Answer}}
             */
            input?: string;
            /**
             * @description With the actions Ask Model and Create speech: instructions for the text or the voice.
             * @example Be brief.
             */
            instructions?: string;
            /**
             * @description Text of the message; may hold placeholders.
             * @example {{Question}}
             */
            message?: string;
            /** @description The messages, oldest first. */
            messages?: components["schemas"]["ChatMessage"][];
            /**
             * @description Name of the model.
             * @example gpt-4o
             */
            model?: string;
            /**
             * @description Prompt for the model; may hold placeholders.
             * @example I live in {{Answer}}.
             */
            prompt?: string;
            /**
             * @description Id of the variable that holds the id of the last response, with action Ask Model.
             * @example varResponse
             */
            responseIdVariableId?: string;
            /** @description Parts of the response and the variables that store them. With action Create chat completion: Message content, Total tokens, Prompt tokens, Completion tokens. With action Ask Assistant: Message, Thread ID. With action Ask Model: Message, Response ID. */
            responseMapping?: components["schemas"]["VendorAnswerMapping"][];
            /**
             * @description Id of the variable that stores the address of the sound.
             * @example varSpeech
             */
            saveUrlInVariableId?: string;
            /**
             * @description Sampling temperature of the model, from 0 to 2. A number, or a text that is one {{variable}} or reads as a number.
             * @example 0.7
             */
            temperature?: number | string;
            /**
             * @description Id of the thread, in older documents; threadVariableId replaces it.
             * @example thread_abc123
             */
            threadId?: string;
            /**
             * @description Id of the variable that holds the id of the thread, with action Ask Assistant.
             * @example varThread
             */
            threadVariableId?: string;
            /** @description Functions that the model can call. */
            tools?: components["schemas"]["ChatTool"][];
            /**
             * @description Id of the variable that stores the text, with action Create transcription.
             * @example varText
             */
            transcriptionVariableId?: string;
            /**
             * @description With action Create transcription: address of the sound.
             * @example {{Recording}}
             */
            url?: string;
            /** @description With action Generate variables: the values to find. */
            variablesToExtract?: components["schemas"]["VariableToExtract"][];
            /**
             * @description With action Create speech: name of the voice.
             * @example alloy
             */
            voice?: string;
            /** @description With action Ask Model: true if the model searches the web. Default false. */
            webSearchEnabled?: boolean;
        } & {
            [key: string]: unknown;
        };
        /** @description Hours of one day at which members are available. */
        OpeningTime: {
            /**
             * @description Day of the week.
             * @enum {string}
             */
            day: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
            /**
             * @description Start. Format HH:MM.
             * @example 09:00
             */
            from: string;
            /**
             * @description End, at most 24:00. An end not after the start is on the next day. Format HH:MM.
             * @example 17:00
             */
            to: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Works with OpenRouter. Chats run it, with credentials of type open-router. Versions 6 and 6.1 only. */
        OpenRouterBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["OpenRouterOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "open-router";
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type open-router. */
        OpenRouterCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "open-router";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type open-router. */
        OpenRouterCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "open-router";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description Options of the OpenRouter block. The action decides which other properties apply. */
        OpenRouterOptions: {
            /**
             * @description Action of the block: Create chat completion. The service preserves other texts. Without an action the block does nothing.
             * @example Create chat completion
             */
            action?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /** @description The messages, oldest first. */
            messages?: components["schemas"]["ChatMessage"][];
            /**
             * @description Name of the model.
             * @example gpt-4o
             */
            model?: string;
            /** @description Parts of the response and the variables that store them. With action Create chat completion: Message content, Total tokens, Prompt tokens, Completion tokens. */
            responseMapping?: components["schemas"]["VendorAnswerMapping"][];
            /**
             * @description Sampling temperature of the model, from 0 to 2. A number, or a text that is one {{variable}} or reads as a number.
             * @example 0.7
             */
            temperature?: number | string;
            /** @description Functions that the model can call. */
            tools?: components["schemas"]["ChatTool"][];
        } & {
            [key: string]: unknown;
        };
        /** @description Starts a Pabbly workflow by an HTTP request. */
        PabblyBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["HttpRequestOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Pabbly";
        } & {
            [key: string]: unknown;
        };
        /** @description The request body is over the limit of the operation, which the issue names. */
        PayloadTooLargeErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "PAYLOAD_TOO_LARGE";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Payload too large
             */
            message: string;
        };
        /** @description Billing address of the payer. */
        PaymentAddress: {
            /**
             * @description City.
             * @example Lyon
             */
            city?: string;
            /**
             * @description Country.
             * @example France
             */
            country?: string;
            /**
             * @description First line.
             * @example 12 rue des Lilas
             */
            line1?: string;
            /**
             * @description Second line.
             * @example Building B
             */
            line2?: string;
            /**
             * @description Postal code.
             * @example 69003
             */
            postalCode?: string;
            /**
             * @description State or region.
             * @example Rhône
             */
            state?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Data with which a client shows the form of the provider itself. Absent if the visitor pays on the page of the provider: on the host of the members, and without a public key in the credentials. */
        PaymentFormOptions: {
            /**
             * @description Amount with its currency, to show.
             * @example €30.00
             */
            amountLabel: string;
            /**
             * @description Secret of the payment, for the form alone.
             * @example pi_a1b2_secret_c3d4
             */
            paymentIntentSecret: string;
            /**
             * @description Public key of the account that is paid.
             * @example pk_live_example
             */
            publicKey: string;
        };
        /** @description Payer and purpose of the payment; all texts may hold placeholders. */
        PaymentInformation: {
            address?: components["schemas"]["PaymentAddress"];
            /**
             * @description Purpose of the payment.
             * @example Ticket {{Ticket}}
             */
            description?: string;
            /**
             * @description E-mail address of the payer.
             * @example {{Email}}
             */
            email?: string;
            /**
             * @description Name of the payer.
             * @example {{Name}}
             */
            name?: string;
            /**
             * @description Phone number of the payer.
             * @example {{Phone}}
             */
            phoneNumber?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Asks for a payment, on the page of the provider or in its form. The chat continues once the service has read a successful payment from the provider. Chats need credentials of type stripe; previews use only test keys. */
        PaymentInput: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["PaymentInputOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "payment input";
        } & {
            [key: string]: unknown;
        };
        /** @description Texts of a payment input. */
        PaymentInputLabels: {
            /**
             * @description Text of the button that leads to the payment. Default Pay.
             * @example Pay
             */
            button?: string;
            /**
             * @description The answer after the payment. Default Success.
             * @example Paid, thank you!
             */
            success?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Settings of a payment input. */
        PaymentInputOptions: {
            additionalInformation?: components["schemas"]["PaymentInformation"];
            /**
             * @description Amount in the currency, with a point before decimals; may hold placeholders.
             * @example 30.00
             */
            amount?: string;
            /**
             * @description Id of the credentials of the provider.
             * @example crdStripe
             */
            credentialsId?: string;
            /**
             * @description ISO 4217 code. Default USD.
             * @example EUR
             */
            currency?: string;
            labels?: components["schemas"]["PaymentInputLabels"];
            /**
             * @description Payment provider. Default Stripe.
             * @enum {string}
             */
            provider?: "Stripe";
            /**
             * @description Sent after an invalid answer.
             * @example This does not look right. Can you check it?
             */
            retryMessageContent?: string;
            /**
             * @description Id of the variable that stores the answer.
             * @example varEmail
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Works with Perplexity. Chats run it, with credentials of type perplexity. Versions 6 and 6.1 only. */
        PerplexityBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["PerplexityOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "perplexity";
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type perplexity. */
        PerplexityCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "perplexity";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type perplexity. */
        PerplexityCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "perplexity";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description Options of the Perplexity block. The action decides which other properties apply. */
        PerplexityOptions: {
            /**
             * @description Action of the block: Create chat completion. The service preserves other texts. Without an action the block does nothing.
             * @example Create chat completion
             */
            action?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /** @description The messages, oldest first. */
            messages?: components["schemas"]["ChatMessage"][];
            /**
             * @description Name of the model.
             * @example gpt-4o
             */
            model?: string;
            /** @description Parts of the response and the variables that store them. With action Create chat completion: Message content, Total tokens, Prompt tokens, Completion tokens. */
            responseMapping?: components["schemas"]["VendorAnswerMapping"][];
            /**
             * @description Sampling temperature of the model, from 0 to 2. A number, or a text that is one {{variable}} or reads as a number.
             * @example 0.7
             */
            temperature?: number | string;
            /** @description Functions that the model can call. */
            tools?: components["schemas"]["ChatTool"][];
        } & {
            [key: string]: unknown;
        };
        /** @description Asks for a phone number. */
        PhoneNumberInput: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["PhoneNumberInputOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "phone number input";
        } & {
            [key: string]: unknown;
        };
        /** @description Settings of a phone number input. */
        PhoneNumberInputOptions: {
            /**
             * @description ISO 3166 alpha-2 code of the country selected at first.
             * @example FR
             */
            defaultCountryCode?: string;
            labels?: components["schemas"]["InputLabels"];
            /**
             * @description Sent after an invalid answer.
             * @example This does not look right. Can you check it?
             */
            retryMessageContent?: string;
            /**
             * @description Id of the variable that stores the answer.
             * @example varEmail
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Takes the pictures from list variables instead of the items. */
        PictureChoiceDynamicItems: {
            /**
             * @description Id of the variable with the descriptions.
             * @example varDescriptions
             */
            descriptionsVariableId?: string;
            /** @description True if the lists replace the items. Default false. */
            isEnabled?: boolean;
            /**
             * @description Id of the variable with the addresses of the pictures.
             * @example varPictures
             */
            pictureSrcsVariableId?: string;
            /**
             * @description Id of the variable with the titles.
             * @example varTitles
             */
            titlesVariableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Asks to choose from pictures. */
        PictureChoiceInput: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            /** @description The pictures, in the order shown. */
            items: components["schemas"]["PictureChoiceItem"][];
            options?: components["schemas"]["PictureChoiceInputOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "picture choice input";
        } & {
            [key: string]: unknown;
        };
        /** @description Settings of a picture choice input. */
        PictureChoiceInputOptions: {
            /**
             * @description Text of the button that sends several choices. Default Send.
             * @example Send
             */
            buttonLabel?: string;
            dynamicItems?: components["schemas"]["PictureChoiceDynamicItems"];
            /** @description True if visitors may choose several pictures. Default false. */
            isMultipleChoice?: boolean;
            /** @description True if a search field filters the pictures. Default false. */
            isSearchable?: boolean;
            /**
             * @description Text in the empty search field.
             * @example Filter the options...
             */
            searchInputPlaceholder?: string;
            /**
             * @description Id of the variable that stores the answer.
             * @example varEmail
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A picture of a picture choice input. */
        PictureChoiceItem: {
            /**
             * @description Text below the title.
             * @example Sleeps a lot.
             */
            description?: string;
            displayCondition?: components["schemas"]["DisplayCondition"];
            /**
             * @description Id of the item.
             * @example itmCat
             */
            id: string;
            /**
             * @description Id of the edge that leaves the item. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Address of the picture.
             * @example https://files.example.com/cat.png
             */
            pictureSrc?: string;
            /**
             * @description Title below the picture.
             * @example Cat
             */
            title?: string;
            /**
             * @description Text stored as the answer. Default: the title, else the picture.
             * @example cat
             */
            value?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Send an event to the Meta pixel. */
        PixelAction: {
            /** @description True if the client must continue the chat with the outcome. */
            expectsDedicatedReply?: boolean;
            /**
             * @description Run the action after this bubble; absent means before all.
             * @example block-hello
             */
            lastBubbleBlockId?: string;
            /**
             * @description Options of the block, with placeholders filled in.
             * @example {}
             */
            pixel: {
                [key: string]: unknown;
            };
            /**
             * @description Kind of the action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "pixel";
        };
        /** @description Sends an event to the Meta pixel. Works only on a host that serves chats alone. */
        PixelBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["PixelOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Pixel";
        } & {
            [key: string]: unknown;
        };
        /** @description Pixel and the event to send. */
        PixelOptions: {
            /**
             * @description Standard event, or Custom for the event in `name`. If missing, the block sends only the page view.
             * @enum {string}
             */
            eventType?: "Lead" | "Contact" | "CompleteRegistration" | "Schedule" | "SubmitApplication" | "ViewContent" | "AddPaymentInfo" | "AddToCart" | "AddToWishlist" | "CustomizeProduct" | "Donate" | "FindLocation" | "InitiateCheckout" | "Purchase" | "Search" | "StartTrial" | "Subscribe" | "Custom";
            /** @description True if the page has loaded the pixel already. Default false. */
            isInitSkip?: boolean;
            /**
             * @description Name of the event, with eventType Custom.
             * @example BookedDemo
             */
            name?: string;
            /** @description Parameters of the event. */
            params?: components["schemas"]["PixelParameter"][];
            /**
             * @description Id of the pixel.
             * @example 123456789012345
             */
            pixelId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A parameter of the event. */
        PixelParameter: {
            /**
             * @description Id of the entry.
             * @example prmValue
             */
            id: string;
            /**
             * @description Name of the parameter.
             * @example currency
             */
            key?: string;
            /**
             * @description Value of the parameter: any JSON value.
             * @example EUR
             */
            value?: unknown;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description A plain text, short for a text message.
         * @example Ada
         */
        PlainMessage: string;
        /** @description Works with PostHog. Chats run it, with credentials of type posthog. Versions 6 and 6.1 only. */
        PostHogBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["PostHogOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "posthog";
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type posthog. */
        PostHogCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["PostHogData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "posthog";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type posthog. */
        PostHogCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["PostHogData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "posthog";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A project of PostHog. */
        PostHogData: {
            /**
             * Format: password
             * @description Key of the project.
             * @example phc_example
             */
            apiKey: string;
            /**
             * Format: uri
             * @description Address of PostHog. Default https://us.i.posthog.com.
             * @example https://eu.i.posthog.com
             */
            host?: string;
        };
        /** @description A group that the person belongs to. */
        PostHogGroup: {
            /**
             * @description Key of the group.
             * @example {{Company}}
             */
            key?: string;
            /**
             * @description Kind of group.
             * @example company
             */
            type?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Options of the PostHog block. The action decides which other properties apply. */
        PostHogOptions: {
            /**
             * @description Action of the block: Capture, Identify Group. The service preserves other texts. Without an action the block does nothing.
             * @example Capture
             */
            action?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /**
             * @description Id of the visitor at the vendor.
             * @example {{User ID}}
             */
            distinctId?: string;
            /**
             * @description With action Capture: name of the event.
             * @example lead
             */
            event?: string;
            /**
             * @description With action Identify Group: key of the group.
             * @example {{Company}}
             */
            groupKey?: string;
            /** @description With action Capture: groups that the person belongs to. */
            groups?: components["schemas"]["PostHogGroup"][];
            /**
             * @description With action Identify Group: kind of group.
             * @example company
             */
            groupType?: string;
            /** @description With action Capture: true if the event has no person profile. */
            isAnonymous?: boolean;
            /** @description With action Capture: properties of the person. */
            personProperties?: components["schemas"]["KeyValuePair"][];
            /** @description Details of the event or of the group. */
            properties?: components["schemas"]["KeyValuePair"][];
        } & {
            [key: string]: unknown;
        };
        /** @description The record is not in the state that `If-Match` or `If-None-Match` requires; nothing was changed. The issue and the header `ETag` have its current tag: read the record again and repeat the change on that state. */
        PreconditionFailedErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "PRECONDITION_FAILED";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Precondition failed
             */
            message: string;
        };
        /** @description One copy of a bot that was published. It never changes. */
        Publication: components["schemas"]["PublicationV3"] | components["schemas"]["PublicationV4"] | components["schemas"]["PublicationV5"] | components["schemas"]["PublicationV6"] | components["schemas"]["PublicationV61"];
        /** @description One publication with its flow. */
        PublicationBody: {
            publication: components["schemas"]["Publication"];
        };
        /** @description A page of publications. */
        PublicationPage: {
            /**
             * @description Send it as `cursor` to get the following page; null on the last page.
             * @example AZx0mC1jZ3JhbnQ
             */
            nextCursor: string | null;
            /** @description The publications, newest first. */
            publications: components["schemas"]["PublicationSummary"][];
        };
        /** @description A publication in a list, without its flow. */
        PublicationSummary: {
            /**
             * Format: date-time
             * @description When it was published.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description Id of the publication.
             * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
             */
            id: string;
            /** @description True if new chats run this publication. */
            isLive: boolean;
            /**
             * @description Id of the user who published it.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            publishedBy: string;
            /**
             * @description Version of the schema the flow is written in.
             * @enum {string}
             */
            version: "3" | "4" | "5" | "6" | "6.1";
        };
        /** @description A publication whose flow is written in version 3. */
        PublicationV3: {
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * Format: date-time
             * @description When it was published.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Null, because the start is a block of a group. An empty list is valid too. */
            events: components["schemas"]["FlowEvent"][] | null;
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["LegacyGroup"][];
            /**
             * @description Id of the publication.
             * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
             */
            id: string;
            /** @description True if new chats run this publication. */
            isLive: boolean;
            /**
             * @description Id of the user who published it.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            publishedBy: string;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "3";
            /** @description Findings of the check when it was published; they never prevent publishing. */
            warnings: components["schemas"]["FlowFinding"][];
        };
        /** @description A publication whose flow is written in version 4. */
        PublicationV4: {
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * Format: date-time
             * @description When it was published.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Null, because the start is a block of a group. An empty list is valid too. */
            events: components["schemas"]["FlowEvent"][] | null;
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["LegacyGroup"][];
            /**
             * @description Id of the publication.
             * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
             */
            id: string;
            /** @description True if new chats run this publication. */
            isLive: boolean;
            /**
             * @description Id of the user who published it.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            publishedBy: string;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "4";
            /** @description Findings of the check when it was published; they never prevent publishing. */
            warnings: components["schemas"]["FlowFinding"][];
        };
        /** @description A publication whose flow is written in version 5. */
        PublicationV5: {
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * Format: date-time
             * @description When it was published.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Null, because the start is a block of a group. An empty list is valid too. */
            events: components["schemas"]["FlowEvent"][] | null;
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["LegacyGroup"][];
            /**
             * @description Id of the publication.
             * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
             */
            id: string;
            /** @description True if new chats run this publication. */
            isLive: boolean;
            /**
             * @description Id of the user who published it.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            publishedBy: string;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "5";
            /** @description Findings of the check when it was published; they never prevent publishing. */
            warnings: components["schemas"]["FlowFinding"][];
        };
        /** @description A publication whose flow is written in version 6. */
        PublicationV6: {
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * Format: date-time
             * @description When it was published.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Events that begin the branches of the flow. The first event, and only the first, is the start event. */
            events: components["schemas"]["FlowEvent"][];
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["Group"][];
            /**
             * @description Id of the publication.
             * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
             */
            id: string;
            /** @description True if new chats run this publication. */
            isLive: boolean;
            /**
             * @description Id of the user who published it.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            publishedBy: string;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "6";
            /** @description Findings of the check when it was published; they never prevent publishing. */
            warnings: components["schemas"]["FlowFinding"][];
        };
        /** @description A publication whose flow is written in version 6.1. */
        PublicationV61: {
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * Format: date-time
             * @description When it was published.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Events that begin the branches of the flow. The first event, and only the first, is the start event. */
            events: components["schemas"]["FlowEvent"][];
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["Group"][];
            /**
             * @description Id of the publication.
             * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
             */
            id: string;
            /** @description True if new chats run this publication. */
            isLive: boolean;
            /**
             * @description Id of the user who published it.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            publishedBy: string;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "6.1";
            /** @description Findings of the check when it was published; they never prevent publishing. */
            warnings: components["schemas"]["FlowFinding"][];
        };
        /** @description Lets every user with an account read the bot. */
        PublicShare: {
            /** @description True if the bot is shared. Default false. */
            isEnabled?: boolean;
        } & {
            [key: string]: unknown;
        };
        /** @description Says that the bot is published, with findings of the check. */
        PublishedBody: {
            /**
             * Format: int32
             * @description Number of findings that keep a chat from doing what the flow says. Check a bot lists them.
             * @example 0
             */
            errorsFound: number;
            /** @description The first ten errors. Check a bot lists all findings. */
            firstErrors: components["schemas"]["FlowFinding"][];
            /**
             * @description Confirms success.
             * @enum {string}
             */
            message: "success";
            /**
             * Format: int32
             * @description Number of findings that the author probably did not mean. Check a bot lists them.
             * @example 0
             */
            warningsFound: number;
        };
        /** @description The copy of a bot that chats run. */
        PublishedBot: components["schemas"]["PublishedBotV3"] | components["schemas"]["PublishedBotV4"] | components["schemas"]["PublishedBotV5"] | components["schemas"]["PublishedBotV6"] | components["schemas"]["PublishedBotV61"];
        /** @description The published copy of a bot. */
        PublishedBotBody: {
            publishedBot: components["schemas"]["PublishedBot"];
            /**
             * @description Version in which the copy was published, also if the response is converted.
             * @enum {string}
             */
            version: "3" | "4" | "5" | "6" | "6.1";
        };
        /** @description The published copy of a bot whose flow is written in version 3. */
        PublishedBotV3: {
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * Format: date-time
             * @description When the bot was first published.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Null, because the start is a block of a group. An empty list is valid too. */
            events: components["schemas"]["FlowEvent"][] | null;
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["LegacyGroup"][];
            /**
             * @description Id of the published copy; it stays when the bot is published again.
             * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
             */
            id: string;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /**
             * Format: date-time
             * @description When the bot was last published.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "3";
        };
        /** @description The published copy of a bot whose flow is written in version 4. */
        PublishedBotV4: {
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * Format: date-time
             * @description When the bot was first published.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Null, because the start is a block of a group. An empty list is valid too. */
            events: components["schemas"]["FlowEvent"][] | null;
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["LegacyGroup"][];
            /**
             * @description Id of the published copy; it stays when the bot is published again.
             * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
             */
            id: string;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /**
             * Format: date-time
             * @description When the bot was last published.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "4";
        };
        /** @description The published copy of a bot whose flow is written in version 5. */
        PublishedBotV5: {
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * Format: date-time
             * @description When the bot was first published.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Null, because the start is a block of a group. An empty list is valid too. */
            events: components["schemas"]["FlowEvent"][] | null;
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["LegacyGroup"][];
            /**
             * @description Id of the published copy; it stays when the bot is published again.
             * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
             */
            id: string;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /**
             * Format: date-time
             * @description When the bot was last published.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "5";
        };
        /** @description The published copy of a bot whose flow is written in version 6. */
        PublishedBotV6: {
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * Format: date-time
             * @description When the bot was first published.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Events that begin the branches of the flow. The first event, and only the first, is the start event. */
            events: components["schemas"]["FlowEvent"][];
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["Group"][];
            /**
             * @description Id of the published copy; it stays when the bot is published again.
             * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
             */
            id: string;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /**
             * Format: date-time
             * @description When the bot was last published.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "6";
        };
        /** @description The published copy of a bot whose flow is written in version 6.1. */
        PublishedBotV61: {
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * Format: date-time
             * @description When the bot was first published.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Events that begin the branches of the flow. The first event, and only the first, is the start event. */
            events: components["schemas"]["FlowEvent"][];
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["Group"][];
            /**
             * @description Id of the published copy; it stays when the bot is published again.
             * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
             */
            id: string;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /**
             * Format: date-time
             * @description When the bot was last published.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            version: "6.1";
        };
        /** @description Works with QR codes. Chats run it. Versions 6 and 6.1 only. */
        QrCodeBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["QrCodeOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "qr-code";
        } & {
            [key: string]: unknown;
        };
        /** @description Options of the QR codes block. The action decides which other properties apply. */
        QrCodeOptions: {
            /**
             * @description Action of the block: Generate a QR Code. The service preserves other texts. Without an action the block does nothing.
             * @example Generate a QR Code
             */
            action?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /**
             * @description Content of the code.
             * @example https://www.example.com/ticket/{{Ticket}}
             */
            data?: string;
            /**
             * @description Id of the variable that stores the address of the picture.
             * @example varQrCode
             */
            saveUrlInVariableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Custom icon of the steps. */
        RatingIcon: {
            /** @description True if the steps show the custom icon. Default false. */
            isEnabled?: boolean;
            /**
             * @description The icon as SVG source.
             * @example <svg viewBox="0 0 2 2"><circle cx="1" cy="1" r="1"/></svg>
             */
            svg?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Asks for a rating on a scale. */
        RatingInput: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["RatingInputOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "rating input";
        } & {
            [key: string]: unknown;
        };
        /** @description Texts of a rating input. */
        RatingInputLabels: {
            /**
             * @description Text of the button that sends the answer. Default Send.
             * @example Send
             */
            button?: string;
            /**
             * @description Text at the low end.
             * @example Not at all
             */
            left?: string;
            /**
             * @description Text at the high end.
             * @example Very much
             */
            right?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Scale of a rating input. */
        RatingInputOptions: {
            /**
             * @description Display of the steps of the scale. Default Numbers.
             * @enum {string}
             */
            buttonType?: "Icons" | "Numbers";
            customIcon?: components["schemas"]["RatingIcon"];
            /** @description True if a click on a step sends the answer. Default false. */
            isOneClickSubmitEnabled?: boolean;
            labels?: components["schemas"]["RatingInputLabels"];
            /**
             * Format: double
             * @description Last step of the scale. Answers must be whole steps from the first to the last. Default 10.
             * @example 5
             */
            length?: number;
            /**
             * @description First step of the scale. Default 0. A number, or a text that is one {{variable}} or reads as a number.
             * @example 1
             */
            startsAt?: number | string;
            /**
             * @description Id of the variable that stores the answer.
             * @example varEmail
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Open an address in the browser. */
        RedirectAction: {
            /** @description True if the client must continue the chat with the outcome. */
            expectsDedicatedReply?: boolean;
            /**
             * @description Run the action after this bubble; absent means before all.
             * @example block-hello
             */
            lastBubbleBlockId?: string;
            redirect: components["schemas"]["RedirectDetails"];
            /**
             * @description Kind of the action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "redirect";
        };
        /** @description Opens another page in the browser. */
        RedirectBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["RedirectOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Redirect";
        } & {
            [key: string]: unknown;
        };
        /** @description The address to open. */
        RedirectDetails: {
            /** @description True to open a new tab. */
            isNewTab?: boolean;
            /**
             * @description The address.
             * @example https://example.com
             */
            url: string;
        };
        /** @description Page that the block opens. */
        RedirectOptions: {
            /** @description True if the page opens in a new tab. Default false. */
            isNewTab?: boolean;
            /**
             * @description Address of the page; may hold placeholders.
             * @example https://www.example.com/thanks
             */
            url?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Lets a returning visitor continue the earlier conversation. */
        RememberUser: {
            /** @description True if the browser remembers the conversation. Default false. */
            isEnabled?: boolean;
            /**
             * @description Browser storage of the conversation: until the tab closes (session), or without end (local). Default session.
             * @enum {string}
             */
            storage?: "session" | "local";
        } & {
            [key: string]: unknown;
        };
        /** @description Begins a branch before the bot processes each answer. */
        ReplyEvent: {
            graphCoordinates: components["schemas"]["Coordinates"];
            /**
             * @description Id of the event.
             * @example evtStart
             */
            id: string;
            options?: components["schemas"]["ReplyEventOptions"];
            /**
             * @description Id of the edge that leaves the event. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the event.
             * @enum {string}
             */
            type: "reply";
        } & {
            [key: string]: unknown;
        };
        /** @description Variables that describe the answer. */
        ReplyEventOptions: {
            /**
             * @description Id of the variable that stores the answer.
             * @example varAnswer
             */
            contentVariableId?: string;
            /**
             * @description Id of the variable that stores the name of the input.
             * @example varInputName
             */
            inputNameVariableId?: string;
            /**
             * @description Id of the variable that stores the type of the input.
             * @example varInputType
             */
            inputTypeVariableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The request line and headers are over 16 KiB together, or there are more than 100 headers. Send fewer or shorter headers. */
        RequestHeaderFieldsTooLargeErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "REQUEST_HEADER_FIELDS_TOO_LARGE";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Request header fields too large
             */
            message: string;
        };
        /** @description The request did not arrive completely in time. Send it again. */
        RequestTimeoutErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "REQUEST_TIMEOUT";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Request timeout
             */
            message: string;
        };
        /** @description The answers of one visitor in one chat. */
        Result: {
            /** @description The answers, in the order they were given. */
            answers: components["schemas"]["Answer"][];
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * Format: date-time
             * @description When the chat started.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /** @description True if at least one answer was given. */
            hasStarted: boolean;
            /**
             * @description Id of the result, as the list of results returns it.
             * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
             */
            id: string;
            /** @description Always false: archived results are not shown. */
            isArchived: boolean;
            /** @description True if the chat reached an end and had at least one answer. */
            isCompleted: boolean;
            /**
             * @description Id of the chat session that wrote last; null when none did.
             * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
             */
            lastChatSessionId: string | null;
            /** @description Variables that have a value. */
            variables: components["schemas"]["ResultVariable"][];
        };
        /** @description A turn of a chat stored answers. */
        ResultAnsweredEvent: {
            data: components["schemas"]["AnsweredResultEventData"];
            /**
             * Format: date-time
             * @description Time of the event. Events of one bot come in order, but not always by this time.
             * @example 2026-03-04T10:15:30.120Z
             */
            timestamp: string;
            /**
             * @description The type of the event.
             * @example result.answered
             * @enum {string}
             */
            type: "result.answered";
        };
        /** @description One result with its answers. */
        ResultBody: {
            result: components["schemas"]["Result"];
        };
        /** @description A chat with at least one answer reached an end. */
        ResultCompletedEvent: {
            data: components["schemas"]["ResultEventData"];
            /**
             * Format: date-time
             * @description Time of the event. Events of one bot come in order, but not always by this time.
             * @example 2026-03-04T10:15:30.120Z
             */
            timestamp: string;
            /**
             * @description The type of the event.
             * @example result.completed
             * @enum {string}
             */
            type: "result.completed";
        };
        /** @description A result without its variables; read it to see them. */
        ResultEventData: {
            /**
             * @description Id of the bot.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * Format: date-time
             * @description When the chat started.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description True if at least one answer was given.
             * @example true
             */
            hasStarted: boolean;
            /**
             * @description Id of the result.
             * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
             */
            id: string;
            /**
             * @description True if the chat reached an end and had at least one answer.
             * @example false
             */
            isCompleted: boolean;
            /**
             * @description Id of the chat session that wrote last.
             * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
             */
            lastChatSessionId: string;
        };
        /** @description An example of the data that a block sends. */
        ResultExampleBody: {
            /**
             * @description Made-up values by name.
             * @example {
             *       "Email": "ada@example.com"
             *     }
             */
            resultExample: {
                [key: string]: string;
            };
        };
        /** @description A log entry of a chat. */
        ResultLog: {
            /**
             * @description Location of the event, or null.
             * @example Group Welcome
             */
            context: string | null;
            /**
             * Format: date-time
             * @description Time of the entry.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description Description of the event.
             * @example The mail was not sent
             */
            description: string;
            /**
             * @description Further details, or null.
             * @example Connection refused
             */
            details: string | null;
            /**
             * @description Id of the entry.
             * @example 01jr5x8m6w7e1z5d0v2x4y6a8c
             */
            id: string;
            /**
             * @description Id of the result, as the list of results returns it.
             * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
             */
            resultId: string;
            /**
             * @description Kind of the entry: `error`, `success`, `info`, or any text that a client sent.
             * @example error
             */
            status: string;
        };
        /** @description A page of the log of a result. */
        ResultLogPage: {
            /** @description The entries, newest first. */
            logs: components["schemas"]["ResultLog"][];
            /**
             * @description Send it as `cursor` to get the following page; null on the last page.
             * @example AZx0mC1jZ3JhbnQ
             */
            nextCursor: string | null;
        };
        /** @description A page of the results of a bot. */
        ResultPage: {
            /**
             * @description Send it as `cursor` to get the following page; null on the last page.
             * @example AZx0mC1jZ3JhbnQ
             */
            nextCursor: string | null;
            /** @description The results, newest first. */
            results: components["schemas"]["Result"][];
        };
        /** @description Results were deleted. */
        ResultsDeletedEvent: {
            data: components["schemas"]["DeletedResultsEventData"];
            /**
             * Format: date-time
             * @description Time of the event. Events of one bot come in order, but not always by this time.
             * @example 2026-03-04T10:15:30.120Z
             */
            timestamp: string;
            /**
             * @description The type of the event.
             * @example results.deleted
             * @enum {string}
             */
            type: "results.deleted";
        };
        /** @description Layout of the table of results in an editor. */
        ResultsTablePreferences: {
            /**
             * @description Ids of the columns from left to right.
             * @example [
             *       "date",
             *       "email"
             *     ]
             */
            columnsOrder: string[];
            /**
             * @description Visibility of a column, by its id.
             * @example {
             *       "email": true
             *     }
             */
            columnsVisibility: {
                [key: string]: boolean;
            };
            /**
             * @description Width of a column in CSS pixels, by its id.
             * @example {
             *       "email": 240
             *     }
             */
            columnsWidth: {
                [key: string]: number;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description A visitor gave the first answer of a chat. */
        ResultStartedEvent: {
            data: components["schemas"]["ResultEventData"];
            /**
             * Format: date-time
             * @description Time of the event. Events of one bot come in order, but not always by this time.
             * @example 2026-03-04T10:15:30.120Z
             */
            timestamp: string;
            /**
             * @description The type of the event.
             * @example result.started
             * @enum {string}
             */
            type: "result.started";
        };
        /** @description A variable and its last value in the chat. */
        ResultVariable: {
            /**
             * @description Id of the variable.
             * @example variable-email
             */
            id: string;
            /** @description True if the variable lives only as long as the chat. */
            isSessionVariable?: boolean;
            /**
             * @description Name of the variable.
             * @example Email
             */
            name: string;
            /**
             * @description Value of the variable: a text, or a list whose entries are texts or null.
             * @example ada@example.com
             */
            value: unknown;
        };
        /** @description Returns to the origin of the last jump or event. Has no options. */
        ReturnBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Return";
        } & {
            [key: string]: unknown;
        };
        /** @description A text as a tree of formatted nodes. */
        RichTextContent: {
            /** @description The nodes; elements have `type` and `children`, leaves have `text`. */
            richText: unknown[];
            /**
             * @description A tree of nodes. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "richText";
        };
        /** @description The new secret of an endpoint, shown this once. */
        RotatedWebhookSecret: {
            /**
             * @description Id of the endpoint, as create and list return it.
             * @example 01jr5xam8y9g3b7f2x4z6a8c0e
             */
            endpointId: string;
            /**
             * Format: date-time
             * @description End of the previous secret, 24 hours from now; until then events are signed with both.
             * @example 2026-03-04T10:15:30.120Z
             */
            previousSecretExpiresAt: string;
            /**
             * @description The key of the signatures, in the form of Standard Webhooks. It is shown only here.
             * @example whsec_EXAMPLEexampleEXAMPLEexampleEXAMPLEexample0=
             */
            secret: string;
        };
        /** @description Entries of the log of a chat client. */
        SaveClientLogsBody: {
            /** @description The entries, in order. */
            clientLogs: components["schemas"]["ClientLog"][];
        };
        /** @description Run a script on the client. */
        ScriptAction: {
            /** @description True if the client must continue the chat with the outcome. */
            expectsDedicatedReply?: boolean;
            /**
             * @description Run the action after this bubble; absent means before all.
             * @example block-hello
             */
            lastBubbleBlockId?: string;
            scriptToExecute: components["schemas"]["ClientScript"];
            /**
             * @description Kind of the action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "scriptToExecute";
        };
        /** @description An argument of a script. */
        ScriptArgument: {
            /**
             * @description Name of the parameter.
             * @example name
             */
            id: string;
            /**
             * @description Value of the argument.
             * @example Ada
             */
            value?: unknown;
        };
        /** @description A script for the client to run. */
        ScriptHolder: {
            scriptToExecute: components["schemas"]["ClientScript"];
        };
        /** @description Restricts the pages that may embed the chat. */
        SecuritySettings: {
            /**
             * @description Origins of pages that may embed the chat. If missing or empty, any page may.
             * @example [
             *       "https://www.example.com"
             *     ]
             */
            allowedOrigins?: string[];
        } & {
            [key: string]: unknown;
        };
        /** @description Works with Segment. Chats run it, with credentials of type segment. Versions 6 and 6.1 only. */
        SegmentBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["SegmentOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "segment";
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type segment. */
        SegmentCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "segment";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type segment. */
        SegmentCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "segment";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description Options of the Segment block. The action decides which other properties apply. */
        SegmentOptions: {
            /**
             * @description Action of the block: Alias, Identify User, Page, Track. The service preserves other texts. Without an action the block does nothing.
             * @example Alias
             */
            action?: string;
            /**
             * @description With action Page: category of the page.
             * @example Bot
             */
            category?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /**
             * @description E-mail address of the visitor.
             * @example {{Email}}
             */
            email?: string;
            /**
             * @description With action Track: name of the event.
             * @example Lead
             */
            eventName?: string;
            /**
             * @description With action Page: name of the reported page.
             * @example Pricing
             */
            name?: string;
            /**
             * @description With action Alias: earlier id of the visitor.
             * @example {{Old ID}}
             */
            previousId?: string;
            /** @description With the actions Page and Track: properties of the event. */
            properties?: components["schemas"]["KeyValuePair"][];
            /** @description With action Identify User: traits of the visitor. */
            traits?: components["schemas"]["KeyValuePair"][];
            /**
             * @description Id of the visitor at the vendor; may hold placeholders.
             * @example {{User ID}}
             */
            userId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A message as the visitor sees it. */
        SentMessageBody: {
            /** @description The bubbles that the visitor sees: the text, then each file. */
            messages: components["schemas"]["MessageBubble"][];
        };
        /** @description The database cannot be reached or is overloaded. As a rule nothing was changed; it may have been if the connection to the database was lost at the very end. Try again after Retry-After seconds, a POST or PATCH with the same Idempotency-Key. If something else is missing, an issue names it. */
        ServiceUnavailableErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "SERVICE_UNAVAILABLE";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Service unavailable
             */
            message: string;
        };
        /** @description An event of a chat session. */
        SessionEvent: components["schemas"]["SessionTurnEvent"] | components["schemas"]["SessionMessageEvent"] | components["schemas"]["SessionHandledEvent"] | components["schemas"]["SessionTypingEvent"] | components["schemas"]["SessionOverEvent"];
        /** @description Events of a chat session. */
        SessionEventsBody: {
            /** @description The events since then, in order; the last one says who handles the chat, or that it is over. */
            events: components["schemas"]["SessionEvent"][];
        };
        /** @description The first event of a stream, and sent whenever the chat changes hands. */
        SessionHandledEvent: {
            /**
             * @description The one who handles the chat now.
             * @enum {string}
             */
            handledBy: "bot" | "waiting" | "member";
            /**
             * @description Id of the event, to continue from.
             * @example 3.1
             */
            id: string;
            /**
             * @description Name of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "handled";
        };
        /** @description A member wrote to the visitor. */
        SessionMessageEvent: {
            /**
             * @description Id of the event, to continue from.
             * @example 3.1
             */
            id: string;
            /** @description The message, as it is shown. */
            turns: components["schemas"]["ChatTurn"][];
            /**
             * @description Name of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "message";
        };
        /** @description The chat has ended, or no longer exists: the last event. */
        SessionOverEvent: {
            /**
             * @description Id of the event, to continue from.
             * @example 3.1
             */
            id: string;
            /**
             * @description Name of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "over";
        };
        /** @description A turn of the chat, in any client. */
        SessionTurnEvent: {
            /**
             * @description Id of the event, to continue from.
             * @example 3.1
             */
            id: string;
            /** @description Messages of the visitor in this turn. */
            said: components["schemas"]["ChatTurn"][];
            /**
             * @description The turn, a `ContinuedChatBody`.
             * @example {
             *       "messages": [],
             *       "revision": 3
             *     }
             */
            step: {
                [key: string]: unknown;
            };
            /**
             * @description Name of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "turn";
        };
        /** @description A member is typing, or has stopped without a message. Only streams have it. A message and a change of hands end it, too. */
        SessionTypingEvent: {
            /**
             * @description Id of the event, to continue from.
             * @example 3.1
             */
            id: string;
            /**
             * Format: double
             * @description Seconds for which a client shows it, unless another one comes before; 0 ends it.
             * @example 6
             */
            seconds: number;
            /**
             * @description Name of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "typing";
        };
        /** @description Behaviour of a bot. All versions have the same shape. */
        Settings: {
            consent?: components["schemas"]["ConsentSettings"];
            general?: components["schemas"]["GeneralSettings"];
            messaging?: components["schemas"]["MessagingSettings"];
            metadata?: components["schemas"]["BotMetadata"];
            publicShare?: components["schemas"]["PublicShare"];
            security?: components["schemas"]["SecuritySettings"];
            typingEmulation?: components["schemas"]["TypingEmulation"];
        } & {
            [key: string]: unknown;
        };
        /** @description Compute a value and continue with it. */
        SetVariableAction: {
            /** @description True if the client must continue the chat with the outcome. */
            expectsDedicatedReply?: boolean;
            /**
             * @description Run the action after this bubble; absent means before all.
             * @example block-hello
             */
            lastBubbleBlockId?: string;
            setVariable: components["schemas"]["ScriptHolder"];
            /**
             * @description Kind of the action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "setVariable";
        };
        /** @description Sets the value of a variable. */
        SetVariableBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["SetVariableOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Set variable";
        } & {
            [key: string]: unknown;
        };
        /** @description Variable and the value it gets. The type decides the source of the value and which other properties apply. */
        SetVariableOptions: {
            /**
             * @description With type Custom: purpose of the code.
             * @example Adds tax to the price
             */
            expressionDescription?: string;
            /**
             * @description With type Custom: the text or the code that gives the value.
             * @example Hello {{Name}}
             */
            expressionToEvaluate?: string;
            /** @description With type Custom: true if the expression is code. Default false. */
            isCode?: boolean;
            /** @description True if code runs in the browser of the visitor. Default false. */
            isExecutedOnClient?: boolean;
            /** @description True if the code is marked as from an unknown author. */
            isUnsafe?: boolean;
            /**
             * @description With type Append value(s): the value to append.
             * @example {{Answer}}
             */
            item?: string;
            mapListItemParams?: components["schemas"]["MapListItemParameters"];
            /**
             * @description Id of the variable that stores the error when code of type Custom fails.
             * @example varError
             */
            saveErrorInVariableId?: string;
            /**
             * @description Id of the variable that stores the removed entry, with type Pop or Shift.
             * @example varLast
             */
            saveItemInVariableId?: string;
            /**
             * @description With type Now, Yesterday or Tomorrow: IANA time zone.
             * @example Europe/Paris
             */
            timeZone?: string;
            /**
             * @description Source of the value. Default Custom.
             * @enum {string}
             */
            type?: "Custom" | "Empty" | "Append value(s)" | "Environment name" | "Device type" | "Transcript" | "User ID" | "Result ID" | "Now" | "Today" | "Yesterday" | "Tomorrow" | "Random ID" | "Moment of the day" | "Map item with same index" | "Pop" | "Shift" | "Phone number" | "Contact name" | "Referral Click ID" | "Referral Source ID";
            /**
             * @description Id of the variable that is set.
             * @example varEmail
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A cell of one row, named by its column. */
        SheetCell: {
            /**
             * @description Title of the column.
             * @example Email
             */
            column?: string;
            /**
             * @description Id of the entry.
             * @example celEmail
             */
            id: string;
            /**
             * @description Value of the cell; may hold placeholders.
             * @example {{Email}}
             */
            value?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Compares a cell of the row with a text. */
        SheetComparison: {
            /**
             * @description Title of the column.
             * @example Email
             */
            column?: string;
            comparisonOperator?: components["schemas"]["ComparisonOperator"];
            /**
             * @description Id of the comparison.
             * @example cmpEmail
             */
            id: string;
            /**
             * @description The text to compare with; may hold placeholders.
             * @example {{Email}}
             */
            value?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Stores one column of the found rows in a variable. */
        SheetExtraction: {
            /**
             * @description Title of the column.
             * @example Price
             */
            column?: string;
            /**
             * @description Id of the entry.
             * @example extPrice
             */
            id: string;
            /**
             * @description Id of the variable that stores the cells.
             * @example varPrice
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Selects rows by their cells. */
        SheetFilter: {
            /** @description Comparisons with the cells of a row. */
            comparisons?: components["schemas"]["SheetComparison"][];
            logicalOperator?: components["schemas"]["LogicalOperator"];
        } & {
            [key: string]: unknown;
        };
        /** @description The path that an A/B test takes. Several for one test are taken in order, and the last one from then on. */
        SimulatedBranch: {
            /**
             * @description Id of the A/B test.
             * @example block-test
             */
            blockId: string;
            /**
             * @description The path that is taken.
             * @enum {string}
             */
            path: "a" | "b";
        };
        /** @description A chat that was simulated as a whole. Its session is not stored, so it is not found. */
        SimulatedChat: {
            /** @description The answers, in order. */
            answers: components["schemas"]["Answer"][];
            /**
             * @description Ids of the blocks of this bot that ran.
             * @example [
             *       "block-hello"
             *     ]
             */
            blockIds: string[];
            /**
             * @description Ids of the edges of this bot that were taken.
             * @example [
             *       "edge-start"
             *     ]
             */
            edgeIds: string[];
            /**
             * @description True if the simulation was stopped before its last reply: at 2 s of work, 20 s in all, or 8 MB.
             * @example false
             */
            isIncomplete: boolean;
            /**
             * @description True if the chat has ended.
             * @example true
             */
            isOver: boolean;
            /**
             * @description Id of the block that the chat waits at, or that ran last; null if none ran.
             * @example block-hello
             */
            lastBlockId: string | null;
            /**
             * @description Id of the publication that ran; null for the draft.
             * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
             */
            publicationId: string | null;
            /** @description Requests that the bot would have sent. */
            requests: components["schemas"]["SimulatedRequest"][];
            /** @description The turn after each reply, in order. */
            steps: components["schemas"]["ContinuedChatBody"][];
            /** @description The transcript, in order. */
            transcript: components["schemas"]["TranscriptEntry"][];
            /** @description Variables that have a value at the end, session variables included. */
            variables: components["schemas"]["ResultVariable"][];
        };
        /** @description One reply of the visitor. */
        SimulatedReply: {
            /**
             * Format: date-time
             * @description Time of the turn on the clock of the bot; absent means that of the turn before.
             * @example 2026-03-05T12:30:00Z
             */
            at?: string;
            /**
             * @description The reply, as continue chat takes it; absent or null skips an optional input, or confirms that an awaited action is done.
             * @example ada@example.com
             */
            message?: components["schemas"]["Message"] | null;
        };
        /** @description A request that the bot would have sent. */
        SimulatedRequest: {
            /**
             * @description Id of the block that sent it.
             * @example block-prices
             */
            blockId: string;
            /**
             * @description Body, cut at 10,000 characters; absent where there is none, or the block has credentials.
             * @example {"plan":"basic"}
             */
            body?: string;
            /**
             * @description True if a response was given for it. E-mails need none.
             * @example true
             */
            isAnswered: boolean;
            /**
             * @description Kind of the request.
             * @enum {string}
             */
            kind: "request" | "model" | "email";
            /**
             * @description Method of a request; `POST` for all else.
             * @example POST
             */
            method: string;
            /**
             * Format: int32
             * @description The turn in which it was sent: 0 for the start, then the position of the reply.
             * @example 1
             */
            step: number;
            /**
             * @description Address, cut at 10,000 characters; that of an e-mail begins with `mailto:`.
             * @example https://api.example.com/prices
             */
            url: string;
        };
        /** @description The response to requests of a block, an address, or both. If several fit, each is given once, in order, and the last one to all further requests. */
        SimulatedResponse: {
            /**
             * @description Id of the block that sends the request; absent means any.
             * @example block-prices
             */
            blockId?: string;
            /**
             * @description Body of the response: a text is sent as it is, other values as JSON. For a language model, the text that it writes.
             * @example {
             *       "price": 12
             *     }
             */
            body?: unknown;
            /**
             * @description Failure in place of a response.
             * @enum {string}
             */
            failure?: "refused" | "time" | "size" | "network";
            /**
             * Format: int32
             * @description Status of the response.
             * @default 200
             * @example 200
             */
            status?: number;
            /**
             * @description Beginning of the address of the request; absent means any.
             * @example https://api.example.com/prices
             */
            url?: string;
        };
        /** @description A chat that is run at once from the given data. Nothing is sent or stored. */
        Simulation: {
            /**
             * @description Paths of A/B tests. Other tests choose by the seed.
             * @default []
             */
            branches?: components["schemas"]["SimulatedBranch"][];
            /**
             * @description The state to run: `draft`, `published`, or the id of a publication. Default `draft`.
             * @default draft
             * @example draft
             */
            of?: string;
            /**
             * @description The replies, in order. Those after the end of the chat are left out.
             * @default []
             */
            replies?: components["schemas"]["SimulatedReply"][];
            /**
             * @description The responses to requests of the bot. A request without one fails as a lost connection.
             * @default []
             */
            responses?: components["schemas"]["SimulatedResponse"][];
            /**
             * Format: int32
             * @description Seed of random numbers and ids.
             * @default 0
             * @example 0
             */
            seed?: number;
            /**
             * Format: date-time
             * @description Time of the first turn; the current time when absent.
             * @example 2026-03-05T12:30:00Z
             */
            startsAt?: string;
        };
        /** @description New credentials of type smtp. */
        SmtpCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["SmtpData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "smtp";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type smtp. */
        SmtpCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["SmtpData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "smtp";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description An account on a mail server. */
        SmtpData: {
            from: components["schemas"]["SmtpSender"];
            /**
             * @description Mail server.
             * @example mail.example.com
             */
            host: string;
            /** @description True to encrypt the connection from its beginning, as on port 465. Otherwise it is encrypted once the server offers that. Default false. */
            isTlsEnabled?: boolean;
            /**
             * Format: password
             * @description Password of the account.
             * @example example-password
             */
            password?: string;
            /**
             * Format: int32
             * @description Port of the mail server: 25, 465, 587 or 2525, or another one that the installation allows.
             * @example 587
             */
            port: number;
            /**
             * @description Name of the account.
             * @example bots
             */
            username?: string;
        };
        /** @description Sender of the e-mails. */
        SmtpSender: {
            /**
             * @description Address of the sender.
             * @example bots@example.com
             */
            email: string;
            /**
             * @description Name of the sender.
             * @example Acme bots
             */
            name?: string;
        };
        /** @description Start of a chat in versions 3, 4 and 5. Versions 6 and 6.1 accept and skip it: they begin at the start event. */
        StartBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            /**
             * @description Text on the block in the editor.
             * @example Start
             */
            label: string;
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "start";
        } & {
            [key: string]: unknown;
        };
        /** @description Options of a new chat; every property may be absent. */
        StartChatBody: {
            /**
             * @description Create the session without running the flow; the first continue runs it.
             * @default false
             */
            isOnlyRegistering?: boolean;
            /**
             * @description True to stream events from start and continue to requests that accept `text/event-stream`.
             * @default false
             */
            isStreamEnabled?: boolean;
            message?: components["schemas"]["Message"];
            /**
             * @description Values of variables, by variable name. Unknown names are ignored, null empties.
             * @example {}
             */
            prefilledVariables?: {
                [key: string]: unknown;
            };
            /**
             * @description Id of an earlier result of this visitor. It is continued if the settings remember visitors; otherwise ignored.
             * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
             */
            resultId?: string;
            /**
             * @description Format of the texts of the bot: a tree of formatted nodes, or Markdown.
             * @default richText
             * @enum {string}
             */
            textBubbleContentFormat?: "richText" | "markdown";
        };
        /** @description Compares the first message of a conversation with a text. */
        StartComparison: {
            comparisonOperator?: components["schemas"]["ComparisonOperator"];
            /**
             * @description Id of the comparison.
             * @example cmpHello
             */
            id: string;
            /**
             * @description The text to compare with.
             * @example hello
             */
            value?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Selects the first messages that start the bot on messaging channels. */
        StartCondition: {
            /** @description Comparisons with the first message. */
            comparisons: components["schemas"]["StartComparison"][];
            logicalOperator?: components["schemas"]["LogicalOperator"];
        } & {
            [key: string]: unknown;
        };
        /** @description The first turn of a chat. Without `input` and awaited action it is over. */
        StartedChatBody: {
            bot: components["schemas"]["ChatBot"];
            /** @description Actions of the client, in order; absent if there are none. */
            clientSideActions?: components["schemas"]["ClientSideAction"][];
            dynamicTheme?: components["schemas"]["DynamicTheme"];
            /**
             * @description True while events can come without a request of the visitor: people handle the chat, or a timer runs. Clients then follow the events of the session. Absent otherwise.
             * @example true
             */
            expectsEvents?: boolean;
            /**
             * @description Present while the bot does not handle the chat: it waits for a member, or a member handles it. The input is then a text for people; messages of members come with the session and its events.
             * @enum {string}
             */
            handledBy?: "waiting" | "member";
            input?: components["schemas"]["ChatInput"];
            /**
             * @description The reply as it was understood, if that differs from the sent one.
             * @example +33 1 23 45 67 89
             */
            lastMessageNewFormat?: string;
            /** @description Log of the turn, for developers of the client. */
            logs?: components["schemas"]["ChatLog"][];
            /** @description Messages of the bot, in order. */
            messages: components["schemas"]["MessageBubble"][];
            /**
             * Format: double
             * @description Progress of the chat in percent; only with the progress bar on.
             * @example 40
             */
            progress?: number;
            /**
             * @description Id of the result; absent while the chat is only registered, and in a preview.
             * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
             */
            resultId?: string;
            /**
             * Format: int32
             * @description Number of turns of the session. Send it with the reply: the same reply sent again then gets the same response instead of counting twice.
             * @example 1
             */
            revision: number;
            /**
             * @description Id of the chat session, needed to continue.
             * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
             */
            sessionId: string;
            /** @description The variables that have a value after the turn; in previews only. */
            variables?: components["schemas"]["ResultVariable"][];
        };
        /** @description The codes of a login, for the program and the user. */
        StartedDeviceLogin: {
            /**
             * @description The secret code of the program, as start device login returns it. Show it to nobody.
             * @example EXAMPLEexampleEXAMPLEexample00000000000000
             */
            deviceCode: string;
            /**
             * Format: int32
             * @description Seconds for which the codes work.
             * @example 600
             */
            expiresIn: number;
            /**
             * Format: int32
             * @description Minimum seconds to wait before the next request.
             * @example 5
             */
            interval: number;
            /**
             * @description Short code to show to the user, who compares it.
             * @example WDJB-MJHT
             */
            userCode: string;
            /**
             * @description The page on which the user enters the code.
             * @example http://localhost:3000/device
             */
            verificationUri: string;
            /**
             * @description The same page with the code filled in. Show the code nevertheless.
             * @example http://localhost:3000/device?code=WDJB-MJHT
             */
            verificationUriComplete: string;
        };
        /** @description The first turn of a preview. Without `input` and awaited action it is over. */
        StartedPreviewBody: {
            bot: components["schemas"]["ChatBot"];
            /** @description Actions of the client, in order; absent if there are none. */
            clientSideActions?: components["schemas"]["ClientSideAction"][];
            dynamicTheme?: components["schemas"]["DynamicTheme"];
            /**
             * @description True while events can come without a request of the visitor: people handle the chat, or a timer runs. Clients then follow the events of the session. Absent otherwise.
             * @example true
             */
            expectsEvents?: boolean;
            /**
             * @description Present while the bot does not handle the chat: it waits for a member, or a member handles it. The input is then a text for people; messages of members come with the session and its events.
             * @enum {string}
             */
            handledBy?: "waiting" | "member";
            input?: components["schemas"]["ChatInput"];
            /**
             * @description The reply as it was understood, if that differs from the sent one.
             * @example +33 1 23 45 67 89
             */
            lastMessageNewFormat?: string;
            /** @description Log of the turn, for developers of the client. */
            logs?: components["schemas"]["ChatLog"][];
            /** @description Messages of the bot, in order. */
            messages: components["schemas"]["MessageBubble"][];
            /**
             * Format: double
             * @description Progress of the chat in percent; only with the progress bar on.
             * @example 40
             */
            progress?: number;
            /**
             * @description Id of the result; absent while the chat is only registered, and in a preview.
             * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
             */
            resultId?: string;
            /**
             * Format: int32
             * @description Number of turns of the session. Send it with the reply: the same reply sent again then gets the same response instead of counting twice.
             * @example 1
             */
            revision: number;
            /**
             * @description Id of the chat session, needed to continue.
             * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
             */
            sessionId: string;
            simulation?: components["schemas"]["SimulatedChat"];
            /** @description The variables that have a value after the turn; in previews only. */
            variables?: components["schemas"]["ResultVariable"][];
        };
        /** @description Start of every chat. */
        StartEvent: {
            graphCoordinates: components["schemas"]["Coordinates"];
            /**
             * @description Id of the event.
             * @example evtStart
             */
            id: string;
            /**
             * @description Id of the edge that leaves the event. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the event.
             * @enum {string}
             */
            type: "start";
        } & {
            [key: string]: unknown;
        };
        /** @description Start position of a preview. */
        StartFrom: components["schemas"]["StartFromGroup"] | components["schemas"]["StartFromEvent"];
        /** @description Start at the target of an event. */
        StartFromEvent: {
            /**
             * @description Id of the event.
             * @example start-event
             */
            eventId: string;
            /**
             * @description Start at an event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "event";
        };
        /** @description Start at the first block of a group. */
        StartFromGroup: {
            /**
             * @description Id of the group.
             * @example group-welcome
             */
            groupId: string;
            /**
             * @description Start at a group. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "group";
        };
        /** @description Options of a preview; every property may be absent. */
        StartPreviewBody: {
            /**
             * @description Create the session without running the flow; the first continue runs it.
             * @default false
             */
            isOnlyRegistering?: boolean;
            /** @description True to return the progress whatever the theme says. */
            isProgressBarEnabled?: boolean;
            /**
             * @description True to stream events from start and continue to requests that accept `text/event-stream`.
             * @default false
             */
            isStreamEnabled?: boolean;
            message?: components["schemas"]["Message"];
            /**
             * @description Values of variables, by variable name. Unknown names are ignored, null empties.
             * @example {}
             */
            prefilledVariables?: {
                [key: string]: unknown;
            };
            /**
             * @description Id of an earlier preview session of this bot, which is replaced.
             * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
             */
            sessionId?: string;
            simulation?: components["schemas"]["Simulation"];
            startFrom?: components["schemas"]["StartFrom"];
            /**
             * @description Format of the texts of the bot: a tree of formatted nodes, or Markdown.
             * @default richText
             * @enum {string}
             */
            textBubbleContentFormat?: "richText" | "markdown";
        };
        /** @description Scripts and markup that the client loads when the chat begins. */
        StartProperties: {
            /**
             * @description Markup for the head of the page.
             * @example <meta name="a" content="b">
             */
            customHeadCode?: string;
            /**
             * @description Measurement id of Google Analytics to load.
             * @example G-1234
             */
            googleAnalyticsId?: string;
            /**
             * @description Container id of the tag manager to load.
             * @example GTM-1234
             */
            gtmId?: string;
            /**
             * @description Ids of the Meta pixels to load.
             * @example [
             *       "1234"
             *     ]
             */
            pixelIds?: string[];
        };
        /** @description Load scripts and markup at the start of the chat. */
        StartPropertiesAction: {
            /** @description True if the client must continue the chat with the outcome. */
            expectsDedicatedReply?: boolean;
            /**
             * @description Run the action after this bubble; absent means before all.
             * @example block-hello
             */
            lastBubbleBlockId?: string;
            startPropsToInject: components["schemas"]["StartProperties"];
            /**
             * @description Kind of the action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "startPropsToInject";
        };
        /** @description Numbers of views, starts and completions of a bot. */
        Stats: {
            /**
             * Format: int64
             * @description Chats that reached an end and had at least one answer.
             * @example 412
             */
            totalCompleted: number;
            /**
             * Format: int64
             * @description Chats in which at least one answer was given.
             * @example 860
             */
            totalStarts: number;
            /**
             * Format: int64
             * @description Chats that began.
             * @example 1280
             */
            totalViews: number;
        };
        /** @description The statistics of a bot. */
        StatsBody: {
            stats: components["schemas"]["Stats"];
        };
        /** @description Credentials of a workspace, without their secrets. */
        StoredCredentials: {
            /**
             * Format: date-time
             * @description When they were created.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description Id of the credentials.
             * @example 01jr5x9n7x8f2a6e1w3y5z7b9d
             */
            id: string;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: `smtp`, `chatwoot`, or the type of the blocks that use them.
             * @example openai
             */
            type: string;
            /**
             * Format: date-time
             * @description When they were last changed.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
            /**
             * @description Id of the workspace, as create and list return it.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId: string;
        };
        /** @description New credentials of type stripe. */
        StripeCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["StripeData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "stripe";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type stripe. */
        StripeCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["StripeData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "stripe";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description An account of Stripe. Published bots need live keys to take payments. Previews need test keys to show payments. */
        StripeData: {
            /**
             * Format: uri
             * @description Address of the API, if not that of Stripe.
             * @example https://stripe.example.com
             */
            baseUrl?: string;
            live?: components["schemas"]["StripeLiveKeys"];
            test?: components["schemas"]["StripeTestKeys"];
        };
        /** @description Keys that move money, for published bots. */
        StripeLiveKeys: {
            /**
             * @description Public key of the account. With it, hosts that serve chats alone show the form of Stripe.
             * @example pk_live_example
             */
            publicKey?: string;
            /**
             * Format: password
             * @description Secret or restricted key of the live mode.
             * @example sk_live_example
             */
            secretKey: string;
            /**
             * Format: password
             * @description Signing secret of the Stripe webhook that calls this service. With it, a payment counts even if the visitor has closed the page.
             * @example whsec_example
             */
            webhookSecret?: string;
        };
        /** @description Keys that move no money, for previews. */
        StripeTestKeys: {
            /**
             * @description Public key of the account. With it, hosts that serve chats alone show the form of Stripe.
             * @example pk_test_example
             */
            publicKey?: string;
            /**
             * Format: password
             * @description Secret or restricted key of the test mode.
             * @example sk_test_example
             */
            secretKey: string;
            /**
             * Format: password
             * @description Signing secret of the Stripe webhook that calls this service. With it, a payment counts even if the visitor has closed the page.
             * @example whsec_example
             */
            webhookSecret?: string;
        };
        /** @description A message with its kind. */
        StructuredMessage: components["schemas"]["TextMessage"] | components["schemas"]["AudioMessage"] | components["schemas"]["CommandMessage"];
        /** @description The new address of a block. */
        SubscribeWebhookBlockBody: {
            /**
             * @description Address that begins with https:// or http://.
             * @example https://hook.example.com/leads
             */
            url: string;
        };
        /** @description Confirms that the request succeeded. */
        SuccessBody: {
            /**
             * @description Confirms success.
             * @enum {string}
             */
            message: "success";
        };
        /** @description Texts that replace the built-in ones of the chat. */
        SystemMessages: {
            /**
             * @description Shown while the bot is closed.
             * @example This bot is closed for today.
             */
            botClosed?: string;
            /**
             * @description Shown when an upload fails.
             * @example The upload failed. Please try again.
             */
            fileUploadError?: string;
            /**
             * @description Shown when a file is too large. The chat replaces [[file]] and [[limit]].
             * @example [[file]] is larger than [[limit]] MB.
             */
            fileUploadSizeError?: string;
            /**
             * @description Sent after an invalid answer.
             * @example That does not look right. Could you try again?
             */
            invalidMessage?: string;
            /**
             * @description Button below a picture choice on messaging channels.
             * @example Select
             */
            messagingPictureChoiceSelectLabel?: string;
            /**
             * @description Text shown when the network fails.
             * @example Please check your connection.
             */
            networkErrorMessage?: string;
            /**
             * @description Title shown when the network fails.
             * @example Network error
             */
            networkErrorTitle?: string;
            /**
             * @description Button that opens the blocked window.
             * @example Continue in new tab
             */
            popupBlockedButtonLabel?: string;
            /**
             * @description Text shown when the browser blocks a new window.
             * @example The bot wants to open a new tab.
             */
            popupBlockedDescription?: string;
            /**
             * @description Title shown when the browser blocks a new window.
             * @example Window blocked
             */
            popupBlockedTitle?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A template with the bot that begins with it. */
        Template: {
            bot: components["schemas"]["TemplateBot"];
            /**
             * @description Purpose: to collect answers, to support people, or to engage them.
             * @enum {string}
             */
            category: "collect" | "support" | "engage";
            /**
             * @description One sentence about the template.
             * @example Finds out who asks and for what.
             */
            description: string;
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon: string | null;
            /**
             * @description Id of the template, as the list of templates has it.
             * @example lead-form
             */
            id: string;
            /**
             * @description Name of the template.
             * @example Lead form
             */
            name: string;
            /** @description Settings to make before the bot can do everything; empty for most templates. */
            needs: string[];
        };
        /** @description One template with its bot. */
        TemplateBody: {
            template: components["schemas"]["Template"];
        };
        /** @description The bot of a template, as create takes it. */
        TemplateBot: {
            /** @description The connections of the flow, in no particular order. */
            edges: components["schemas"]["Edge"][];
            /** @description Events that begin the branches of the flow. The first event, and only the first, is the start event. */
            events: components["schemas"]["FlowEvent"][];
            /** @description The groups of the flow, in no particular order. */
            groups: components["schemas"]["Group"][];
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon: string | null;
            /**
             * @description Name of the bot. Names need not be unique.
             * @example Lead generation
             */
            name: string;
            settings: components["schemas"]["Settings"];
            theme: components["schemas"]["Theme"];
            /** @description The variables of the bot. */
            variables: components["schemas"]["Variable"][];
            /**
             * @description Version of the schema the flow is written in.
             * @enum {string}
             */
            version: "6.1";
        };
        /** @description The templates of the service. */
        TemplateList: {
            /** @description The templates. */
            templates: components["schemas"]["TemplateSummary"][];
        };
        /** @description A template in a list, without its document. */
        TemplateSummary: {
            /**
             * @description Purpose: to collect answers, to support people, or to engage them.
             * @enum {string}
             */
            category: "collect" | "support" | "engage";
            /**
             * @description One sentence about the template.
             * @example Finds out who asks and for what.
             */
            description: string;
            /**
             * @description Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon: string | null;
            /**
             * @description Id of the template, as the list of templates has it.
             * @example lead-form
             */
            id: string;
            /**
             * @description Name of the template.
             * @example Lead form
             */
            name: string;
            /** @description Settings to make before the bot can do everything; empty for most templates. */
            needs: string[];
        };
        /** @description The endpoint that is tested. */
        TestEventData: {
            /**
             * @description Id of the endpoint that is tested.
             * @example 01jr5xam8y9g3b7f2x4z6a8c0e
             */
            endpointId: string;
        };
        /** @description Shows a formatted text. */
        TextBubble: {
            content?: components["schemas"]["TextBubbleContent"];
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "text";
        } & {
            [key: string]: unknown;
        };
        /** @description Text of the message. */
        TextBubbleContent: {
            /**
             * @description The text as HTML, in older documents.
             * @example <div>Hello!</div>
             */
            html?: string;
            /**
             * @description The text without formatting, in older documents.
             * @example Hello!
             */
            plainText?: string;
            /**
             * @description The text as a tree, which the service does not validate. Elements have a type (p, a, ul, ol, li, lic or another container), children, and with type a an url. Leaves have text and may be bold, italic or underline. Each line is one p.
             * @example [
             *       {
             *         "type": "p",
             *         "children": [
             *           {
             *             "text": "Hello {{Name}}!",
             *             "bold": true
             *           }
             *         ]
             *       }
             *     ]
             */
            richText?: unknown[];
        } & {
            [key: string]: unknown;
        };
        /** @description A text in the requested format. */
        TextContent: components["schemas"]["RichTextContent"] | components["schemas"]["MarkdownContent"];
        /** @description Asks for one or more lines of free text. */
        TextInput: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["TextInputOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "text input";
        } & {
            [key: string]: unknown;
        };
        /** @description Settings of a text input. */
        TextInputOptions: {
            attachments?: components["schemas"]["AttachmentOptions"];
            audioClip?: components["schemas"]["AudioClipOptions"];
            /**
             * @description On-screen keyboard of touch devices.
             * @enum {string}
             */
            inputMode?: "text" | "decimal" | "numeric" | "tel" | "search" | "email" | "url";
            /** @description True if the field has several lines. Default false. */
            isLong?: boolean;
            labels?: components["schemas"]["InputLabels"];
            /**
             * @description Id of the variable that stores the answer.
             * @example varEmail
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A text of the visitor. */
        TextMessage: {
            /**
             * @description URLs of files sent with the text.
             * @example [
             *       "https://example.com/plan.pdf"
             *     ]
             */
            attachedFileUrls?: string[];
            metadata?: components["schemas"]["MessageMetadata"];
            /**
             * @description The text.
             * @example ada@example.com
             */
            text: string;
            /**
             * @description A text, also the choice of an item. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "text";
        };
        /** @description A text message of the bot. */
        TextMessageBubble: {
            content: components["schemas"]["TextContent"];
            /**
             * @description Id of the block in the flow.
             * @example block-hello
             */
            id: string;
            /**
             * @description Kind of the bubble. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "text";
        };
        /** @description Visual style of a bot. All versions have the same shape; only defaults differ. */
        Theme: {
            chat?: components["schemas"]["ThemeChat"];
            /**
             * @description Style sheet added to the chat.
             * @example .host-bubble { font-weight: 500 }
             */
            customCss?: string;
            general?: components["schemas"]["ThemeGeneral"];
        } & {
            [key: string]: unknown;
        };
        /** @description Background of the chat. */
        ThemeBackground: {
            /**
             * @description A colour, or the address of the image. Default #FFFFFF in version 6, #F8F8F8 in 6.1.
             * @example #F8F8F8
             */
            content?: string;
            /**
             * @description Kind of background. Default Color.
             * @enum {string}
             */
            type?: "Color" | "Image" | "None";
        } & {
            [key: string]: unknown;
        };
        /** @description The border of a part of the chat. */
        ThemeBorder: {
            /**
             * @description Colour of the border. Its default depends on the part.
             * @example #dfdfdf
             */
            color?: string;
            /**
             * Format: double
             * @description Corner radius with roundeness custom, in CSS pixels. Default 6.
             * @example 6
             */
            customRoundeness?: number;
            /**
             * Format: double
             * @description Opacity of the border, from 0 (invisible) to 1. Default 1.
             * @example 0.9
             */
            opacity?: number;
            /**
             * @description Roundness of the corners: 0, 6 or 20 CSS pixels, or customRoundeness. Default medium.
             * @enum {string}
             */
            roundeness?: "none" | "medium" | "large" | "custom";
            /**
             * Format: double
             * @description Width of the border, in CSS pixels. Default: 0 in version 6; in 6.1 0 for the container, else 1.
             * @example 1
             */
            thickness?: number;
        } & {
            [key: string]: unknown;
        };
        /** @description Buttons that the visitor can press. */
        ThemeButtons: {
            /**
             * @description Colour of the surface. Default #0042DA in version 6, #c2410c in 6.1.
             * @example #F7F8FF
             */
            backgroundColor?: string;
            /**
             * Format: double
             * @description Blur of the backdrop, in CSS pixels. Default 0.
             * @example 8
             */
            blur?: number;
            border?: components["schemas"]["ThemeBorder"];
            /**
             * @description Colour of the text. Default #ffffff.
             * @example #202020
             */
            color?: string;
            /**
             * Format: double
             * @description Opacity of the surface, from 0 (invisible) to 1. Default 1.
             * @example 0.9
             */
            opacity?: number;
            /**
             * @description Size of the shadow. Default none; for inputs md in version 6.
             * @enum {string}
             */
            shadow?: "none" | "sm" | "md" | "lg" | "xl" | "2xl";
        } & {
            [key: string]: unknown;
        };
        /** @description Layout of a list of buttons. */
        ThemeButtonsInput: {
            /**
             * @description Side by side with line breaks, or one below the other. Default wrap.
             * @enum {string}
             */
            layout?: "wrap" | "vertical";
        } & {
            [key: string]: unknown;
        };
        /** @description Style of the conversation. */
        ThemeChat: {
            buttons?: components["schemas"]["ThemeButtons"];
            buttonsInput?: components["schemas"]["ThemeButtonsInput"];
            container?: components["schemas"]["ThemeContainer"];
            guestAvatar?: components["schemas"]["ThemeGuestAvatar"];
            guestBubbles?: components["schemas"]["ThemeGuestBubbles"];
            hostAvatar?: components["schemas"]["ThemeHostAvatar"];
            hostBubbles?: components["schemas"]["ThemeHostBubbles"];
            inputs?: components["schemas"]["ThemeInputs"];
            /**
             * @description Roundness of every part without a border of its own. Older documents only; border.roundeness replaces it.
             * @enum {string}
             */
            roundness?: "none" | "medium" | "large";
        } & {
            [key: string]: unknown;
        };
        /** @description The box that holds the conversation. */
        ThemeContainer: {
            /**
             * @description Colour of the surface. Default transparent.
             * @example #F7F8FF
             */
            backgroundColor?: string;
            /**
             * Format: double
             * @description Blur of the backdrop, in CSS pixels. Default 0.
             * @example 8
             */
            blur?: number;
            border?: components["schemas"]["ThemeBorder"];
            /**
             * @description Colour of the text. Default dark or light grey, whichever reads better on the background.
             * @example #202020
             */
            color?: string;
            /**
             * @description Maximum height as a CSS length. Default 100%.
             * @example 100%
             */
            maxHeight?: string;
            /**
             * @description Maximum width as a CSS length. Default 800px.
             * @example 800px
             */
            maxWidth?: string;
            /**
             * Format: double
             * @description Opacity of the surface, from 0 (invisible) to 1. Default 1.
             * @example 0.9
             */
            opacity?: number;
            /**
             * @description Size of the shadow. Default none; for inputs md in version 6.
             * @enum {string}
             */
            shadow?: "none" | "sm" | "md" | "lg" | "xl" | "2xl";
        } & {
            [key: string]: unknown;
        };
        /** @description Style of the page around the chat. */
        ThemeGeneral: {
            background?: components["schemas"]["ThemeBackground"];
            /**
             * @description Font of the chat: a Google Fonts family name, or an object with its source.
             * @example Open Sans
             */
            font?: string | components["schemas"]["FontSource"];
            progressBar?: components["schemas"]["ThemeProgressBar"];
        } & {
            [key: string]: unknown;
        };
        /** @description The picture beside the answers of the visitor. */
        ThemeGuestAvatar: {
            /** @description True if the chat shows the picture. Default false. */
            isEnabled?: boolean;
            /**
             * @description Address of the picture, or a {{variable}} that holds one.
             * @example https://files.example.com/cat.png
             */
            url?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The answers of the visitor. */
        ThemeGuestBubbles: {
            /**
             * @description Colour of the surface. Default #FF8E21 in version 6, #c2410c in 6.1.
             * @example #F7F8FF
             */
            backgroundColor?: string;
            /**
             * Format: double
             * @description Blur of the backdrop, in CSS pixels. Default 0.
             * @example 8
             */
            blur?: number;
            border?: components["schemas"]["ThemeBorder"];
            /**
             * @description Colour of the text. Default #ffffff.
             * @example #202020
             */
            color?: string;
            /**
             * Format: double
             * @description Opacity of the surface, from 0 (invisible) to 1. Default 1.
             * @example 0.9
             */
            opacity?: number;
            /**
             * @description Size of the shadow. Default none; for inputs md in version 6.
             * @enum {string}
             */
            shadow?: "none" | "sm" | "md" | "lg" | "xl" | "2xl";
        } & {
            [key: string]: unknown;
        };
        /** @description The picture beside the messages of the bot. */
        ThemeHostAvatar: {
            /** @description True if the chat shows the picture. Default true. */
            isEnabled?: boolean;
            /**
             * @description Address of the picture, or a {{variable}} that holds one.
             * @example https://files.example.com/cat.png
             */
            url?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The messages of the bot. */
        ThemeHostBubbles: {
            /**
             * @description Colour of the surface. Default #F7F8FF in version 6, #ffffff in 6.1.
             * @example #F7F8FF
             */
            backgroundColor?: string;
            /**
             * Format: double
             * @description Blur of the backdrop, in CSS pixels. Default 0.
             * @example 8
             */
            blur?: number;
            border?: components["schemas"]["ThemeBorder"];
            /**
             * @description Colour of the text. Default #202020.
             * @example #202020
             */
            color?: string;
            /**
             * Format: double
             * @description Opacity of the surface, from 0 (invisible) to 1. Default 1.
             * @example 0.9
             */
            opacity?: number;
            /**
             * @description Size of the shadow. Default none; for inputs md in version 6.
             * @enum {string}
             */
            shadow?: "none" | "sm" | "md" | "lg" | "xl" | "2xl";
        } & {
            [key: string]: unknown;
        };
        /** @description Fields that the visitor can fill in. */
        ThemeInputs: {
            /**
             * @description Colour of the surface. Default #FFFFFF.
             * @example #F7F8FF
             */
            backgroundColor?: string;
            /**
             * Format: double
             * @description Blur of the backdrop, in CSS pixels. Default 0.
             * @example 8
             */
            blur?: number;
            border?: components["schemas"]["ThemeBorder"];
            /**
             * @description Colour of the text. Default #202020.
             * @example #202020
             */
            color?: string;
            /**
             * Format: double
             * @description Opacity of the surface, from 0 (invisible) to 1. Default 1.
             * @example 0.9
             */
            opacity?: number;
            /**
             * @description Colour of the placeholder text. Default #6e7480.
             * @example #6e7480
             */
            placeholderColor?: string;
            /**
             * @description Size of the shadow. Default none; for inputs md in version 6.
             * @enum {string}
             */
            shadow?: "none" | "sm" | "md" | "lg" | "xl" | "2xl";
        } & {
            [key: string]: unknown;
        };
        /** @description Bar that shows the progress of the visitor. */
        ThemeProgressBar: {
            /**
             * @description Colour of the remaining part. Default #f1f1f1 in version 6, #8d8d8d in 6.1.
             * @example #8d8d8d
             */
            backgroundColor?: string;
            /**
             * @description Colour of the completed part. Default #e0edff in version 6, #ff5924 in 6.1.
             * @example #ff5924
             */
            color?: string;
            /** @description True if the chat shows the bar. Default false. */
            isEnabled?: boolean;
            /**
             * @description Edge the bar sits at. Default Top.
             * @enum {string}
             */
            placement?: "Top" | "Bottom";
            /**
             * @description CSS positioning of the bar. Default absolute.
             * @enum {string}
             */
            position?: "fixed" | "absolute";
            /**
             * Format: double
             * @description Height of the bar, in CSS pixels.
             * @example 4
             */
            thickness?: number;
        } & {
            [key: string]: unknown;
        };
        /** @description Asks for a time of day. */
        TimeInput: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["TimeInputOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "time input";
        } & {
            [key: string]: unknown;
        };
        /** @description Texts of a time input. */
        TimeInputLabels: {
            /**
             * @description Text of the button that sends the answer. Default Send.
             * @example Send
             */
            button?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Settings of a time input. */
        TimeInputOptions: {
            /**
             * @description Unicode date pattern (TR 35) of the answer. Default HH:mm.
             * @example HH:mm
             */
            format?: string;
            labels?: components["schemas"]["TimeInputLabels"];
            /**
             * @description Id of the variable that stores the answer.
             * @example varEmail
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Works with Together AI. Chats run it, with credentials of type together-ai. Versions 6 and 6.1 only. */
        TogetherAiBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["TogetherAiOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "together-ai";
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type together-ai. */
        TogetherAiCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "together-ai";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type together-ai. */
        TogetherAiCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["ApiKeyData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "together-ai";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description Options of the Together AI block. The action decides which other properties apply. */
        TogetherAiOptions: {
            /**
             * @description Action of the block: Create chat completion. The service preserves other texts. Without an action the block does nothing.
             * @example Create chat completion
             */
            action?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /** @description The messages, oldest first. */
            messages?: components["schemas"]["ChatMessage"][];
            /**
             * @description Name of the model.
             * @example gpt-4o
             */
            model?: string;
            /** @description Parts of the response and the variables that store them. With action Create chat completion: Message content, Total tokens, Prompt tokens, Completion tokens. */
            responseMapping?: components["schemas"]["VendorAnswerMapping"][];
            /**
             * @description Sampling temperature of the model, from 0 to 2. A number, or a text that is one {{variable}} or reads as a number.
             * @example 0.7
             */
            temperature?: number | string;
            /** @description Functions that the model can call. */
            tools?: components["schemas"]["ChatTool"][];
        } & {
            [key: string]: unknown;
        };
        /**
         * @description Scope of a token. `read`: everything that GET returns, except results and chats. `write`: create, change, delete, publish and preview. `results`: read, export and delete answers of visitors. `chat-admin`: steer the chats of others, as the call of a waiting webhook does. No scope includes another one.
         * @enum {string}
         */
        TokenScope: "read" | "write" | "results" | "chat-admin";
        /** @description The caller sent too many requests in a window of time or at once, or a record reached its limit of entries. Or an address or the visitors of a bot reached their daily limit of storage. Nothing was done. Wait as many seconds as Retry-After says; with the issue `daily_quota_exceeded` it takes up to a day, and with `quota_exceeded` waiting does not help. */
        TooManyRequestsErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "TOO_MANY_REQUESTS";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Too many requests
             */
            message: string;
        };
        /** @description The transcript of a chat. */
        TranscriptBody: {
            /** @description The entries, in order. */
            transcript: components["schemas"]["TranscriptEntry"][];
        };
        /** @description An entry of the transcript of a chat. */
        TranscriptEntry: {
            /**
             * @description URL of the recording.
             * @example https://example.com/a.mp3
             */
            audio?: string;
            /**
             * @description URL of the picture.
             * @example https://example.com/cat.png
             */
            image?: string;
            /**
             * @description Author of the entry: the bot, the visitor, or a member of the workspace.
             * @enum {string}
             */
            role: "bot" | "user" | "member";
            /**
             * @description The text.
             * @example ada@example.com
             */
            text?: string;
            /**
             * @description Kind of the entry.
             * @enum {string}
             */
            type: "text" | "image" | "video" | "audio";
            /**
             * @description URL of the video.
             * @example https://example.com/tour.mp4
             */
            video?: string;
        };
        /** @description Delays that make the bot appear to type. */
        TypingEmulation: {
            /**
             * Format: double
             * @description Delay between two messages, in seconds. Default 0.
             * @example 0.5
             */
            delayBetweenBubbles?: number;
            /** @description True if the bot delays its messages. Default true. */
            enabled?: boolean;
            /** @description True if the first message has no delay. Default true. */
            isDisabledOnFirstMessage?: boolean;
            /**
             * Format: double
             * @description Maximum delay before a message, in seconds. Default 3.
             * @example 3
             */
            maxDelay?: number;
            /**
             * Format: double
             * @description Typing speed in words per minute. Default 400.
             * @example 400
             */
            speed?: number;
        } & {
            [key: string]: unknown;
        };
        /** @description State of the sign: true while the member types. */
        TypingSign: {
            /**
             * @description `false` ends the sign early.
             * @example true
             */
            isTyping: boolean;
        };
        /** @description The Authorization header is missing, or its token is malformed, unknown, expired or revoked. Send a valid token as a Bearer credential. */
        UnauthorizedErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "UNAUTHORIZED";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Authorization not provided
             */
            message: string;
        };
        /** @description The request body is not what the operation takes: JSON in UTF-8, sent as Content-Type: application/json, or a file, sent as application/octet-stream; both without a content encoding. */
        UnsupportedMediaTypeErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "UNSUPPORTED_MEDIA_TYPE";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Unsupported media type
             */
            message: string;
        };
        /** @description The change to a bot. */
        UpdateBotBody: {
            bot: components["schemas"]["BotUpdate"];
            /** @description True to write even if the precondition `bot.updatedAt` fails. */
            overwrite?: boolean;
        };
        /** @description Name and icon of the updated workspace. */
        UpdatedWorkspaceBody: {
            workspace: components["schemas"]["WorkspaceNameAndIcon"];
        };
        /** @description The change to a folder. */
        UpdateFolderBody: {
            folder: components["schemas"]["FolderUpdate"];
            /**
             * @description When given, the folder must be in this workspace; otherwise it is not found.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId?: string;
        };
        /** @description A file that was sent into a chat. */
        Upload: {
            /**
             * @description Media type of the download: for a picture, that of its bytes, otherwise `application/octet-stream`.
             * @example application/octet-stream
             */
            mediaType: string;
            /**
             * @description Name of the file as stored, without characters that file names may not have everywhere.
             * @example plan.pdf
             */
            name: string;
            /**
             * Format: int64
             * @description Size in bytes.
             * @example 48213
             */
            size: number;
            /**
             * @description URL of the file, for the reply.
             * @example https://bots.example.com/files/01jr5x2e0p1y5s9x4n6q8r0t2w/01jr5x9n7x8f2a6e1w3y5z7b9d3f0c1b2a4e5d6c7b8a9f0e1d2c/plan.pdf
             */
            url: string;
        };
        /** @description A file that was uploaded. */
        UploadBody: {
            upload: components["schemas"]["Upload"];
        };
        /** @description Limits of files that can be uploaded for the reply. Absent with an input for files if the installation stores none. */
        UploadLimits: {
            /**
             * Format: int64
             * @description Maximum bytes of a file.
             * @example 10485760
             */
            maximumSize: number;
        };
        /** @description Asks for a web address. */
        UrlInput: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["UrlInputOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "url input";
        } & {
            [key: string]: unknown;
        };
        /** @description Settings of a URL input. */
        UrlInputOptions: {
            labels?: components["schemas"]["InputLabels"];
            /**
             * @description Sent after an invalid answer.
             * @example This does not look right. Can you check it?
             */
            retryMessageContent?: string;
            /**
             * @description Id of the variable that stores the answer.
             * @example varEmail
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A message of the visitor. */
        UserTurn: {
            /**
             * @description URLs of files sent with the text.
             * @example [
             *       "https://example.com/plan.pdf"
             *     ]
             */
            attachedFileUrls?: string[];
            /**
             * @description Role of the author. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            role: "user";
            /**
             * @description Text as clients show it: the label of a chosen item, the URL of a recording. Empty for a picture without a title, and if only files were sent.
             * @example ada@example.com
             */
            text: string;
        };
        /** @description A named value that a chat reads and writes. */
        Variable: {
            /**
             * @description Id of the variable.
             * @example varEmail
             */
            id: string;
            /** @description True if the value lasts for one session only and results omit it. Default false. */
            isSessionVariable?: boolean;
            /**
             * @description Name used in placeholders such as {{Email}}.
             * @example Email
             */
            name: string;
            /**
             * @description Value at the start of a chat: a text, null, or a list of texts and nulls. Other values are invalid.
             * @example ada@example.com
             */
            value?: unknown;
        } & {
            [key: string]: unknown;
        };
        /** @description A value that the model finds in the prompt. */
        VariableToExtract: {
            /**
             * @description Meaning of the value.
             * @example City the visitor lives in
             */
            description?: string;
            /** @description True if the model must find the value. Default true. */
            isRequired?: boolean;
            /**
             * @description Kind of value.
             * @enum {string}
             */
            type?: "string" | "number" | "boolean" | "array" | "enum";
            /**
             * @description With type enum: the allowed values.
             * @example [
             *       "Lyon",
             *       "Paris"
             *     ]
             */
            values?: string[];
            /**
             * @description Id of the variable that stores the value.
             * @example varCity
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Stores one part of a response in a variable. */
        VendorAnswerMapping: {
            /**
             * @description Part of the response.
             * @example Message content
             */
            item?: string;
            /**
             * @description Id of the variable that stores the part.
             * @example varReply
             */
            variableId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Shows a video from a file or from a video platform. */
        VideoBubble: {
            content?: components["schemas"]["VideoBubbleContent"];
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "video";
        } & {
            [key: string]: unknown;
        };
        /** @description Video that the block shows, and settings of its player. */
        VideoBubbleContent: {
            /** @description True if the player shows its controls. Default true. */
            areControlsDisplayed?: boolean;
            /**
             * @description Ratio of width to height. Default 16/9.
             * @example 16/9
             */
            aspectRatio?: string;
            /**
             * @description Height in CSS pixels. Default 400. A number, or a text that is one {{variable}} or reads as a number.
             * @example 400
             */
            height?: number | string;
            /**
             * @description Id of the video on its platform.
             * @example aqz-KE-bpKQ
             */
            id?: string;
            /** @description True if the video starts by itself. Default true. */
            isAutoplayEnabled?: boolean;
            /**
             * @description Maximum width as a CSS length. Default 100%.
             * @example 100%
             */
            maxWidth?: string;
            /**
             * @description Query string passed to the platform, with the question mark.
             * @example ?start=30
             */
            queryParamsStr?: string;
            /**
             * @description Location of the video: a file or a platform.
             * @enum {string}
             */
            type?: "url" | "youtube" | "vimeo" | "tiktok" | "gumlet";
            /**
             * @description Address of the video.
             * @example https://www.youtube.com/watch?v=aqz-KE-bpKQ
             */
            url?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A video that the bot shows. */
        VideoMessageBubble: {
            /**
             * @description The content of the block, with placeholders filled in.
             * @example {}
             */
            content: {
                [key: string]: unknown;
            };
            /**
             * @description Id of the block in the flow.
             * @example block-hello
             */
            id: string;
            /**
             * @description Kind of the bubble. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "video";
        };
        /** @description A message of a visitor. */
        VisitorMessage: {
            /**
             * @description URLs of files sent with the text.
             * @example [
             *       "https://example.com/plan.pdf"
             *     ]
             */
            attachedFileUrls?: string[];
            /**
             * @description The text; may be empty.
             * @example Is anybody there?
             */
            text: string;
        };
        /** @description Wait before continuing. */
        WaitAction: {
            /** @description True if the client must continue the chat with the outcome. */
            expectsDedicatedReply?: boolean;
            /**
             * @description Run the action after this bubble; absent means before all.
             * @example block-hello
             */
            lastBubbleBlockId?: string;
            /**
             * @description Kind of the action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "wait";
            wait: components["schemas"]["WaitDetails"];
        };
        /** @description Waits before the chat continues. */
        WaitBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["WaitOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Wait";
        } & {
            [key: string]: unknown;
        };
        /** @description Delay before the client continues. */
        WaitDetails: {
            /**
             * Format: double
             * @description Delay in seconds, at most a day.
             * @example 2
             */
            secondsToWaitFor: number;
        };
        /** @description Duration of the wait. */
        WaitOptions: {
            /**
             * @description Seconds as text; may hold placeholders. Only the leading number counts, at most 86400.
             * @example 2
             */
            secondsToWaitFor?: string;
            /** @description True if later messages come only after the wait. Default false. */
            shouldPause?: boolean;
        } & {
            [key: string]: unknown;
        };
        /** @description Waits until a time, or for hours or days. The chat then continues by itself, even if the visitor has left. Only this service has this block. */
        WaitUntilBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["WaitUntilOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "wait until";
        } & {
            [key: string]: unknown;
        };
        /** @description End of the wait. `until` takes precedence over `secondsToWaitFor`. */
        WaitUntilOptions: {
            /**
             * @description Seconds as text; may hold placeholders. At most 2505600 (29 days).
             * @example 3600
             */
            secondsToWaitFor?: string;
            /**
             * @description IANA time zone of the time. Default UTC.
             * @example Europe/Paris
             */
            timeZone?: string;
            /**
             * @description The time; may hold placeholders. Formats: `2026-12-24T09:00`, with an offset or in the time zone of the block; a date, for its start; `HH:MM`, for the next such time.
             * @example 09:00
             */
            until?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A block that sends an HTTP request. */
        WebhookBlock: {
            /**
             * @description Id of the block, as the list returns it.
             * @example block-crm
             */
            id: string;
            /**
             * @description Title of its group and id of the block, for menus.
             * @example Contact > block-crm
             */
            label: string;
            /**
             * @description Type of the block.
             * @example Make.com
             * @enum {string}
             */
            type: "Webhook" | "Zapier" | "Make.com" | "Pabbly";
            /**
             * @description Address that the block sends its request to; absent if it has none.
             * @example https://hook.example.com/leads
             */
            url?: string;
        };
        /** @description The blocks of a bot that send requests. */
        WebhookBlocksBody: {
            /** @description The blocks, in the order of the document. */
            webhookBlocks: components["schemas"]["WebhookBlock"][];
        };
        /**
         * @description Any data, as the caller of the webhook sends it.
         * @example {
         *       "isPaid": true
         *     }
         */
        WebhookData: {
            [key: string]: unknown;
        };
        /** @description An event on its way to an endpoint. */
        WebhookDelivery: {
            /**
             * Format: int32
             * @description Number of attempts; this only grows.
             * @example 1
             */
            attempts: number;
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description Id of the delivery, which receivers get as `webhook-id`.
             * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
             */
            id: string;
            /**
             * Format: date-time
             * @description When it was last sent; null when never.
             * @example 2026-03-04T10:15:30.120Z
             */
            lastAttemptAt: string | null;
            /**
             * Format: int32
             * @description Milliseconds that the last attempt took.
             * @example 120
             */
            lastDuration: number | null;
            /**
             * @description Reason why no response came; null if one did, also a redirect, which is not followed.
             * @example null
             */
            lastError: string | null;
            /**
             * Format: int32
             * @description Status of the last response; null if none came.
             * @example 200
             */
            lastStatus: number | null;
            /**
             * Format: date-time
             * @description When it will be sent next; null when it is due now, or is not sent again.
             * @example null
             */
            nextAttemptAt: string | null;
            /**
             * @description `pending`: still to be sent. `delivered`: accepted. `failed`: given up after the last attempt.
             * @example delivered
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            /**
             * @description The type of the event.
             * @example result.completed
             */
            type: string;
        };
        /** @description One delivery with its payload. */
        WebhookDeliveryBody: {
            webhookDelivery: components["schemas"]["WebhookDeliveryWithPayload"];
        };
        /** @description A page of deliveries. */
        WebhookDeliveryPage: {
            /**
             * @description Send it as `cursor` to get the following page; null on the last page.
             * @example AZx0mC1jZ3JhbnQ
             */
            nextCursor: string | null;
            /** @description The deliveries, newest first. */
            webhookDeliveries: components["schemas"]["WebhookDelivery"][];
        };
        /** @description A delivery with its payload. */
        WebhookDeliveryWithPayload: {
            /**
             * Format: int32
             * @description Number of attempts; this only grows.
             * @example 1
             */
            attempts: number;
            /**
             * Format: date-time
             * @description Time of the event.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description Id of the delivery, which receivers get as `webhook-id`.
             * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
             */
            id: string;
            /**
             * Format: date-time
             * @description When it was last sent; null when never.
             * @example 2026-03-04T10:15:30.120Z
             */
            lastAttemptAt: string | null;
            /**
             * Format: int32
             * @description Milliseconds that the last attempt took.
             * @example 120
             */
            lastDuration: number | null;
            /**
             * @description Reason why no response came; null if one did, also a redirect, which is not followed.
             * @example null
             */
            lastError: string | null;
            /**
             * Format: int32
             * @description Status of the last response; null if none came.
             * @example 200
             */
            lastStatus: number | null;
            /**
             * Format: date-time
             * @description When it will be sent next; null when it is due now, or is not sent again.
             * @example null
             */
            nextAttemptAt: string | null;
            /**
             * @description The body that is posted, as an object.
             * @example {
             *       "type": "result.completed"
             *     }
             */
            payload: {
                [key: string]: unknown;
            };
            /**
             * @description `pending`: still to be sent. `delivered`: accepted. `failed`: given up after the last attempt.
             * @example delivered
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            /**
             * @description The type of the event.
             * @example result.completed
             */
            type: string;
        };
        /** @description An address that receives events, without its secret. */
        WebhookEndpoint: {
            /**
             * Format: date-time
             * @description When the endpoint was created.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description Purpose of the endpoint, or null.
             * @example CRM
             */
            description: string | null;
            /**
             * @description Reason why the service disabled it: it returned 410 (`gone`), or failed for five days without a success (`failing`). Null otherwise.
             * @example null
             */
            disabledReason: string | null;
            /**
             * Format: date-time
             * @description Start of the failures: every attempt since has failed. Null while the last one succeeded.
             * @example null
             */
            failingSince: string | null;
            /**
             * @description Id of the endpoint, as create and list return it.
             * @example 01jr5xam8y9g3b7f2x4z6a8c0e
             */
            id: string;
            /**
             * @description True if events are sent. Events while it is false are lost; deliveries that already wait are sent once the endpoint is enabled again.
             * @example true
             */
            isEnabled: boolean;
            /**
             * @description Types of the events that are sent; null means all, also those of later versions.
             * @example [
             *       "result.completed"
             *     ]
             */
            types: components["schemas"]["EventType"][] | null;
            /**
             * Format: date-time
             * @description When the endpoint was last changed.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
            /**
             * @description URL that events are posted to.
             * @example https://example.com/webhooks/bots
             */
            url: string;
            /**
             * @description Id of the workspace, as create and list return it.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId: string;
        };
        /** @description One endpoint, without its secret. */
        WebhookEndpointBody: {
            webhookEndpoint: components["schemas"]["WebhookEndpoint"];
        };
        /** @description The endpoint to create. */
        WebhookEndpointCreate: {
            /**
             * @description Purpose of the endpoint, or null.
             * @example CRM
             */
            description?: string | null;
            /**
             * @description True if events are sent. Events while it is false are lost; deliveries that already wait are sent once the endpoint is enabled again.
             * @example true
             */
            isEnabled?: boolean;
            /**
             * @description Types of the events that are sent; null means all, also those of later versions.
             * @example [
             *       "result.completed"
             *     ]
             */
            types?: components["schemas"]["EventType"][] | null;
            /**
             * Format: uri
             * @description URL that events are posted to. Private addresses are rejected unless the installation allows them; redirects are not followed.
             * @example https://example.com/webhooks/bots
             */
            url: string;
        };
        /** @description The webhook endpoints of a workspace. */
        WebhookEndpointList: {
            /** @description The endpoints, newest first. */
            webhookEndpoints: components["schemas"]["WebhookEndpoint"][];
        };
        /** @description Changes; absent properties stay as they are. */
        WebhookEndpointUpdate: {
            /**
             * @description Read-only time; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            /**
             * @description Purpose of the endpoint, or null.
             * @example CRM
             */
            description?: string | null;
            /**
             * @description Read-only reason; accepted and ignored.
             * @example null
             */
            readonly disabledReason?: unknown;
            /**
             * @description Read-only time; accepted and ignored.
             * @example null
             */
            readonly failingSince?: unknown;
            /**
             * @description Read-only id; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description True if events are sent. Events while it is false are lost; deliveries that already wait are sent once the endpoint is enabled again.
             * @example true
             */
            isEnabled?: boolean;
            /**
             * @description Types of the events that are sent; null means all, also those of later versions.
             * @example [
             *       "result.completed"
             *     ]
             */
            types?: components["schemas"]["EventType"][] | null;
            /**
             * @description Read-only time; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * Format: uri
             * @description URL that events are posted to. Private addresses are rejected unless the installation allows them; redirects are not followed.
             * @example https://example.com/webhooks/bots
             */
            url?: string;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A new endpoint with its secret. */
        WebhookEndpointWithSecret: {
            /**
             * Format: date-time
             * @description When the endpoint was created.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description Purpose of the endpoint, or null.
             * @example CRM
             */
            description: string | null;
            /**
             * @description Reason why the service disabled it: it returned 410 (`gone`), or failed for five days without a success (`failing`). Null otherwise.
             * @example null
             */
            disabledReason: string | null;
            /**
             * Format: date-time
             * @description Start of the failures: every attempt since has failed. Null while the last one succeeded.
             * @example null
             */
            failingSince: string | null;
            /**
             * @description Id of the endpoint, as create and list return it.
             * @example 01jr5xam8y9g3b7f2x4z6a8c0e
             */
            id: string;
            /**
             * @description True if events are sent. Events while it is false are lost; deliveries that already wait are sent once the endpoint is enabled again.
             * @example true
             */
            isEnabled: boolean;
            /**
             * @description The key of the signatures, in the form of Standard Webhooks. It is shown only here.
             * @example whsec_EXAMPLEexampleEXAMPLEexampleEXAMPLEexample0=
             */
            secret: string;
            /**
             * @description Types of the events that are sent; null means all, also those of later versions.
             * @example [
             *       "result.completed"
             *     ]
             */
            types: components["schemas"]["EventType"][] | null;
            /**
             * Format: date-time
             * @description When the endpoint was last changed.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
            /**
             * @description URL that events are posted to.
             * @example https://example.com/webhooks/bots
             */
            url: string;
            /**
             * @description Id of the workspace, as create and list return it.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            workspaceId: string;
        };
        /** @description A new endpoint with its secret. */
        WebhookEndpointWithSecretBody: {
            webhookEndpoint: components["schemas"]["WebhookEndpointWithSecret"];
        };
        /** @description Waits until another system calls the chat. Versions 6 and 6.1 only. */
        WebhookListenerBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["WebhookListenerOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "webhook";
        } & {
            [key: string]: unknown;
        };
        /** @description Parts of the call to store. */
        WebhookListenerOptions: {
            /** @description Parts of the received body and the variables that store them. */
            responseVariableMapping?: components["schemas"]["HttpResponseMapping"][];
        } & {
            [key: string]: unknown;
        };
        /** @description The address of a block after it was set or cleared. */
        WebhookSubscription: {
            /**
             * @description Id of the block, as the list returns it.
             * @example block-crm
             */
            id: string;
            /**
             * @description Address that the block sends its request to; null if it has none.
             * @example https://hook.example.com/leads
             */
            url: string | null;
        };
        /** @description A workspace: its bots and folders, and the members who may use them. */
        Workspace: {
            /**
             * @description Identifier at the billing provider; null without one.
             * @example cus_42
             */
            billingId: string | null;
            /**
             * Format: int32
             * @description Limit of chats per month agreed with the operator of the service, which does not enforce it; null means no limit.
             * @example 10000
             */
            chatsHardLimit: number | null;
            /**
             * Format: date-time
             * @description When the workspace was created.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * @description Icon of the workspace: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon: string | null;
            /**
             * @description Id of the workspace, as create and list return it.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            id: string;
            /**
             * Format: date-time
             * @description When the operator of the service sent the first mail about inactivity; null when never.
             * @example 2026-03-04T10:15:30.120Z
             */
            inactiveFirstEmailSentAt: string | null;
            /**
             * Format: date-time
             * @description When the operator of the service sent the second mail about inactivity; null when never.
             * @example 2026-03-04T10:15:30.120Z
             */
            inactiveSecondEmailSentAt: string | null;
            /** @description True if the operator of the service marked a payment as overdue; nothing is rejected for it. */
            isPastDue: boolean;
            /** @description True if the operator of the service marked the workspace as suspended; nothing is rejected for it. */
            isSuspended: boolean;
            /** @description True if the operator of the service marked the workspace as verified. */
            isVerified: boolean;
            /**
             * Format: date-time
             * @description When the workspace was last used, as the operator of the service recorded it; null when not recorded.
             * @example 2026-03-04T10:15:30.120Z
             */
            lastActivityAt: string | null;
            /**
             * @description Name of the workspace. Names need not be unique.
             * @example Acme
             */
            name: string;
            /**
             * @description Plan of the workspace, as the operator of the service set it; no limit follows from it.
             * @enum {string}
             */
            plan: "FREE" | "STARTER" | "PRO" | "LIFETIME" | "OFFERED" | "CUSTOM" | "UNLIMITED" | "ENTERPRISE";
            /** @description Settings of the workspace that editors read; null when none were set. */
            settings: components["schemas"]["WorkspaceSettings"] | null;
            /**
             * Format: date-time
             * @description When the workspace was last changed.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
        };
        /** @description One workspace, without its limits. */
        WorkspaceBody: {
            workspace: components["schemas"]["Workspace"];
        };
        /** @description A chat in the list of a workspace. */
        WorkspaceChat: {
            /**
             * @description Id of the member who handles the chat; null if none does, and for an agent of Chatwoot.
             * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
             */
            assigneeId: string | null;
            /**
             * @description Id of the block that waits for the visitor; null if none does.
             * @example block-email
             */
            blockId: string | null;
            /**
             * @description Id of the bot, as create and list return it.
             * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
             */
            botId: string;
            /**
             * @description Name of the bot.
             * @example Lead capture
             */
            botName: string;
            /**
             * Format: date-time
             * @description When the chat started.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it can no longer be continued, unless another turn runs before.
             * @example 2026-03-04T10:15:30.120Z
             */
            expiresAt: string;
            /**
             * @description `bot`: the bot runs. `waiting`: the chat waits for a member. `member`: a member handles it. In the last two states, the bot neither runs nor sends.
             * @enum {string}
             */
            handledBy: "bot" | "waiting" | "member";
            /**
             * Format: date-time
             * @description When it last changed hands; null where only the bot has handled it.
             * @example 2026-03-05T12:40:00.000Z
             */
            handledSince: string | null;
            lastMessage: components["schemas"]["LastMessage"];
            /**
             * @description Id of the result, as the list of results returns it.
             * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
             */
            resultId: string;
            /**
             * Format: int32
             * @description Counts the turns of the chat.
             * @example 1
             */
            revision: number;
            /**
             * @description Id of the chat session, as start chat returns it.
             * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
             */
            sessionId: string;
            timer: components["schemas"]["ChatTimer"];
            /**
             * Format: date-time
             * @description When its last turn ran.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
        };
        /** @description A page of the chats of a workspace. */
        WorkspaceChatPage: {
            /** @description The chats, waiting ones first. */
            chats: components["schemas"]["WorkspaceChat"][];
            /**
             * @description Send it as `cursor` to get the following page; null on the last page.
             * @example AZx0mC1jZ3JhbnQ
             */
            nextCursor: string | null;
        };
        /** @description The workspace to create. */
        WorkspaceCreate: {
            /**
             * @description Read-only `billingId` of the workspace; accepted and ignored.
             * @example null
             */
            readonly billingId?: unknown;
            /**
             * @description Read-only `chatsHardLimit` of the workspace; accepted and ignored.
             * @example null
             */
            readonly chatsHardLimit?: unknown;
            /**
             * @description Read-only `createdAt` of the workspace; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            /**
             * @description Read-only `customChatsLimit` of the workspace; accepted and ignored.
             * @example null
             */
            readonly customChatsLimit?: unknown;
            /**
             * @description Read-only `customSeatsLimit` of the workspace; accepted and ignored.
             * @example null
             */
            readonly customSeatsLimit?: unknown;
            /**
             * @description Icon of the workspace: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon?: string | null;
            /**
             * @description Read-only `id` of the workspace; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Read-only `inactiveFirstEmailSentAt` of the workspace; accepted and ignored.
             * @example null
             */
            readonly inactiveFirstEmailSentAt?: unknown;
            /**
             * @description Read-only `inactiveSecondEmailSentAt` of the workspace; accepted and ignored.
             * @example null
             */
            readonly inactiveSecondEmailSentAt?: unknown;
            /**
             * @description Read-only `isPastDue` of the workspace; accepted and ignored.
             * @example null
             */
            readonly isPastDue?: unknown;
            /**
             * @description Read-only `isSuspended` of the workspace; accepted and ignored.
             * @example null
             */
            readonly isSuspended?: unknown;
            /**
             * @description Read-only `isVerified` of the workspace; accepted and ignored.
             * @example null
             */
            readonly isVerified?: unknown;
            /**
             * @description Read-only `lastActivityAt` of the workspace; accepted and ignored.
             * @example null
             */
            readonly lastActivityAt?: unknown;
            /**
             * @description Name of the workspace. Names need not be unique.
             * @example Acme
             */
            name: string;
            /**
             * @description Read-only `plan` of the workspace; accepted and ignored.
             * @example null
             */
            readonly plan?: unknown;
            /**
             * Format: int32
             * @description Days after which results of the bots are deleted, with their answers, transcripts and logs. They count from the end of the day (UTC) of a result. Null leaves it to the installation, which retains results for its own number of days, or until they are deleted.
             * @example 90
             */
            resultsRetentionDays?: number | null;
            /**
             * @description Read-only `settings` of the workspace; accepted and ignored.
             * @example null
             */
            readonly settings?: unknown;
            /**
             * @description Read-only `updatedAt` of the workspace; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
        };
        /** @description The workspace is deleted. */
        WorkspaceDeletedBody: {
            /**
             * @description Says that it is done.
             * @enum {string}
             */
            message: "Workspace deleted";
        };
        /** @description A workspace with the limits agreed for it. */
        WorkspaceDetails: {
            /**
             * @description Identifier at the billing provider; null without one.
             * @example cus_42
             */
            billingId: string | null;
            /**
             * Format: int32
             * @description Limit of chats per month agreed with the operator of the service, which does not enforce it; null means no limit.
             * @example 10000
             */
            chatsHardLimit: number | null;
            /**
             * Format: date-time
             * @description When the workspace was created.
             * @example 2026-03-04T10:15:30.120Z
             */
            createdAt: string;
            /**
             * Format: int32
             * @description Chats per month agreed for this workspace, which are not enforced; null means those of the plan.
             * @example 10000
             */
            customChatsLimit: number | null;
            /**
             * Format: int32
             * @description Number of members agreed for this workspace, which is not enforced; null means that of the plan.
             * @example 10000
             */
            customSeatsLimit: number | null;
            /**
             * @description Icon of the workspace: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon: string | null;
            /**
             * @description Id of the workspace, as create and list return it.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            id: string;
            /**
             * Format: date-time
             * @description When the operator of the service sent the first mail about inactivity; null when never.
             * @example 2026-03-04T10:15:30.120Z
             */
            inactiveFirstEmailSentAt: string | null;
            /**
             * Format: date-time
             * @description When the operator of the service sent the second mail about inactivity; null when never.
             * @example 2026-03-04T10:15:30.120Z
             */
            inactiveSecondEmailSentAt: string | null;
            /** @description True if the operator of the service marked a payment as overdue; nothing is rejected for it. */
            isPastDue: boolean;
            /** @description True if the operator of the service marked the workspace as suspended; nothing is rejected for it. */
            isSuspended: boolean;
            /** @description True if the operator of the service marked the workspace as verified. */
            isVerified: boolean;
            /**
             * Format: date-time
             * @description When the workspace was last used, as the operator of the service recorded it; null when not recorded.
             * @example 2026-03-04T10:15:30.120Z
             */
            lastActivityAt: string | null;
            /**
             * @description Name of the workspace. Names need not be unique.
             * @example Acme
             */
            name: string;
            /**
             * @description Plan of the workspace, as the operator of the service set it; no limit follows from it.
             * @enum {string}
             */
            plan: "FREE" | "STARTER" | "PRO" | "LIFETIME" | "OFFERED" | "CUSTOM" | "UNLIMITED" | "ENTERPRISE";
            /**
             * Format: int32
             * @description Days after which results of the bots are deleted, with their answers, transcripts and logs. They count from the end of the day (UTC) of a result. Null leaves it to the installation, which retains results for its own number of days, or until they are deleted.
             * @example 90
             */
            resultsRetentionDays: number | null;
            /** @description Settings of the workspace that editors read; null when none were set. */
            settings: components["schemas"]["WorkspaceSettings"] | null;
            /**
             * Format: date-time
             * @description When the workspace was last changed.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt: string;
        };
        /** @description One workspace and the caller's rights in it. */
        WorkspaceDetailsBody: {
            /**
             * @description The caller's rights: `write` for an admin, `read` for a member, `guest` for a guest.
             * @enum {string}
             */
            currentUserMode: "write" | "read" | "guest";
            workspace: components["schemas"]["WorkspaceDetails"];
        };
        /** @description The caller's workspaces. */
        WorkspaceList: {
            /**
             * @description Send it as `cursor` to get the following page; null on the last page.
             * @example AZx0mC1jZ3JhbnQ
             */
            nextCursor: string | null;
            /** @description The workspaces, newest first. */
            workspaces: components["schemas"]["WorkspaceSummary"][];
        };
        /** @description Name and icon of a workspace. */
        WorkspaceNameAndIcon: {
            /**
             * @description Icon of the workspace: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon: string | null;
            /**
             * @description Name of the workspace. Names need not be unique.
             * @example Acme
             */
            name: string;
        };
        /** @description Settings of a workspace that editors read. */
        WorkspaceSettings: {
            groupTitlesAutoGeneration?: components["schemas"]["GroupTitlesAutoGeneration"];
        } & {
            [key: string]: unknown;
        };
        /** @description A workspace in a list. */
        WorkspaceSummary: {
            /**
             * @description Icon of the workspace: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon: string | null;
            /**
             * @description Id of the workspace, as create and list return it.
             * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
             */
            id: string;
            /**
             * @description Name of the workspace. Names need not be unique.
             * @example Acme
             */
            name: string;
            /**
             * @description Plan of the workspace, as the operator of the service set it; no limit follows from it.
             * @enum {string}
             */
            plan: "FREE" | "STARTER" | "PRO" | "LIFETIME" | "OFFERED" | "CUSTOM" | "UNLIMITED" | "ENTERPRISE";
        };
        /** @description Changes; absent properties stay as they are. */
        WorkspaceUpdate: {
            /**
             * @description Read-only `billingId` of the workspace; accepted and ignored.
             * @example null
             */
            readonly billingId?: unknown;
            /**
             * @description Read-only `chatsHardLimit` of the workspace; accepted and ignored.
             * @example null
             */
            readonly chatsHardLimit?: unknown;
            /**
             * @description Read-only `createdAt` of the workspace; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            /**
             * @description Read-only `customChatsLimit` of the workspace; accepted and ignored.
             * @example null
             */
            readonly customChatsLimit?: unknown;
            /**
             * @description Read-only `customSeatsLimit` of the workspace; accepted and ignored.
             * @example null
             */
            readonly customSeatsLimit?: unknown;
            /**
             * @description Icon of the workspace: an emoji, an http(s) URL or a `data:image/` URL; null without one.
             * @example 🤖
             */
            icon?: string | null;
            /**
             * @description Read-only `id` of the workspace; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Read-only `inactiveFirstEmailSentAt` of the workspace; accepted and ignored.
             * @example null
             */
            readonly inactiveFirstEmailSentAt?: unknown;
            /**
             * @description Read-only `inactiveSecondEmailSentAt` of the workspace; accepted and ignored.
             * @example null
             */
            readonly inactiveSecondEmailSentAt?: unknown;
            /**
             * @description Read-only `isPastDue` of the workspace; accepted and ignored.
             * @example null
             */
            readonly isPastDue?: unknown;
            /**
             * @description Read-only `isSuspended` of the workspace; accepted and ignored.
             * @example null
             */
            readonly isSuspended?: unknown;
            /**
             * @description Read-only `isVerified` of the workspace; accepted and ignored.
             * @example null
             */
            readonly isVerified?: unknown;
            /**
             * @description Read-only `lastActivityAt` of the workspace; accepted and ignored.
             * @example null
             */
            readonly lastActivityAt?: unknown;
            /**
             * @description Name of the workspace. Names need not be unique.
             * @example Acme
             */
            name?: string;
            /**
             * @description Read-only `plan` of the workspace; accepted and ignored.
             * @example null
             */
            readonly plan?: unknown;
            /**
             * Format: int32
             * @description Days after which results of the bots are deleted, with their answers, transcripts and logs. They count from the end of the day (UTC) of a result. Null leaves it to the installation, which retains results for its own number of days, or until they are deleted.
             * @example 90
             */
            resultsRetentionDays?: number | null;
            /**
             * @description Read-only `settings` of the workspace; accepted and ignored.
             * @example null
             */
            readonly settings?: unknown;
            /**
             * @description Read-only `updatedAt` of the workspace; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
        };
        /** @description Starts a Zap by an HTTP request. */
        ZapierBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["HttpRequestOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "Zapier";
        } & {
            [key: string]: unknown;
        };
        /** @description Open the Zendesk widget. */
        ZendeskAction: {
            /** @description True if the client must continue the chat with the outcome. */
            expectsDedicatedReply?: boolean;
            /**
             * @description Run the action after this bubble; absent means before all.
             * @example block-hello
             */
            lastBubbleBlockId?: string;
            /**
             * @description Kind of the action. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "zendesk";
            zendesk: components["schemas"]["ScriptHolder"];
        };
        /** @description Works with Zendesk. Chats run it, with credentials of type zendesk. Versions 6 and 6.1 only. */
        ZendeskBlock: {
            /**
             * @description Id of the block.
             * @example blkAskEmail
             */
            id: string;
            options?: components["schemas"]["ZendeskOptions"];
            /**
             * @description Id of the edge that leaves the block. Running chats follow this id. The edge may be missing.
             * @example edgToEmail
             */
            outgoingEdgeId?: string;
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "zendesk";
        } & {
            [key: string]: unknown;
        };
        /** @description New credentials of type zendesk. */
        ZendeskCredentialsCreate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data: components["schemas"]["ZendeskData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "zendesk";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A change of credentials of type zendesk. */
        ZendeskCredentialsUpdate: {
            /**
             * @description Read-only time of creation; accepted and ignored.
             * @example null
             */
            readonly createdAt?: unknown;
            data?: components["schemas"]["ZendeskData"];
            /**
             * @description Read-only id of the credentials; accepted and ignored.
             * @example null
             */
            readonly id?: unknown;
            /**
             * @description Name to choose the credentials by.
             * @example Company account
             */
            name?: string;
            /**
             * @description Type of the credentials: the service they are for. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "zendesk";
            /**
             * @description Read-only time of the last change; accepted and ignored.
             * @example null
             */
            readonly updatedAt?: unknown;
            /**
             * @description Read-only id of the workspace; accepted and ignored.
             * @example null
             */
            readonly workspaceId?: unknown;
        };
        /** @description A Zendesk key that signs the identity of visitors. */
        ZendeskData: {
            /**
             * @description Id of the signing key.
             * @example app_example
             */
            conversationsKeyId: string;
            /**
             * Format: password
             * @description The signing key.
             * @example secret-example
             */
            conversationsSecretKey: string;
        };
        /** @description Options of the Zendesk block. The action decides which other properties apply. */
        ZendeskOptions: {
            /**
             * @description Action of the block: Open Web Widget. The service preserves other texts. Without an action the block does nothing.
             * @example Open Web Widget
             */
            action?: string;
            /**
             * @description Id of the credentials of the account.
             * @example crdVendor
             */
            credentialsId?: string;
            /**
             * @description E-mail address of the visitor.
             * @example {{Email}}
             */
            email?: string;
            /**
             * @description Name of the visitor.
             * @example {{Name}}
             */
            name?: string;
            /**
             * @description Id of the visitor at the vendor; may hold placeholders.
             * @example {{User ID}}
             */
            userId?: string;
            /**
             * @description Key of the widget.
             * @example 1a2b3c4d
             */
            webWidgetKey?: string;
        } & {
            [key: string]: unknown;
        };
    };
    responses: {
        /** @description The input does not fit the contract, or names something that cannot be. Nothing was changed. Correct what the issues name before sending the request again. */
        BadRequest: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["BadRequestErrorBody"];
            };
        };
        /** @description The record was changed since the caller read it, or it exists already. Read it again and repeat the change on the new state. With the issue `in_progress`, a request with the same Idempotency-Key is still running: send this one again, unchanged, after Retry-After seconds. With `already_created`, the first response held a secret, which is not stored: `current` has the id of the created record. */
        Conflict: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["RetryAfterInProgress"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ConflictErrorBody"];
            };
        };
        /** @description The caller may not do this to this record, or their token may not do it at all. Ask an admin of the workspace for a higher role; with the issue `missing_scope` or `bound_token`, use another token. */
        Forbidden: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ForbiddenErrorBody"];
            };
        };
        /** @description The Idempotency-Key was sent with another method, path or body before. Nothing was changed. Send another request with another key, and a repeat exactly as the first time. */
        IdempotencyMismatch: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["IdempotencyMismatchErrorBody"];
            };
        };
        /** @description The service failed. Its log has the details under the request id of the X-Request-Id header. */
        InternalServerError: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InternalServerErrorBody"];
            };
        };
        /** @description The addressed record does not exist, or no longer does. Check the id. */
        NotFound: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundErrorBody"];
            };
        };
        /** @description The record is in a state that `If-None-Match` names; nothing is sent again. */
        NotModified: {
            headers: {
                ETag: components["headers"]["ETag"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The request body is over the limit of the operation, which the issue names. */
        PayloadTooLarge: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PayloadTooLargeErrorBody"];
            };
        };
        /** @description The record is not in the state that `If-Match` or `If-None-Match` requires; nothing was changed. The issue and the header `ETag` have its current tag: read the record again and repeat the change on that state. */
        PreconditionFailed: {
            headers: {
                ETag: components["headers"]["ETag"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PreconditionFailedErrorBody"];
            };
        };
        /** @description The request line and headers are over 16 KiB together, or there are more than 100 headers. Send fewer or shorter headers. */
        RequestHeaderFieldsTooLarge: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RequestHeaderFieldsTooLargeErrorBody"];
            };
        };
        /** @description The request did not arrive completely in time. Send it again. */
        RequestTimeout: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RequestTimeoutErrorBody"];
            };
        };
        /** @description The database cannot be reached or is overloaded. As a rule nothing was changed; it may have been if the connection to the database was lost at the very end. Try again after Retry-After seconds, a POST or PATCH with the same Idempotency-Key. If something else is missing, an issue names it. */
        ServiceUnavailable: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ServiceUnavailableErrorBody"];
            };
        };
        /** @description The caller sent too many requests in a window of time or at once, or a record reached its limit of entries. Or an address or the visitors of a bot reached their daily limit of storage. Nothing was done. Wait as many seconds as Retry-After says; with the issue `daily_quota_exceeded` it takes up to a day, and with `quota_exceeded` waiting does not help. */
        TooManyRequests: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TooManyRequestsErrorBody"];
            };
        };
        /** @description The Authorization header is missing, or its token is malformed, unknown, expired or revoked. Send a valid token as a Bearer credential. */
        Unauthorized: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["Challenge"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnauthorizedErrorBody"];
            };
        };
        /** @description The request body is not what the operation takes: JSON in UTF-8, sent as Content-Type: application/json, or a file, sent as application/octet-stream; both without a content encoding. */
        UnsupportedMediaType: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnsupportedMediaTypeErrorBody"];
            };
        };
    };
    parameters: {
        /**
         * @description Text that at least one answer contains, without regard to case. No character has a special meaning.
         * @example example.com
         */
        AnswerContainsQuery: string;
        /**
         * @description Only chats that this member handles.
         * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
         */
        AssigneeIdQuery: string;
        /**
         * @description Id of the block, as the list returns it.
         * @example block-crm
         */
        BlockId: string;
        /**
         * @description Id of the bot, as create and list return it.
         * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
         */
        BotId: string;
        /**
         * @description Start of the range, inclusive, with its time zone. Narrows the days of `timeFilter`.
         * @example 2026-03-01T00:00:00Z
         */
        CreatedAfterQuery: string;
        /**
         * @description End of the range, exclusive, with its time zone. It must not be before `createdAfter`, and has to be later than the beginning of `timeFilter`.
         * @example 2026-03-08T00:00:00+01:00
         */
        CreatedBeforeQuery: string;
        /**
         * @description Id of the credentials.
         * @example 01jr5x9n7x8f2a6e1w3y5z7b9d
         */
        CredentialsId: string;
        /** @description The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input. */
        CursorQuery: string;
        /**
         * @description Id of the delivery, which receivers get as `webhook-id`.
         * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
         */
        DeliveryId: string;
        /**
         * @description Id of the endpoint, as create and list return it.
         * @example 01jr5xam8y9g3b7f2x4z6a8c0e
         */
        EndpointId: string;
        /**
         * @description Id of the folder, as create and list return it.
         * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
         */
        FolderId: string;
        /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
        IdempotencyKey: string;
        /** @description Entity tags, as in `ETag`, or `*`: the operation runs only if the record is in one of these states, and returns 412 otherwise. Compared strongly, so a weak tag never matches. On a write only the state of the record counts, so that a tag outlives a change of role or of the query. */
        IfMatch: string;
        /** @description Entity tags, as in `ETag`, or `*`: a read returns 304 without a body if the record is in one of these states. Compared weakly. A write that is sent with it returns 412 then, and a read with `If-Match` returns 412 in every other state. */
        IfNoneMatch: string;
        /**
         * @description Maximum entries of the page, from 1 to 100.
         * @example 20
         */
        LimitQuery: number;
        /**
         * @description True to convert the response to the latest version of the schema. The stored document stays as it is. Absent means no.
         * @example true
         */
        MigrateToLatestVersionQuery: boolean;
        /** @description With `return=minimal`, the response is a brief form of the record (RFC 7240), and has `Preference-Applied`. Other preferences are ignored. */
        Prefer: string;
        /**
         * @description Id of the publication.
         * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
         */
        PublicationId: string;
        /**
         * @description Id of the result, as the list of results returns it.
         * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
         */
        ResultId: string;
        /**
         * @description Id of the chat session, as start chat returns it.
         * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
         */
        SessionId: string;
        /**
         * @description Progress of a chat: `started` has at least one answer and did not reach an end, `completed` has at least one and reached an end. Absent means both, and where chats without an answer count, these too.
         * @example completed
         */
        StatusQuery: "started" | "completed";
        /**
         * @description Calendar days that count, by the given time zone: `last7Days` and `last30Days` include today, `lastMonth` is the whole month before this one.
         * @example last7Days
         */
        TimeFilterQuery: "today" | "last7Days" | "last30Days" | "monthToDate" | "lastMonth" | "yearToDate" | "allTime";
        /**
         * @description IANA name of the time zone of the calendar days.
         * @example Europe/Paris
         */
        TimeZoneQuery: string;
        /**
         * @description Id of the user, as the list of members returns it.
         * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
         */
        UserId: string;
        /**
         * @description Name of a variable, a colon, and its exact value. For a list, one entry must have that value. The first colon ends the name, so variables with a colon in their names cannot be used.
         * @example Email:ada@example.com
         */
        VariableQuery: string;
        /**
         * @description Id of the delivery, the same in every attempt: treat a second one as a repeat.
         * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
         */
        WebhookId: string;
        /**
         * @description Signatures of `<webhook-id>.<webhook-timestamp>.<body>` in the form of Standard Webhooks, one for each valid secret, separated by a space.
         * @example v1,7djSDA42ZKWaLmiL7aD8JamUBL9ak5LEqmH0r/bynrs=
         */
        WebhookSignature: string;
        /**
         * @description Time of this attempt, in whole seconds since 1970.
         * @example 1772713860
         */
        WebhookTimestamp: string;
        /**
         * @description Id of the workspace, as create and list return it.
         * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
         */
        WorkspaceId: string;
        /**
         * @description When given, the folder must be in this workspace; otherwise it is not found.
         * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
         */
        WorkspaceIdQuery: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Origin of the calling page, sent if the request names one.
         * @example https://www.example.com
         */
        "Access-Control-Allow-Origin": string;
        /**
         * @description Headers that the page can read, sent if the request names an origin.
         * @example Idempotent-Replayed, RateLimit, Retry-After, X-Request-Id
         */
        "Access-Control-Expose-Headers": string;
        /**
         * @description Scheme of authentication to use.
         * @example Bearer realm="api"
         */
        Challenge: string;
        /**
         * @description Entity tag of the record: it changes whenever the record, as this caller sees it, changes. Opaque; send it back unchanged.
         * @example "01jr5x2e0p1y5s9x4n6q8r0t2w-8c1d5b6e0f3a9247-4f9c02a7d1b8e365"
         */
        ETag: string;
        /**
         * @description Name under which browsers save the file.
         * @example attachment; filename="results-01jr5x2e0p1y5s9x4n6q8r0t2w.csv"
         */
        FileName: string;
        /**
         * @description Marks the response to an earlier request with the same Idempotency-Key.
         * @example true
         */
        IdempotentReplayed: "true";
        /**
         * @description Path of the created record.
         * @example /v1/records/01jr5x1d9n0x4r8w3m5p7q9s1v
         */
        Location: string;
        /**
         * @description Send it as `cursor` to get the following part; absent on the last one.
         * @example AZx0mC1jZ3JhbnQ
         */
        NextCursor: string;
        /**
         * @description The preference that was followed, if any.
         * @example return=minimal
         */
        PreferenceApplied: "return=minimal";
        /**
         * @description Requests left (`r`) and seconds until there are more (`t`). Absent if limits are off.
         * @example "token";r=57;t=1
         */
        RateLimit: string;
        /**
         * @description Limits of the caller: requests (`q`) in a window of seconds (`w`), and requests at once. Absent if limits are off.
         * @example "token";q=100;w=2, "parallel";q=20;qu="concurrent-requests"
         */
        "RateLimit-Policy": string;
        /**
         * @description Id of the request in the log of the service; a sane one sent by the caller is used.
         * @example 01jr5x9n7w8z2g6e1v3y5a7b9d
         */
        RequestId: string;
        /**
         * @description Results of the range and status from the cursor on, including those of this part. `answerContains` and `variable` are applied later, so there can be fewer lines.
         * @example 125000
         */
        ResultsRemaining: number;
        /**
         * @description Seconds to wait before the next attempt.
         * @example 1
         */
        RetryAfter: number;
        /**
         * @description Seconds to wait before the next attempt, while a request with the same Idempotency-Key is running.
         * @example 1
         */
        RetryAfterInProgress: number;
        /**
         * @description Time when the token of this request expires; sent with every response in its last 7 days. Create another one in time.
         * @example 2026-06-02T10:15:30.120Z
         */
        TokenExpiration: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    executeWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of the webhook block.
                 * @example block-webhook
                 */
                blockId: string;
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
                /**
                 * @description Id of the result of the chat.
                 * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
                 */
                resultId: string;
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["WebhookData"];
            };
        };
        responses: {
            /** @description The chat continued with the data. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    receiveChatwootEvent: {
        parameters: {
            query?: {
                /**
                 * @description The secret of the credentials, for a Chatwoot that does not sign its events.
                 * @example chatwoot-secret-example
                 */
                secret?: string;
                /**
                 * @description Handling of a conversation whose chat is over: `open` (the default) hands it to the members, `resolve` resolves it, `pending` leaves it to the bot, which then starts anew.
                 * @example resolve
                 */
                whenOver?: "open" | "resolve" | "pending";
                /**
                 * @description Position from which the bot continues when members give a conversation back: `resume` (the default) where it was, `restart` at its start.
                 * @example restart
                 */
                whenReturned?: "resume" | "restart";
            };
            header?: never;
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
                /**
                 * @description Id of credentials of the type `chatwoot`.
                 * @example 01jr5x9n7x8f2a6e1w3y5z7b9d
                 */
                credentialsId: string;
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChatwootEvent"];
            };
        };
        responses: {
            /** @description The event is stored, or needs nothing. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    startPreview: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["StartPreviewBody"];
            };
        };
        responses: {
            /** @description The first messages of the bot, and the input it waits at. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedPreviewBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    startChat: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Name under which the published bot is reached, as the bot has it in `publicId`.
                 * @example lead-generation-8k2m4p6
                 */
                publicId: string;
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["StartChatBody"];
            };
        };
        responses: {
            /** @description The first messages of the bot, and the input it waits at. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedChatBody"];
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the chat session, as start chat returns it.
                 * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
                 */
                sessionId: components["parameters"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The messages, and the input or the action that the chat waits for. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatSessionBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    continueChat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the chat session, as start chat returns it.
                 * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
                 */
                sessionId: components["parameters"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ContinueChatBody"];
            };
        };
        responses: {
            /** @description The next messages of the bot, and the input it waits at. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContinuedChatBody"];
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listSessionEvents: {
        parameters: {
            query?: {
                /**
                 * @description Id of the last event that the client has. Absent means from now on. The header `Last-Event-ID` takes precedence.
                 * @example 3.1
                 */
                after?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the chat session, as start chat returns it.
                 * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
                 */
                sessionId: components["parameters"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events after the given one. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionEventsBody"];
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    uploadFile: {
        parameters: {
            query: {
                /**
                 * @description Name of the file. Its extension is the type that the input checks.
                 * @example plan.pdf
                 */
                fileName: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the chat session, as start chat returns it.
                 * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
                 */
                sessionId: components["parameters"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 10 MiB, unless the input (`upload.maximumSize`) or the installation sets another limit: the bytes of a file of any type. */
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The file is stored; name it in a reply. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    saveClientLogs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the chat session, as start chat returns it.
                 * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
                 */
                sessionId: components["parameters"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveClientLogsBody"];
            };
        };
        responses: {
            /** @description The entries are saved. */
            200: {
                headers: {
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listBots: {
        parameters: {
            query: {
                /** @description The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input. */
                cursor?: components["parameters"]["CursorQuery"];
                /**
                 * @description List only the bots directly in this folder; `root` means those in none. Absent lists the whole workspace; an unknown folder is not found.
                 * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
                 */
                folderId?: string;
                /**
                 * @description Maximum entries of the page, from 1 to 100.
                 * @example 20
                 */
                limit?: components["parameters"]["LimitQuery"];
                /**
                 * @description Id of the workspace whose bots are listed.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of bots, newest first. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createBot: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description With `return=minimal`, the response is a brief form of the record (RFC 7240), and has `Preference-Applied`. Other preferences are ignored. */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateBotBody"];
            };
        };
        responses: {
            /** @description The new bot with its id and defaults. */
            201: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotBody"];
                    "application/vnd.bot-builder.minimal+json": components["schemas"]["BotReferenceBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getBot: {
        parameters: {
            query?: {
                /**
                 * @description True to convert the response to the latest version of the schema. The stored document stays as it is. Absent means no.
                 * @example true
                 */
                migrateToLatestVersion?: components["parameters"]["MigrateToLatestVersionQuery"];
            };
            header?: {
                /** @description Entity tags, as in `ETag`, or `*`: a read returns 304 without a body if the record is in one of these states. Compared weakly. A write that is sent with it returns 412 then, and a read with `If-Match` returns 412 in every other state. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bot and the caller's mode. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotWithModeBody"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteBot: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags, as in `ETag`, or `*`: the operation runs only if the record is in one of these states, and returns 412 otherwise. Compared strongly, so a weak tag never matches. On a write only the state of the record counts, so that a tag outlives a change of role or of the query. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bot has been deleted. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateBot: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Entity tags, as in `ETag`, or `*`: the operation runs only if the record is in one of these states, and returns 412 otherwise. Compared strongly, so a weak tag never matches. On a write only the state of the record counts, so that a tag outlives a change of role or of the query. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description With `return=minimal`, the response is a brief form of the record (RFC 7240), and has `Preference-Applied`. Other preferences are ignored. */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        /** @description At most 4 MiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateBotBody"];
            };
        };
        responses: {
            /** @description The bot as it is now. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotBody"];
                    "application/vnd.bot-builder.minimal+json": components["schemas"]["BotReferenceBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getBlockStats: {
        parameters: {
            query?: {
                /**
                 * @description Start of the range, inclusive, with its time zone. Narrows the days of `timeFilter`.
                 * @example 2026-03-01T00:00:00Z
                 */
                createdAfter?: components["parameters"]["CreatedAfterQuery"];
                /**
                 * @description End of the range, exclusive, with its time zone. It must not be before `createdAfter`, and has to be later than the beginning of `timeFilter`.
                 * @example 2026-03-08T00:00:00+01:00
                 */
                createdBefore?: components["parameters"]["CreatedBeforeQuery"];
                /**
                 * @description Progress of a chat: `started` has at least one answer and did not reach an end, `completed` has at least one and reached an end. Absent means both, and where chats without an answer count, these too.
                 * @example completed
                 */
                status?: components["parameters"]["StatusQuery"];
                /**
                 * @description Calendar days that count, by the given time zone: `last7Days` and `last30Days` include today, `lastMonth` is the whole month before this one.
                 * @example last7Days
                 */
                timeFilter?: components["parameters"]["TimeFilterQuery"];
                /**
                 * @description IANA name of the time zone of the calendar days.
                 * @example Europe/Paris
                 */
                timeZone?: components["parameters"]["TimeZoneQuery"];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The input blocks of the published flow. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockStatsBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getStats: {
        parameters: {
            query?: {
                /**
                 * @description Start of the range, inclusive, with its time zone. Narrows the days of `timeFilter`.
                 * @example 2026-03-01T00:00:00Z
                 */
                createdAfter?: components["parameters"]["CreatedAfterQuery"];
                /**
                 * @description End of the range, exclusive, with its time zone. It must not be before `createdAfter`, and has to be later than the beginning of `timeFilter`.
                 * @example 2026-03-08T00:00:00+01:00
                 */
                createdBefore?: components["parameters"]["CreatedBeforeQuery"];
                /**
                 * @description Progress of a chat: `started` has at least one answer and did not reach an end, `completed` has at least one and reached an end. Absent means both, and where chats without an answer count, these too.
                 * @example completed
                 */
                status?: components["parameters"]["StatusQuery"];
                /**
                 * @description Calendar days that count, by the given time zone: `last7Days` and `last30Days` include today, `lastMonth` is the whole month before this one.
                 * @example last7Days
                 */
                timeFilter?: components["parameters"]["TimeFilterQuery"];
                /**
                 * @description IANA name of the time zone of the calendar days.
                 * @example Europe/Paris
                 */
                timeZone?: components["parameters"]["TimeZoneQuery"];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The three counts of the range. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatsBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listChats: {
        parameters: {
            query?: {
                /**
                 * @description Only chats that this member handles.
                 * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
                 */
                assigneeId?: components["parameters"]["AssigneeIdQuery"];
                /** @description The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input. */
                cursor?: components["parameters"]["CursorQuery"];
                /**
                 * @description Only chats in this state: handled by the `bot`, `waiting` for a member, or handled by a `member`.
                 * @example waiting
                 */
                handledBy?: "bot" | "waiting" | "member";
                /**
                 * @description Maximum entries of the page, from 1 to 100.
                 * @example 20
                 */
                limit?: components["parameters"]["LimitQuery"];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of chats, in their order. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getChat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
                /**
                 * @description Id of the chat session, as start chat returns it.
                 * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
                 */
                sessionId: components["parameters"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The chat with its messages. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatDetailBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateChat: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
                /**
                 * @description Id of the chat session, as start chat returns it.
                 * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
                 */
                sessionId: components["parameters"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChatUpdate"];
            };
        };
        responses: {
            /** @description The chat as it is now. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    sendMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
                /**
                 * @description Id of the chat session, as start chat returns it.
                 * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
                 */
                sessionId: components["parameters"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["MemberMessage"];
            };
        };
        responses: {
            /** @description The bubbles that the visitor sees. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentMessageBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateTypingSign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
                /**
                 * @description Id of the chat session, as start chat returns it.
                 * @example 01jr5x6j4t5c9x3b8s0v2w4y6a
                 */
                sessionId: components["parameters"]["SessionId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TypingSign"];
            };
        };
        responses: {
            /** @description Clients that follow the session get it. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    checkBot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The findings; an empty list means that there are none. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowCheckBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    compareBot: {
        parameters: {
            query?: {
                /**
                 * @description The state before: `draft`, `published`, or the id of a publication. Default `published`.
                 * @example published
                 */
                from?: string;
                /**
                 * @description The state after: `draft`, `published`, or the id of a publication. Default `draft`.
                 * @example draft
                 */
                to?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The differences; an empty list says that the flows are equal. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ComparisonBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    duplicateBot: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DuplicateBotBody"];
            };
        };
        responses: {
            /** @description The new bot, not yet published. */
            201: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    exportBot: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags, as in `ETag`, or `*`: a read returns 304 without a body if the record is in one of these states. Compared weakly. A write that is sent with it returns 412 then, and a read with `If-Match` returns 412 in every other state. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document, ready to be imported. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportedBotBody"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listPublications: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input. */
                cursor?: components["parameters"]["CursorQuery"];
                /**
                 * @description Maximum entries of the page, from 1 to 100.
                 * @example 20
                 */
                limit?: components["parameters"]["LimitQuery"];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of publications, newest first. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicationPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPublication: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags, as in `ETag`, or `*`: a read returns 304 without a body if the record is in one of these states. Compared weakly. A write that is sent with it returns 412 then, and a read with `If-Match` returns 412 in every other state. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
                /**
                 * @description Id of the publication.
                 * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
                 */
                publicationId: components["parameters"]["PublicationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The publication with its flow. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicationBody"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    restorePublication: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Entity tags, as in `ETag`, or `*`: the operation runs only if the record is in one of these states, and returns 412 otherwise. Compared strongly, so a weak tag never matches. On a write only the state of the record counts, so that a tag outlives a change of role or of the query. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
                /**
                 * @description Id of the publication.
                 * @example 01jr5x7k5v6d0y4c9t1w3x5z7b
                 */
                publicationId: components["parameters"]["PublicationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bot with the restored draft. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    publishBot: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Entity tags, as in `ETag`, or `*`: the operation runs only if the record is in one of these states, and returns 412 otherwise. Compared strongly, so a weak tag never matches. On a write only the state of the record counts, so that a tag outlives a change of role or of the query. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bot is published. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishedBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPublishedBot: {
        parameters: {
            query?: {
                /**
                 * @description True to convert the response to the latest version of the schema. The stored document stays as it is. Absent means no.
                 * @example true
                 */
                migrateToLatestVersion?: components["parameters"]["MigrateToLatestVersionQuery"];
            };
            header?: {
                /** @description Entity tags, as in `ETag`, or `*`: a read returns 304 without a body if the record is in one of these states. Compared weakly. A write that is sent with it returns 412 then, and a read with `If-Match` returns 412 in every other state. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The published copy with its flow. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishedBotBody"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listResults: {
        parameters: {
            query?: {
                /**
                 * @description Text that at least one answer contains, without regard to case. No character has a special meaning.
                 * @example example.com
                 */
                answerContains?: components["parameters"]["AnswerContainsQuery"];
                /**
                 * @description Start of the range, inclusive, with its time zone. Narrows the days of `timeFilter`.
                 * @example 2026-03-01T00:00:00Z
                 */
                createdAfter?: components["parameters"]["CreatedAfterQuery"];
                /**
                 * @description End of the range, exclusive, with its time zone. It must not be before `createdAfter`, and has to be later than the beginning of `timeFilter`.
                 * @example 2026-03-08T00:00:00+01:00
                 */
                createdBefore?: components["parameters"]["CreatedBeforeQuery"];
                /** @description The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input. */
                cursor?: components["parameters"]["CursorQuery"];
                /**
                 * @description Maximum entries of the page, from 1 to 100.
                 * @example 20
                 */
                limit?: components["parameters"]["LimitQuery"];
                /**
                 * @description Progress of a chat: `started` has at least one answer and did not reach an end, `completed` has at least one and reached an end. Absent means both, and where chats without an answer count, these too.
                 * @example completed
                 */
                status?: components["parameters"]["StatusQuery"];
                /**
                 * @description Calendar days that count, by the given time zone: `last7Days` and `last30Days` include today, `lastMonth` is the whole month before this one.
                 * @example last7Days
                 */
                timeFilter?: components["parameters"]["TimeFilterQuery"];
                /**
                 * @description IANA name of the time zone of the calendar days.
                 * @example Europe/Paris
                 */
                timeZone?: components["parameters"]["TimeZoneQuery"];
                /**
                 * @description Name of a variable, a colon, and its exact value. For a list, one entry must have that value. The first colon ends the name, so variables with a colon in their names cannot be used.
                 * @example Email:ada@example.com
                 */
                variable?: components["parameters"]["VariableQuery"];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of results, newest first. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteResults: {
        parameters: {
            query?: {
                /**
                 * @description Only results whose chats began before this time, with its time zone; not in the future. Results without an answer are among them.
                 * @example 2026-03-01T00:00:00Z
                 */
                createdBefore?: string;
                /**
                 * @description Ids of the results to delete, separated by commas. Absent means no restriction to ids.
                 * @example [
                 *       "01jr5x5h3s4b8w2a7r9t1v3x5z"
                 *     ]
                 */
                resultIds?: string[];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The results are deleted. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getResult: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags, as in `ETag`, or `*`: a read returns 304 without a body if the record is in one of these states. Compared weakly. A write that is sent with it returns 412 then, and a read with `If-Match` returns 412 in every other state. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
                /**
                 * @description Id of the result, as the list of results returns it.
                 * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
                 */
                resultId: components["parameters"]["ResultId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result with its answers. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultBody"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listResultLogs: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input. */
                cursor?: components["parameters"]["CursorQuery"];
                /**
                 * @description Maximum entries of the page, from 1 to 100.
                 * @example 20
                 */
                limit?: components["parameters"]["LimitQuery"];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
                /**
                 * @description Id of the result, as the list of results returns it.
                 * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
                 */
                resultId: components["parameters"]["ResultId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries, newest first. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultLogPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getTranscript: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
                /**
                 * @description Id of the result, as the list of results returns it.
                 * @example 01jr5x5h3s4b8w2a7r9t1v3x5z
                 */
                resultId: components["parameters"]["ResultId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The complete transcript. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    exportResults: {
        parameters: {
            query?: {
                /**
                 * @description Text that at least one answer contains, without regard to case. No character has a special meaning.
                 * @example example.com
                 */
                answerContains?: components["parameters"]["AnswerContainsQuery"];
                /**
                 * @description True to begin a CSV with a byte order mark, by which Excel recognises UTF-8. Only the first part has one. Absent means no.
                 * @example true
                 */
                byteOrderMark?: boolean;
                /**
                 * @description Start of the range, inclusive, with its time zone. Narrows the days of `timeFilter`.
                 * @example 2026-03-01T00:00:00Z
                 */
                createdAfter?: components["parameters"]["CreatedAfterQuery"];
                /**
                 * @description End of the range, exclusive, with its time zone. It must not be before `createdAfter`, and has to be later than the beginning of `timeFilter`.
                 * @example 2026-03-08T00:00:00+01:00
                 */
                createdBefore?: components["parameters"]["CreatedBeforeQuery"];
                /** @description The `Next-Cursor` of the part before, sent with the same filter; absent for the first part. An altered cursor, or one of another bot or filter, is invalid input. */
                cursor?: string;
                /**
                 * @description Form of the lines: comma-separated values, or a JSON object each.
                 * @example jsonl
                 */
                format?: "csv" | "jsonl";
                /**
                 * @description Number of results that the part covers. Absent covers all, in one response.
                 * @example 10000
                 */
                limit?: number;
                /**
                 * @description Progress of a chat: `started` has at least one answer and did not reach an end, `completed` has at least one and reached an end. Absent means both, and where chats without an answer count, these too.
                 * @example completed
                 */
                status?: components["parameters"]["StatusQuery"];
                /**
                 * @description Calendar days that count, by the given time zone: `last7Days` and `last30Days` include today, `lastMonth` is the whole month before this one.
                 * @example last7Days
                 */
                timeFilter?: components["parameters"]["TimeFilterQuery"];
                /**
                 * @description IANA name of the time zone of the calendar days.
                 * @example Europe/Paris
                 */
                timeZone?: components["parameters"]["TimeZoneQuery"];
                /**
                 * @description Name of a variable, a colon, and its exact value. For a list, one entry must have that value. The first colon ends the name, so variables with a colon in their names cannot be used.
                 * @example Email:ada@example.com
                 */
                variable?: components["parameters"]["VariableQuery"];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lines; in a CSV, the names of the columns first. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Content-Disposition": components["headers"]["FileName"];
                    "Next-Cursor": components["headers"]["NextCursor"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Results-Remaining": components["headers"]["ResultsRemaining"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    unpublishBot: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Entity tags, as in `ETag`, or `*`: the operation runs only if the record is in one of these states, and returns 412 otherwise. Compared strongly, so a weak tag never matches. On a write only the state of the record counts, so that a tag outlives a change of role or of the query. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bot is not published. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhookBlocks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The blocks that send requests. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookBlocksBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getResultExample: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the block, as the list returns it.
                 * @example block-crm
                 */
                blockId: components["parameters"]["BlockId"];
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The example of the data that the block sends. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultExampleBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    subscribeWebhookBlock: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of the block, as the list returns it.
                 * @example block-crm
                 */
                blockId: components["parameters"]["BlockId"];
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscribeWebhookBlockBody"];
            };
        };
        responses: {
            /** @description The block with its new address. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    unsubscribeWebhookBlock: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of the block, as the list returns it.
                 * @example block-crm
                 */
                blockId: components["parameters"]["BlockId"];
                /**
                 * @description Id of the bot, as create and list return it.
                 * @example 01jr5x2e0p1y5s9x4n6q8r0t2w
                 */
                botId: components["parameters"]["BotId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The block without an address. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    importBot: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 MiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportBotBody"];
            };
        };
        responses: {
            /** @description The new bot and the dropped parts. */
            201: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedBotBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getCurrentUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller, their token and their roles. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentUserBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    startDeviceLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeviceLoginStart"];
            };
        };
        responses: {
            /** @description The codes of the login. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedDeviceLogin"];
                };
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    continueDeviceLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeviceLoginContinue"];
            };
        };
        responses: {
            /** @description The decision, with the token if it was allowed. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceLogin"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listFolders: {
        parameters: {
            query: {
                /** @description The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input. */
                cursor?: components["parameters"]["CursorQuery"];
                /**
                 * @description Maximum entries of the page, from 1 to 100. Without it, a page has up to 1,000.
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description List the folders directly in this folder. Absent or `root` means the top level; an unknown folder is not found.
                 * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
                 */
                parentFolderId?: string;
                /**
                 * @description Id of the workspace whose folders are listed.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folders, newest first. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createFolder: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateFolderBody"];
            };
        };
        responses: {
            /** @description The new folder with its id. */
            201: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getFolder: {
        parameters: {
            query?: {
                /**
                 * @description When given, the folder must be in this workspace; otherwise it is not found.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId?: components["parameters"]["WorkspaceIdQuery"];
            };
            header?: {
                /** @description Entity tags, as in `ETag`, or `*`: a read returns 304 without a body if the record is in one of these states. Compared weakly. A write that is sent with it returns 412 then, and a read with `If-Match` returns 412 in every other state. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /**
                 * @description Id of the folder, as create and list return it.
                 * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
                 */
                folderId: components["parameters"]["FolderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folder, without its contents. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderBody"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteFolder: {
        parameters: {
            query?: {
                /**
                 * @description When given, the folder must be in this workspace; otherwise it is not found.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId?: components["parameters"]["WorkspaceIdQuery"];
            };
            header?: {
                /** @description Entity tags, as in `ETag`, or `*`: the operation runs only if the record is in one of these states, and returns 412 otherwise. Compared strongly, so a weak tag never matches. On a write only the state of the record counts, so that a tag outlives a change of role or of the query. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description Id of the folder, as create and list return it.
                 * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
                 */
                folderId: components["parameters"]["FolderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folder that was deleted. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateFolder: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Entity tags, as in `ETag`, or `*`: the operation runs only if the record is in one of these states, and returns 412 otherwise. Compared strongly, so a weak tag never matches. On a write only the state of the record counts, so that a tag outlives a change of role or of the query. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description Id of the folder, as create and list return it.
                 * @example 01jr5x1d9n0x4r8w3m5p7q9s1v
                 */
                folderId: components["parameters"]["FolderId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateFolderBody"];
            };
        };
        responses: {
            /** @description The folder as it is now. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listTemplates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The templates, the most general first. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the template, as the list of templates has it.
                 * @example lead-form
                 */
                templateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template with its bot. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listBrowserSessions: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input. */
                cursor?: components["parameters"]["CursorQuery"];
                /**
                 * @description Maximum entries of the page, from 1 to 100.
                 * @example 20
                 */
                limit?: components["parameters"]["LimitQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of browser sessions, newest first. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserSessionList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    revokeBrowserSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the browser session, as the list returns it.
                 * @example 01jr5xcp0a1j5d9h4z6b8c0e2g
                 */
                browserSessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The browser session that ended. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserSessionBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input. */
                cursor?: components["parameters"]["CursorQuery"];
                /**
                 * @description Maximum entries of the page, from 1 to 100.
                 * @example 20
                 */
                limit?: components["parameters"]["LimitQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tokens, newest first. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiTokenList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiTokenCreate"];
            };
        };
        responses: {
            /** @description The new token, shown this once. */
            201: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiTokenBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the token, which is not the token itself.
                 * @example 01jr5x4g2r3a7v1z6q8s0t2w4y
                 */
                tokenId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token that was revoked. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiTokenBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWorkspaces: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input. */
                cursor?: components["parameters"]["CursorQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workspaces, newest first. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createWorkspace: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkspaceCreate"];
            };
        };
        responses: {
            /** @description The new workspace with its id. */
            201: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWorkspace: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags, as in `ETag`, or `*`: a read returns 304 without a body if the record is in one of these states. Compared weakly. A write that is sent with it returns 412 then, and a read with `If-Match` returns 412 in every other state. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workspace and the caller's mode. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceDetailsBody"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteWorkspace: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags, as in `ETag`, or `*`: the operation runs only if the record is in one of these states, and returns 412 otherwise. Compared strongly, so a weak tag never matches. On a write only the state of the record counts, so that a tag outlives a change of role or of the query. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workspace is deleted. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceDeletedBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateWorkspace: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Entity tags, as in `ETag`, or `*`: the operation runs only if the record is in one of these states, and returns 412 otherwise. Compared strongly, so a weak tag never matches. On a write only the state of the record counts, so that a tag outlives a change of role or of the query. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["WorkspaceUpdate"];
            };
        };
        responses: {
            /** @description Name and icon as they are now. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatedWorkspaceBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input. */
                cursor?: components["parameters"]["CursorQuery"];
                /**
                 * @description Maximum entries of the page, from 1 to 100.
                 * @example 20
                 */
                limit?: components["parameters"]["LimitQuery"];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries, newest first. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWorkspaceChats: {
        parameters: {
            query?: {
                /**
                 * @description Only chats that this member handles.
                 * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
                 */
                assigneeId?: components["parameters"]["AssigneeIdQuery"];
                /** @description The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input. */
                cursor?: components["parameters"]["CursorQuery"];
                /**
                 * @description Only chats in this state: `waiting` for a member, or handled by a `member`.
                 * @example waiting
                 */
                handledBy?: "waiting" | "member";
                /**
                 * @description Maximum entries of the page, from 1 to 100.
                 * @example 20
                 */
                limit?: components["parameters"]["LimitQuery"];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the workspace.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of chats, waiting ones first. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceChatPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listCredentials: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The credentials, newest first. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CredentialsList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createCredentials: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CredentialsCreate"];
            };
        };
        responses: {
            /** @description The new credentials, without their secrets. */
            201: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CredentialsBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getCredentials: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags, as in `ETag`, or `*`: a read returns 304 without a body if the record is in one of these states. Compared weakly. A write that is sent with it returns 412 then, and a read with `If-Match` returns 412 in every other state. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /**
                 * @description Id of the credentials.
                 * @example 01jr5x9n7x8f2a6e1w3y5z7b9d
                 */
                credentialsId: components["parameters"]["CredentialsId"];
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The credentials, without their secrets. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CredentialsBody"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteCredentials: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags, as in `ETag`, or `*`: the operation runs only if the record is in one of these states, and returns 412 otherwise. Compared strongly, so a weak tag never matches. On a write only the state of the record counts, so that a tag outlives a change of role or of the query. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description Id of the credentials.
                 * @example 01jr5x9n7x8f2a6e1w3y5z7b9d
                 */
                credentialsId: components["parameters"]["CredentialsId"];
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The credentials that were deleted. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CredentialsBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateCredentials: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Entity tags, as in `ETag`, or `*`: the operation runs only if the record is in one of these states, and returns 412 otherwise. Compared strongly, so a weak tag never matches. On a write only the state of the record counts, so that a tag outlives a change of role or of the query. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description Id of the credentials.
                 * @example 01jr5x9n7x8f2a6e1w3y5z7b9d
                 */
                credentialsId: components["parameters"]["CredentialsId"];
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CredentialsUpdate"];
            };
        };
        responses: {
            /** @description The credentials as they are now. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CredentialsBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    testCredentials: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of the credentials.
                 * @example 01jr5x9n7x8f2a6e1w3y5z7b9d
                 */
                credentialsId: components["parameters"]["CredentialsId"];
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The verdict of the service. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CredentialsTestBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input. */
                cursor?: components["parameters"]["CursorQuery"];
                /**
                 * @description Maximum entries of the page, from 1 to 100.
                 * @example 20
                 */
                limit?: components["parameters"]["LimitQuery"];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of invitations, newest first. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationCreate"];
            };
        };
        responses: {
            /** @description The invitation, with its link, shown this once. */
            201: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedInvitationBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the invitation, as create and list return it.
                 * @example 01jr5xdq1b2k6e0j5a7c9d1f3h
                 */
                invitationId: string;
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation that was revoked. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input. */
                cursor?: components["parameters"]["CursorQuery"];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The members and their roles. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    addMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberCreate"];
            };
        };
        responses: {
            /** @description The new member with the role given. */
            201: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the user, as the list of members returns it.
                 * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
                 */
                userId: components["parameters"]["UserId"];
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The membership that ended. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of the user, as the list of members returns it.
                 * @example 01jr5x3f1q2z6t0y5p7r9s1v3x
                 */
                userId: components["parameters"]["UserId"];
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberUpdate"];
            };
        };
        responses: {
            /** @description The member as it is now. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoints, newest first. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointCreate"];
            };
        };
        responses: {
            /** @description The new endpoint with its secret, shown this once. */
            201: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecretBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags, as in `ETag`, or `*`: a read returns 304 without a body if the record is in one of these states. Compared weakly. A write that is sent with it returns 412 then, and a read with `If-Match` returns 412 in every other state. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /**
                 * @description Id of the endpoint, as create and list return it.
                 * @example 01jr5xam8y9g3b7f2x4z6a8c0e
                 */
                endpointId: components["parameters"]["EndpointId"];
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint as it is now. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointBody"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags, as in `ETag`, or `*`: the operation runs only if the record is in one of these states, and returns 412 otherwise. Compared strongly, so a weak tag never matches. On a write only the state of the record counts, so that a tag outlives a change of role or of the query. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description Id of the endpoint, as create and list return it.
                 * @example 01jr5xam8y9g3b7f2x4z6a8c0e
                 */
                endpointId: components["parameters"]["EndpointId"];
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint is deleted. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Entity tags, as in `ETag`, or `*`: the operation runs only if the record is in one of these states, and returns 412 otherwise. Compared strongly, so a weak tag never matches. On a write only the state of the record counts, so that a tag outlives a change of role or of the query. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description Id of the endpoint, as create and list return it.
                 * @example 01jr5xam8y9g3b7f2x4z6a8c0e
                 */
                endpointId: components["parameters"]["EndpointId"];
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointUpdate"];
            };
        };
        responses: {
            /** @description The endpoint as it is now. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description The `nextCursor` of the page before, sent with the same path and filter; absent for the first page. An altered cursor, or one of another list, is invalid input. */
                cursor?: components["parameters"]["CursorQuery"];
                /**
                 * @description Maximum entries of the page, from 1 to 100.
                 * @example 20
                 */
                limit?: components["parameters"]["LimitQuery"];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the endpoint, as create and list return it.
                 * @example 01jr5xam8y9g3b7f2x4z6a8c0e
                 */
                endpointId: components["parameters"]["EndpointId"];
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries, newest first. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the delivery, which receivers get as `webhook-id`.
                 * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
                 */
                deliveryId: components["parameters"]["DeliveryId"];
                /**
                 * @description Id of the endpoint, as create and list return it.
                 * @example 01jr5xam8y9g3b7f2x4z6a8c0e
                 */
                endpointId: components["parameters"]["EndpointId"];
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery with its payload. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    redeliverWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of the delivery, which receivers get as `webhook-id`.
                 * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
                 */
                deliveryId: components["parameters"]["DeliveryId"];
                /**
                 * @description Id of the endpoint, as create and list return it.
                 * @example 01jr5xam8y9g3b7f2x4z6a8c0e
                 */
                endpointId: components["parameters"]["EndpointId"];
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery is pending again. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuccessBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of the endpoint, as create and list return it.
                 * @example 01jr5xam8y9g3b7f2x4z6a8c0e
                 */
                endpointId: components["parameters"]["EndpointId"];
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret, shown this once. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedWebhookSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of the endpoint, as create and list return it.
                 * @example 01jr5xam8y9g3b7f2x4z6a8c0e
                 */
                endpointId: components["parameters"]["EndpointId"];
                /**
                 * @description Id of the workspace, as create and list return it.
                 * @example 01jr5x0c8m9w3q7v2k4n6p8r0t
                 */
                workspaceId: components["parameters"]["WorkspaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery of the test event. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    onBotCreated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the delivery, the same in every attempt: treat a second one as a repeat.
                 * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `<webhook-id>.<webhook-timestamp>.<body>` in the form of Standard Webhooks, one for each valid secret, separated by a space.
                 * @example v1,7djSDA42ZKWaLmiL7aD8JamUBL9ak5LEqmH0r/bynrs=
                 */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description Time of this attempt, in whole seconds since 1970.
                 * @example 1772713860
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The signature covers the bytes as they are sent. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["BotCreatedEvent"];
            };
        };
        responses: {
            /** @description The event was accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event is sent again later. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The endpoint no longer exists: it gets no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onBotDeleted: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the delivery, the same in every attempt: treat a second one as a repeat.
                 * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `<webhook-id>.<webhook-timestamp>.<body>` in the form of Standard Webhooks, one for each valid secret, separated by a space.
                 * @example v1,7djSDA42ZKWaLmiL7aD8JamUBL9ak5LEqmH0r/bynrs=
                 */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description Time of this attempt, in whole seconds since 1970.
                 * @example 1772713860
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The signature covers the bytes as they are sent. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["BotDeletedEvent"];
            };
        };
        responses: {
            /** @description The event was accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event is sent again later. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The endpoint no longer exists: it gets no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onBotPublished: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the delivery, the same in every attempt: treat a second one as a repeat.
                 * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `<webhook-id>.<webhook-timestamp>.<body>` in the form of Standard Webhooks, one for each valid secret, separated by a space.
                 * @example v1,7djSDA42ZKWaLmiL7aD8JamUBL9ak5LEqmH0r/bynrs=
                 */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description Time of this attempt, in whole seconds since 1970.
                 * @example 1772713860
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The signature covers the bytes as they are sent. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["BotPublishedEvent"];
            };
        };
        responses: {
            /** @description The event was accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event is sent again later. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The endpoint no longer exists: it gets no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onBotUnpublished: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the delivery, the same in every attempt: treat a second one as a repeat.
                 * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `<webhook-id>.<webhook-timestamp>.<body>` in the form of Standard Webhooks, one for each valid secret, separated by a space.
                 * @example v1,7djSDA42ZKWaLmiL7aD8JamUBL9ak5LEqmH0r/bynrs=
                 */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description Time of this attempt, in whole seconds since 1970.
                 * @example 1772713860
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The signature covers the bytes as they are sent. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["BotUnpublishedEvent"];
            };
        };
        responses: {
            /** @description The event was accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event is sent again later. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The endpoint no longer exists: it gets no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onBotUpdated: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the delivery, the same in every attempt: treat a second one as a repeat.
                 * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `<webhook-id>.<webhook-timestamp>.<body>` in the form of Standard Webhooks, one for each valid secret, separated by a space.
                 * @example v1,7djSDA42ZKWaLmiL7aD8JamUBL9ak5LEqmH0r/bynrs=
                 */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description Time of this attempt, in whole seconds since 1970.
                 * @example 1772713860
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The signature covers the bytes as they are sent. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["BotUpdatedEvent"];
            };
        };
        responses: {
            /** @description The event was accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event is sent again later. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The endpoint no longer exists: it gets no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onChatHandoffRequested: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the delivery, the same in every attempt: treat a second one as a repeat.
                 * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `<webhook-id>.<webhook-timestamp>.<body>` in the form of Standard Webhooks, one for each valid secret, separated by a space.
                 * @example v1,7djSDA42ZKWaLmiL7aD8JamUBL9ak5LEqmH0r/bynrs=
                 */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description Time of this attempt, in whole seconds since 1970.
                 * @example 1772713860
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The signature covers the bytes as they are sent. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatHandoffRequestedEvent"];
            };
        };
        responses: {
            /** @description The event was accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event is sent again later. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The endpoint no longer exists: it gets no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onChatMessageReceived: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the delivery, the same in every attempt: treat a second one as a repeat.
                 * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `<webhook-id>.<webhook-timestamp>.<body>` in the form of Standard Webhooks, one for each valid secret, separated by a space.
                 * @example v1,7djSDA42ZKWaLmiL7aD8JamUBL9ak5LEqmH0r/bynrs=
                 */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description Time of this attempt, in whole seconds since 1970.
                 * @example 1772713860
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The signature covers the bytes as they are sent. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatMessageReceivedEvent"];
            };
        };
        responses: {
            /** @description The event was accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event is sent again later. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The endpoint no longer exists: it gets no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onChatReturned: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the delivery, the same in every attempt: treat a second one as a repeat.
                 * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `<webhook-id>.<webhook-timestamp>.<body>` in the form of Standard Webhooks, one for each valid secret, separated by a space.
                 * @example v1,7djSDA42ZKWaLmiL7aD8JamUBL9ak5LEqmH0r/bynrs=
                 */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description Time of this attempt, in whole seconds since 1970.
                 * @example 1772713860
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The signature covers the bytes as they are sent. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatReturnedEvent"];
            };
        };
        responses: {
            /** @description The event was accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event is sent again later. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The endpoint no longer exists: it gets no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onChatTaken: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the delivery, the same in every attempt: treat a second one as a repeat.
                 * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `<webhook-id>.<webhook-timestamp>.<body>` in the form of Standard Webhooks, one for each valid secret, separated by a space.
                 * @example v1,7djSDA42ZKWaLmiL7aD8JamUBL9ak5LEqmH0r/bynrs=
                 */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description Time of this attempt, in whole seconds since 1970.
                 * @example 1772713860
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The signature covers the bytes as they are sent. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatTakenEvent"];
            };
        };
        responses: {
            /** @description The event was accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event is sent again later. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The endpoint no longer exists: it gets no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onEndpointTest: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the delivery, the same in every attempt: treat a second one as a repeat.
                 * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `<webhook-id>.<webhook-timestamp>.<body>` in the form of Standard Webhooks, one for each valid secret, separated by a space.
                 * @example v1,7djSDA42ZKWaLmiL7aD8JamUBL9ak5LEqmH0r/bynrs=
                 */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description Time of this attempt, in whole seconds since 1970.
                 * @example 1772713860
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The signature covers the bytes as they are sent. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndpointTestEvent"];
            };
        };
        responses: {
            /** @description The event was accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event is sent again later. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The endpoint no longer exists: it gets no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onResultAnswered: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the delivery, the same in every attempt: treat a second one as a repeat.
                 * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `<webhook-id>.<webhook-timestamp>.<body>` in the form of Standard Webhooks, one for each valid secret, separated by a space.
                 * @example v1,7djSDA42ZKWaLmiL7aD8JamUBL9ak5LEqmH0r/bynrs=
                 */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description Time of this attempt, in whole seconds since 1970.
                 * @example 1772713860
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The signature covers the bytes as they are sent. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResultAnsweredEvent"];
            };
        };
        responses: {
            /** @description The event was accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event is sent again later. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The endpoint no longer exists: it gets no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onResultCompleted: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the delivery, the same in every attempt: treat a second one as a repeat.
                 * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `<webhook-id>.<webhook-timestamp>.<body>` in the form of Standard Webhooks, one for each valid secret, separated by a space.
                 * @example v1,7djSDA42ZKWaLmiL7aD8JamUBL9ak5LEqmH0r/bynrs=
                 */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description Time of this attempt, in whole seconds since 1970.
                 * @example 1772713860
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The signature covers the bytes as they are sent. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResultCompletedEvent"];
            };
        };
        responses: {
            /** @description The event was accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event is sent again later. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The endpoint no longer exists: it gets no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onResultStarted: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the delivery, the same in every attempt: treat a second one as a repeat.
                 * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `<webhook-id>.<webhook-timestamp>.<body>` in the form of Standard Webhooks, one for each valid secret, separated by a space.
                 * @example v1,7djSDA42ZKWaLmiL7aD8JamUBL9ak5LEqmH0r/bynrs=
                 */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description Time of this attempt, in whole seconds since 1970.
                 * @example 1772713860
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The signature covers the bytes as they are sent. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResultStartedEvent"];
            };
        };
        responses: {
            /** @description The event was accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event is sent again later. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The endpoint no longer exists: it gets no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onResultsDeleted: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Id of the delivery, the same in every attempt: treat a second one as a repeat.
                 * @example 01jr5xbn9z0h4c8g3y5a7b9d1f
                 */
                "webhook-id": components["parameters"]["WebhookId"];
                /**
                 * @description Signatures of `<webhook-id>.<webhook-timestamp>.<body>` in the form of Standard Webhooks, one for each valid secret, separated by a space.
                 * @example v1,7djSDA42ZKWaLmiL7aD8JamUBL9ak5LEqmH0r/bynrs=
                 */
                "webhook-signature": components["parameters"]["WebhookSignature"];
                /**
                 * @description Time of this attempt, in whole seconds since 1970.
                 * @example 1772713860
                 */
                "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The signature covers the bytes as they are sent. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResultsDeletedEvent"];
            };
        };
        responses: {
            /** @description The event was accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event is sent again later. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The endpoint no longer exists: it gets no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
