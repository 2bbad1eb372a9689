# Made by `make generate` from contract/. Do not edit.
"""Types of requests and responses. Each has the name of its schema."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class AbTestBlock(TypedDict):
    """Assigns each visitor one of two paths at random."""

    id: str
    """Id of the block."""

    type: Literal["AB test"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    items: list[AbTestItem]
    """The two paths: first a, then b."""

    options: NotRequired[AbTestOptions]

class AbTestItem(TypedDict):
    """One of the two paths of an AB test."""

    id: str
    """Id of the item."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the item. Running chats follow this id. The edge may be missing."""

    path: Literal["a", "b"]
    """Path of the item: a for the first, b for the second."""

class AbTestOptions(TypedDict):
    """Division of the visitors."""

    aPercent: NotRequired[float]
    """Percentage of visitors on path a. Default 50."""

class AllowedFileTypes(TypedDict):
    """Restricts the accepted files."""

    isEnabled: NotRequired[bool]
    """True if the restriction applies. Default false."""

    types: NotRequired[list[str]]
    """Accepted extensions or MIME types."""

class Answer(TypedDict):
    """One answer of a visitor to one input block."""

    blockId: str
    """Id of the input block that was answered."""

    content: str
    """The answer as text; files are named by their URLs, separated by a comma."""

    attachedFileUrls: NotRequired[list[str]]
    """URLs of files sent with the answer."""

class AnsweredResultEventData(TypedDict):
    """A result and the answers of one turn."""

    id: str
    """Id of the result."""

    botId: str
    """Id of the bot."""

    createdAt: str
    """When the chat started."""

    hasStarted: bool
    """True if at least one answer was given."""

    isCompleted: bool
    """True if the chat reached an end and had at least one answer."""

    lastChatSessionId: str
    """Id of the chat session that wrote last."""

    answers: list[Answer]
    """The answers of this turn."""

class AnthropicBlock(TypedDict):
    """Works with Anthropic. Chats run it, with credentials of type anthropic. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["anthropic"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[AnthropicOptions]

class AnthropicCredentialsCreate(TypedDict):
    """New credentials of type anthropic."""

    type: Literal["anthropic"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: ApiKeyData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class AnthropicCredentialsUpdate(TypedDict):
    """A change of credentials of type anthropic."""

    type: Literal["anthropic"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[ApiKeyData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class AnthropicOptions(TypedDict):
    """Options of the Anthropic block. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    action: NotRequired[str]
    """Action of the block: Create Chat Message, Generate variables. The service preserves other texts. Without an action the block does nothing."""

    model: NotRequired[str]
    """Name of the model."""

    messages: NotRequired[list[ChatMessage]]
    """The messages, oldest first."""

    tools: NotRequired[list[ChatTool]]
    """Functions that the model can call."""

    systemMessage: NotRequired[str]
    """Instructions for the whole conversation."""

    temperature: NotRequired[float | str]
    """Sampling temperature of the model, from 0 to 2. A number, or a text that is one {{variable}} or reads as a number."""

    maxTokens: NotRequired[float | str]
    """Maximum number of tokens in the response. A number, or a text that is one {{variable}} or reads as a number."""

    responseMapping: NotRequired[list[VendorAnswerMapping]]
    """Parts of the response and the variables that store them. With action Create Chat Message: Message content."""

    prompt: NotRequired[str]
    """Prompt for the model; may hold placeholders."""

    variablesToExtract: NotRequired[list[VariableToExtract]]
    """With action Generate variables: the values to find."""

class ApiKeyData(TypedDict):
    """A key of a service, and the address of that service."""

    apiKey: str
    """Key of the account."""

    baseUrl: NotRequired[str]
    """Address of the API if it is not the one of the vendor: any service with the same protocol works. The key is sent to no other address. Private addresses work only if the installation allows them."""

class ApiToken(TypedDict):
    """An access token, without the token itself."""

    id: str
    """Id of the token, which is not the token itself."""

    name: str
    """Purpose of the token, as its owner wrote it."""

    hint: str
    """The last four characters of the token."""

    createdAt: str
    """When the token was created."""

    expiresAt: str | None
    """When the token stops working; null means never."""

    expiresSoon: bool
    """True if the token stops working within 7 days, or has stopped: time to renew it."""

    scopes: list[TokenScope]
    """Maximum rights of the token; the roles of its owner can limit them further."""

    workspaceId: str | None
    """Workspace that the token is bound to: outside of it, the token acts as if its owner had no role. Null for a token that is bound to none."""

    lastUsedAt: str | None
    """When the token was last used, to the day; null when never."""

class ApiTokenBody(TypedDict):
    """One token, without its secret."""

    apiToken: ApiToken

class ApiTokenCreate(TypedDict):
    """The token to create."""

    name: str
    """Purpose of the token, as its owner wrote it."""

    expiresInDays: NotRequired[int]
    """Days after which the token stops working; absent means never."""

    scopes: NotRequired[list[TokenScope]]
    """Maximum rights of the token; absent means those of the token of this request, which are all for a token without limits."""

    workspaceId: NotRequired[str]
    """Id of the workspace to bind the token to; absent means that of the token of this request, if it has one."""

class ApiTokenList(TypedDict):
    """The caller's tokens."""

    apiTokens: list[ApiToken]
    """The tokens, newest first."""

    nextCursor: str | None
    """Send it as `cursor` to get the following page; null on the last page."""

class AssistantFunction(TypedDict):
    """A function that the model can call."""

    name: NotRequired[str]
    """Name of the function."""

    description: NotRequired[str]
    """Purpose of the function."""

    parameters: NotRequired[Any]
    """Parameters of the function: a JSON Schema, or a list like that of a ChatTool. Any JSON value."""

    code: NotRequired[str]
    """Body of the function."""

class AttachmentOptions(TypedDict):
    """Lets visitors attach files to the text."""

    isEnabled: NotRequired[bool]
    """True if visitors can attach files. Default false."""

    saveVariableId: NotRequired[str]
    """Id of the variable that stores the addresses of the files."""

    visibility: NotRequired[FileVisibility]

class AudioBubble(TypedDict):
    """Plays a sound by its address."""

    id: str
    """Id of the block."""

    type: Literal["audio"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    content: NotRequired[AudioBubbleContent]

class AudioBubbleContent(TypedDict):
    """Sound that the block plays."""

    url: NotRequired[str]
    """Address of the sound."""

    isAutoplayEnabled: NotRequired[bool]
    """True if the sound starts by itself. Default true."""

class AudioClipOptions(TypedDict):
    """Lets visitors answer with a recording."""

    isEnabled: NotRequired[bool]
    """True if visitors can record. Default false."""

    saveVariableId: NotRequired[str]
    """Id of the variable that stores the address of the recording."""

    visibility: NotRequired[FileVisibility]

class AudioMessage(TypedDict):
    """A recording of the visitor."""

    type: Literal["audio"]
    """A recording."""

    url: str
    """URL of the recording."""

class AudioMessageBubble(TypedDict):
    """A recording of the bot."""

    id: str
    """Id of the block in the flow."""

    type: Literal["audio"]
    """Kind of the bubble."""

    content: dict[str, Any]
    """The content of the block, with placeholders filled in."""

class AuditDetails(TypedDict):
    """Further details of the action; the list is open."""

    role: NotRequired[str | None]
    """Role that the member has now; null for none."""

    formerRole: NotRequired[str]
    """Role that the member had before."""

    count: NotRequired[int]
    """Number of deleted results."""

    createdBefore: NotRequired[str]
    """Only results that began before it were deleted."""

    isMore: NotRequired[bool]
    """True if there were more than `count`; those are not counted."""

    settings: NotRequired[list[str]]
    """Settings that changed."""

    email: NotRequired[str]
    """The e-mail address that was invited."""

    type: NotRequired[str]
    """The type of the credentials."""

    changed: NotRequired[list[str]]
    """Changed parts of the credentials: `name`, `data` or both."""

    publicationId: NotRequired[str]
    """The publication that was restored."""

class AuditEntry(TypedDict):
    """An action in a workspace, with the user who did it."""

    id: str
    """Id of the entry."""

    createdAt: str
    """Time of the action."""

    userId: str | None
    """Id of the user who did it; null for the operator of the service."""

    email: str | None
    """The e-mail address of that user, or null."""

    tokenId: str | None
    """Id of the token that was used; null if there was none."""

    operation: str
    """Operation that was used; names that begin with `admin` are commands of the operator of the service."""

    recordId: str
    """Id of the bot, folder, workspace, token or credentials it was done to, or of the user who is a member."""

    outcome: str
    """Outcome of the action: `success`, since only completed actions are listed. Rejected requests are in the log of the service."""

    details: AuditDetails | None
    """Further details; null if there are none."""

class AuditPage(TypedDict):
    """A page of the audit log of a workspace."""

    entries: list[AuditEntry]
    """The entries, newest first."""

    nextCursor: str | None
    """Send it as `cursor` to get the following page; null on the last page."""

class BadRequestErrorBody(TypedDict):
    """The input does not fit the contract, or names something that cannot be. Nothing was changed. Correct what the issues name before sending the request again."""

    code: Literal["BAD_REQUEST"]
    """Code of the error, for programs."""

    message: str
    """The fixed text of the code."""

    issues: list[ErrorIssue]
    """Issues of the request; empty if there is nothing to add."""

class BlinkBlock(TypedDict):
    """Works with Blink. Chats run it, with credentials of type blink. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["blink"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[BlinkOptions]

class BlinkCredentialsCreate(TypedDict):
    """New credentials of type blink."""

    type: Literal["blink"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: ApiKeyData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class BlinkCredentialsUpdate(TypedDict):
    """A change of credentials of type blink."""

    type: Literal["blink"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[ApiKeyData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class BlinkOptions(TypedDict):
    """Options of the Blink block. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    action: NotRequired[str]
    """Action of the block: Get Users, Send Feed Event, Redirect. The service preserves other texts. Without an action the block does nothing."""

    filter: NotRequired[Any]
    """With action Get Users: users by User ID or by Employee ID. Any JSON value."""

    categoryId: NotRequired[str]
    """With action Send Feed Event: id of the category."""

    ribbonColor: NotRequired[str]
    """With action Send Feed Event: colour of the ribbon."""

    sections: NotRequired[Any]
    """With action Send Feed Event: the content. Any JSON value."""

    allowComments: NotRequired[bool]
    """With action Send Feed Event: true if comments are open."""

    allowReactions: NotRequired[bool]
    """With action Send Feed Event: true if reactions are open."""

    userIds: NotRequired[Any]
    """With action Send Feed Event: users who receive it. Any JSON value."""

    groupIds: NotRequired[Any]
    """With action Send Feed Event: groups that receive it. Any JSON value."""

    pushNotification: NotRequired[Any]
    """With action Send Feed Event: its push notification. Any JSON value."""

    url: NotRequired[str]
    """With action Redirect: address to open."""

    responseMapping: NotRequired[list[VendorAnswerMapping]]
    """Parts of the response and the variables that store them. With action Get Users: Emails, Company Names, First Names, Second Names, Display Names, Initials, Job Titles, Profile Photo IDs, Timezones, Manager IDs, Department Names, Account Statuses, Employee IDs, User IDs. With action Send Feed Event: Event ID."""

class BlockStats(TypedDict):
    """Outcomes of the chats that came to an input block."""

    blockId: str
    """Id of the input block."""

    shown: int
    """Times the input was shown: answered, left, and still open."""

    answered: int
    """Times the input was answered."""

    left: int
    """Times a chat ended there, because its time ran out or a member ended it."""

class BlockStatsBody(TypedDict):
    """The statistics of the blocks of a bot."""

    blocks: list[BlockStats]
    """The blocks, in the order of the flow."""

class BotBody(TypedDict):
    """One bot with its draft."""

    bot: Bot

class BotChat(TypedDict):
    """A chat of a visitor with a bot."""

    sessionId: str
    """Id of the chat session, as start chat returns it."""

    resultId: str
    """Id of the result, as the list of results returns it."""

    createdAt: str
    """When the chat started."""

    updatedAt: str
    """When its last turn ran."""

    expiresAt: str
    """When it can no longer be continued, unless another turn runs before."""

    blockId: str | None
    """Id of the block that waits for the visitor; null if none does."""

    revision: int
    """Counts the turns of the chat."""

    handledBy: Literal["bot", "waiting", "member"]
    """`bot`: the bot runs. `waiting`: the chat waits for a member. `member`: a member handles it. In the last two states, the bot neither runs nor sends."""

    assigneeId: str | None
    """Id of the member who handles the chat; null if none does, and for an agent of Chatwoot."""

    handledSince: str | None
    """When it last changed hands; null where only the bot has handled it."""

    lastMessage: LastMessage

    timer: ChatTimer

    botId: str
    """Id of the bot, as create and list return it."""

    publicationId: str
    """Id of the publication that the chat runs."""

    isOver: bool
    """True if the chat has ended."""

class BotChatSummary(TypedDict):
    """A chat in the list of a bot."""

    sessionId: str
    """Id of the chat session, as start chat returns it."""

    resultId: str
    """Id of the result, as the list of results returns it."""

    createdAt: str
    """When the chat started."""

    updatedAt: str
    """When its last turn ran."""

    expiresAt: str
    """When it can no longer be continued, unless another turn runs before."""

    blockId: str | None
    """Id of the block that waits for the visitor; null if none does."""

    revision: int
    """Counts the turns of the chat."""

    handledBy: Literal["bot", "waiting", "member"]
    """`bot`: the bot runs. `waiting`: the chat waits for a member. `member`: a member handles it. In the last two states, the bot neither runs nor sends."""

    assigneeId: str | None
    """Id of the member who handles the chat; null if none does, and for an agent of Chatwoot."""

    handledSince: str | None
    """When it last changed hands; null where only the bot has handled it."""

    lastMessage: LastMessage

    timer: ChatTimer

BotCreate = TypedDict(
    "BotCreate",
    {
        "version": NotRequired["Literal[\"6\", \"6.1\"]"],
        "name": NotRequired["str"],
        "icon": NotRequired["str | None"],
        "selectedThemeTemplateId": NotRequired["str | None"],
        "groups": NotRequired["list[Group]"],
        "events": NotRequired["list[FlowEvent]"],
        "theme": NotRequired["Theme"],
        "settings": NotRequired["Settings"],
        "folderId": NotRequired["str | None"],
        "variables": NotRequired["list[Variable]"],
        "edges": NotRequired["list[Edge]"],
        "resultsTablePreferences": NotRequired["ResultsTablePreferences | None"],
        "publicId": NotRequired["str | None"],
        "customDomain": NotRequired["str | None"],
        "$schema": NotRequired["Any"],
        "id": NotRequired["Any"],
        "createdAt": NotRequired["Any"],
        "workspaceId": NotRequired["Any"],
        "isArchived": NotRequired["Any"],
        "updatedAt": NotRequired["Any"],
        "isClosed": NotRequired["Any"],
        "messagingCredentialsId": NotRequired["Any"],
        "riskLevel": NotRequired["Any"],
    },
)
"""The bot to create; every property may be absent. Properties that create does not take are ignored, so that a bot that was read can be posted as a copy."""

class BotCreatedEvent(TypedDict):
    """A bot was created or imported."""

    type: Literal["bot.created"]
    """The type of the event."""

    timestamp: str
    """Time of the event. Events of one bot come in order, but not always by this time."""

    data: BotEventData

class BotDeletedEvent(TypedDict):
    """A bot was deleted; it cannot be read any more."""

    type: Literal["bot.deleted"]
    """The type of the event."""

    timestamp: str
    """Time of the event. Events of one bot come in order, but not always by this time."""

    data: BotEventData

class BotEventData(TypedDict):
    """A bot without its documents."""

    id: str
    """Id of the bot, as create and list return it."""

    workspaceId: str
    """Id of the workspace of the bot."""

    folderId: str | None
    """Id of the folder of the bot; null at the top level."""

    name: str
    """Name of the bot."""

    version: DocumentVersion

    publicId: str | None
    """Name of the bot in the address of its chat, or null."""

    createdAt: str
    """When the bot was created."""

    updatedAt: str
    """When the draft was last changed; read the bot to see its current state."""

BotImport = TypedDict(
    "BotImport",
    {
        "$schema": NotRequired["Any"],
        "version": NotRequired["DocumentVersion | None"],
        "name": NotRequired["Any"],
        "icon": NotRequired["Any"],
        "groups": "list[Any]",
        "events": NotRequired["Any"],
        "edges": NotRequired["Any"],
        "variables": NotRequired["Any"],
        "theme": NotRequired["Any"],
        "settings": NotRequired["Any"],
    },
)
"""A bot as a document of any version, as this service or another builder exported it. Unknown properties are ignored."""

class BotLinkBlock(TypedDict):
    """Continues in another bot, or in another group of this one."""

    id: str
    """Id of the block."""

    type: Literal["Bot link"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[BotLinkOptions]

class BotLinkOptions(TypedDict):
    """Bot and group where the chat continues."""

    botId: NotRequired[str]
    """Id of the other bot, or current."""

    groupId: NotRequired[str]
    """Id of the group, or one placeholder that gives the title of a group. Default: the start."""

    mergeResults: NotRequired[bool]
    """True if answers in the other bot count for this bot. Default false, in versions 3, 4 and 5 true."""

class BotMetadata(TypedDict):
    """Texts and pictures for search engines and link previews."""

    title: NotRequired[str]
    """Title of the page."""

    description: NotRequired[str]
    """Summary of the page."""

    imageUrl: NotRequired[str]
    """Picture of link previews."""

    favIconUrl: NotRequired[str]
    """Icon of the browser tab."""

    customHeadCode: NotRequired[str]
    """HTML for the head of the page; may contain scripts. The page adds it only on a host that serves chats alone."""

    tagManagerId: NotRequired[str]
    """Container id of the tag manager. The page loads it only on a host that serves chats alone."""

    allowIndexing: NotRequired[bool]
    """True if search engines may list the page."""

class BotPage(TypedDict):
    """A page of the bots of a workspace."""

    bots: list[BotSummary]
    """The bots, newest first."""

    nextCursor: str | None
    """Send it as `cursor` to get the following page; null on the last page."""

class BotPublishedEvent(TypedDict):
    """A bot was published."""

    type: Literal["bot.published"]
    """The type of the event."""

    timestamp: str
    """Time of the event. Events of one bot come in order, but not always by this time."""

    data: BotEventData

class BotReference(TypedDict):
    """A bot and the state of its draft."""

    id: str
    """Id of the bot, as create and list return it."""

    version: DocumentVersion

    updatedAt: str
    """When the draft was last changed."""

class BotReferenceBody(TypedDict):
    """The bot for callers who have its flow."""

    bot: BotReference

class BotSummary(TypedDict):
    """A bot in a list, without its flow."""

    id: str
    """Id of the bot, as create and list return it."""

    name: str
    """Name of the bot. Names need not be unique."""

    icon: str | None
    """Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    folderId: str | None
    """Id of the folder the bot is in; null at the top level of its workspace."""

    publicId: str | None
    """Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one."""

    createdAt: str
    """When the bot was created."""

    updatedAt: str
    """When the draft was last changed."""

    publishedBotId: str | None
    """Id of the published copy; null while the bot is not published."""

    publishedAt: str | None
    """When the bot was last published; null while it is not published. An earlier time than `updatedAt` means that the draft has changed since."""

    accessRight: Literal["write", "read", "guest"]
    """The caller's rights on the bot: `write` for admins and members of its workspace, `read` for guests, `guest` for all other callers of a publicly shared bot."""

class BotTurn(TypedDict):
    """A message of the bot."""

    role: Literal["bot"]
    """Role of the author."""

    message: MessageBubble

class BotUnpublishedEvent(TypedDict):
    """A bot was unpublished."""

    type: Literal["bot.unpublished"]
    """The type of the event."""

    timestamp: str
    """Time of the event. Events of one bot come in order, but not always by this time."""

    data: BotEventData

BotUpdateV3 = TypedDict(
    "BotUpdateV3",
    {
        "version": "Literal[\"3\"]",
        "name": NotRequired["str"],
        "icon": NotRequired["str | None"],
        "selectedThemeTemplateId": NotRequired["str | None"],
        "groups": NotRequired["list[LegacyGroup]"],
        "events": NotRequired["list[FlowEvent] | None"],
        "edges": NotRequired["list[Edge]"],
        "variables": NotRequired["list[Variable]"],
        "theme": NotRequired["Theme"],
        "settings": NotRequired["Settings"],
        "folderId": NotRequired["str | None"],
        "resultsTablePreferences": NotRequired["ResultsTablePreferences | None"],
        "publicId": NotRequired["str | None"],
        "customDomain": NotRequired["str | None"],
        "isClosed": NotRequired["bool"],
        "messagingCredentialsId": NotRequired["str | None"],
        "riskLevel": NotRequired["float | None"],
        "updatedAt": NotRequired["str"],
        "$schema": NotRequired["Any"],
        "id": NotRequired["Any"],
        "createdAt": NotRequired["Any"],
        "workspaceId": NotRequired["Any"],
        "isArchived": NotRequired["Any"],
    },
)
"""A change to a bot in version 3. Absent properties stay as they are, given ones replace the whole property."""

BotUpdateV4 = TypedDict(
    "BotUpdateV4",
    {
        "version": "Literal[\"4\"]",
        "name": NotRequired["str"],
        "icon": NotRequired["str | None"],
        "selectedThemeTemplateId": NotRequired["str | None"],
        "groups": NotRequired["list[LegacyGroup]"],
        "events": NotRequired["list[FlowEvent] | None"],
        "edges": NotRequired["list[Edge]"],
        "variables": NotRequired["list[Variable]"],
        "theme": NotRequired["Theme"],
        "settings": NotRequired["Settings"],
        "folderId": NotRequired["str | None"],
        "resultsTablePreferences": NotRequired["ResultsTablePreferences | None"],
        "publicId": NotRequired["str | None"],
        "customDomain": NotRequired["str | None"],
        "isClosed": NotRequired["bool"],
        "messagingCredentialsId": NotRequired["str | None"],
        "riskLevel": NotRequired["float | None"],
        "updatedAt": NotRequired["str"],
        "$schema": NotRequired["Any"],
        "id": NotRequired["Any"],
        "createdAt": NotRequired["Any"],
        "workspaceId": NotRequired["Any"],
        "isArchived": NotRequired["Any"],
    },
)
"""A change to a bot in version 4. Absent properties stay as they are, given ones replace the whole property."""

BotUpdateV5 = TypedDict(
    "BotUpdateV5",
    {
        "version": "Literal[\"5\"]",
        "name": NotRequired["str"],
        "icon": NotRequired["str | None"],
        "selectedThemeTemplateId": NotRequired["str | None"],
        "groups": NotRequired["list[LegacyGroup]"],
        "events": NotRequired["list[FlowEvent] | None"],
        "edges": NotRequired["list[Edge]"],
        "variables": NotRequired["list[Variable]"],
        "theme": NotRequired["Theme"],
        "settings": NotRequired["Settings"],
        "folderId": NotRequired["str | None"],
        "resultsTablePreferences": NotRequired["ResultsTablePreferences | None"],
        "publicId": NotRequired["str | None"],
        "customDomain": NotRequired["str | None"],
        "isClosed": NotRequired["bool"],
        "messagingCredentialsId": NotRequired["str | None"],
        "riskLevel": NotRequired["float | None"],
        "updatedAt": NotRequired["str"],
        "$schema": NotRequired["Any"],
        "id": NotRequired["Any"],
        "createdAt": NotRequired["Any"],
        "workspaceId": NotRequired["Any"],
        "isArchived": NotRequired["Any"],
    },
)
"""A change to a bot in version 5. Absent properties stay as they are, given ones replace the whole property."""

BotUpdateV6 = TypedDict(
    "BotUpdateV6",
    {
        "version": "Literal[\"6\"]",
        "name": NotRequired["str"],
        "icon": NotRequired["str | None"],
        "selectedThemeTemplateId": NotRequired["str | None"],
        "groups": NotRequired["list[Group]"],
        "events": NotRequired["list[FlowEvent]"],
        "edges": NotRequired["list[Edge]"],
        "variables": NotRequired["list[Variable]"],
        "theme": NotRequired["Theme"],
        "settings": NotRequired["Settings"],
        "folderId": NotRequired["str | None"],
        "resultsTablePreferences": NotRequired["ResultsTablePreferences | None"],
        "publicId": NotRequired["str | None"],
        "customDomain": NotRequired["str | None"],
        "isClosed": NotRequired["bool"],
        "messagingCredentialsId": NotRequired["str | None"],
        "riskLevel": NotRequired["float | None"],
        "updatedAt": NotRequired["str"],
        "$schema": NotRequired["Any"],
        "id": NotRequired["Any"],
        "createdAt": NotRequired["Any"],
        "workspaceId": NotRequired["Any"],
        "isArchived": NotRequired["Any"],
    },
)
"""A change to a bot in version 6. Absent properties stay as they are, given ones replace the whole property."""

BotUpdateV61 = TypedDict(
    "BotUpdateV61",
    {
        "version": "Literal[\"6.1\"]",
        "name": NotRequired["str"],
        "icon": NotRequired["str | None"],
        "selectedThemeTemplateId": NotRequired["str | None"],
        "groups": NotRequired["list[Group]"],
        "events": NotRequired["list[FlowEvent]"],
        "edges": NotRequired["list[Edge]"],
        "variables": NotRequired["list[Variable]"],
        "theme": NotRequired["Theme"],
        "settings": NotRequired["Settings"],
        "folderId": NotRequired["str | None"],
        "resultsTablePreferences": NotRequired["ResultsTablePreferences | None"],
        "publicId": NotRequired["str | None"],
        "customDomain": NotRequired["str | None"],
        "isClosed": NotRequired["bool"],
        "messagingCredentialsId": NotRequired["str | None"],
        "riskLevel": NotRequired["float | None"],
        "updatedAt": NotRequired["str"],
        "$schema": NotRequired["Any"],
        "id": NotRequired["Any"],
        "createdAt": NotRequired["Any"],
        "workspaceId": NotRequired["Any"],
        "isArchived": NotRequired["Any"],
    },
)
"""A change to a bot in version 6.1. Absent properties stay as they are, given ones replace the whole property."""

class BotUpdatedEvent(TypedDict):
    """The draft or a property of a bot was changed."""

    type: Literal["bot.updated"]
    """The type of the event."""

    timestamp: str
    """Time of the event. Events of one bot come in order, but not always by this time."""

    data: BotEventData

class BotV3(TypedDict):
    """A bot whose flow is written in version 3."""

    version: Literal["3"]
    """Version of the schema the flow is written in."""

    id: str
    """Id of the bot, as create and list return it."""

    name: str
    """Name of the bot. Names need not be unique."""

    groups: list[LegacyGroup]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent] | None
    """Null, because the start is a block of a group. An empty list is valid too."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

    selectedThemeTemplateId: str | None
    """Id of the theme template an editor applied, which the service only stores; null without one."""

    createdAt: str
    """When the bot was created."""

    updatedAt: str
    """When the draft was last changed; strictly increasing, so it serves as a precondition of an update. Publishing does not change it."""

    icon: str | None
    """Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    folderId: str | None
    """Id of the folder the bot is in; null at the top level of its workspace."""

    publicId: str | None
    """Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one."""

    customDomain: str | None
    """Host name, with an optional path, at which the chat of the bot is served; DNS and the proxy in front of the service have to lead there. Trackers, widgets and head code run there. International names are valid in both spellings; the host is stored in ASCII and lower case, the path without a slash at its end. Unique over the installation, a taken one is invalid input; null without one."""

    workspaceId: str
    """Id of the workspace the bot is in."""

    resultsTablePreferences: ResultsTablePreferences | None
    """Layout of the table of results in an editor; null for its own defaults."""

    isArchived: bool
    """Always false: an archived bot is not found."""

    isClosed: bool
    """True if new chats are rejected. Takes effect at once, without publishing."""

    messagingCredentialsId: str | None
    """Id of the credentials of a messaging channel, which the service only stores; null without one."""

    riskLevel: float | None
    """Risk of the bot as the operator of the service assessed it: higher is riskier and -1 is trusted. Read-only, ignored when sent. Null when not assessed."""

class BotV4(TypedDict):
    """A bot whose flow is written in version 4."""

    version: Literal["4"]
    """Version of the schema the flow is written in."""

    id: str
    """Id of the bot, as create and list return it."""

    name: str
    """Name of the bot. Names need not be unique."""

    groups: list[LegacyGroup]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent] | None
    """Null, because the start is a block of a group. An empty list is valid too."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

    selectedThemeTemplateId: str | None
    """Id of the theme template an editor applied, which the service only stores; null without one."""

    createdAt: str
    """When the bot was created."""

    updatedAt: str
    """When the draft was last changed; strictly increasing, so it serves as a precondition of an update. Publishing does not change it."""

    icon: str | None
    """Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    folderId: str | None
    """Id of the folder the bot is in; null at the top level of its workspace."""

    publicId: str | None
    """Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one."""

    customDomain: str | None
    """Host name, with an optional path, at which the chat of the bot is served; DNS and the proxy in front of the service have to lead there. Trackers, widgets and head code run there. International names are valid in both spellings; the host is stored in ASCII and lower case, the path without a slash at its end. Unique over the installation, a taken one is invalid input; null without one."""

    workspaceId: str
    """Id of the workspace the bot is in."""

    resultsTablePreferences: ResultsTablePreferences | None
    """Layout of the table of results in an editor; null for its own defaults."""

    isArchived: bool
    """Always false: an archived bot is not found."""

    isClosed: bool
    """True if new chats are rejected. Takes effect at once, without publishing."""

    messagingCredentialsId: str | None
    """Id of the credentials of a messaging channel, which the service only stores; null without one."""

    riskLevel: float | None
    """Risk of the bot as the operator of the service assessed it: higher is riskier and -1 is trusted. Read-only, ignored when sent. Null when not assessed."""

class BotV5(TypedDict):
    """A bot whose flow is written in version 5."""

    version: Literal["5"]
    """Version of the schema the flow is written in."""

    id: str
    """Id of the bot, as create and list return it."""

    name: str
    """Name of the bot. Names need not be unique."""

    groups: list[LegacyGroup]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent] | None
    """Null, because the start is a block of a group. An empty list is valid too."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

    selectedThemeTemplateId: str | None
    """Id of the theme template an editor applied, which the service only stores; null without one."""

    createdAt: str
    """When the bot was created."""

    updatedAt: str
    """When the draft was last changed; strictly increasing, so it serves as a precondition of an update. Publishing does not change it."""

    icon: str | None
    """Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    folderId: str | None
    """Id of the folder the bot is in; null at the top level of its workspace."""

    publicId: str | None
    """Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one."""

    customDomain: str | None
    """Host name, with an optional path, at which the chat of the bot is served; DNS and the proxy in front of the service have to lead there. Trackers, widgets and head code run there. International names are valid in both spellings; the host is stored in ASCII and lower case, the path without a slash at its end. Unique over the installation, a taken one is invalid input; null without one."""

    workspaceId: str
    """Id of the workspace the bot is in."""

    resultsTablePreferences: ResultsTablePreferences | None
    """Layout of the table of results in an editor; null for its own defaults."""

    isArchived: bool
    """Always false: an archived bot is not found."""

    isClosed: bool
    """True if new chats are rejected. Takes effect at once, without publishing."""

    messagingCredentialsId: str | None
    """Id of the credentials of a messaging channel, which the service only stores; null without one."""

    riskLevel: float | None
    """Risk of the bot as the operator of the service assessed it: higher is riskier and -1 is trusted. Read-only, ignored when sent. Null when not assessed."""

class BotV6(TypedDict):
    """A bot whose flow is written in version 6."""

    version: Literal["6"]
    """Version of the schema the flow is written in."""

    id: str
    """Id of the bot, as create and list return it."""

    name: str
    """Name of the bot. Names need not be unique."""

    groups: list[Group]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent]
    """Events that begin the branches of the flow. The first event, and only the first, is the start event."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

    selectedThemeTemplateId: str | None
    """Id of the theme template an editor applied, which the service only stores; null without one."""

    createdAt: str
    """When the bot was created."""

    updatedAt: str
    """When the draft was last changed; strictly increasing, so it serves as a precondition of an update. Publishing does not change it."""

    icon: str | None
    """Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    folderId: str | None
    """Id of the folder the bot is in; null at the top level of its workspace."""

    publicId: str | None
    """Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one."""

    customDomain: str | None
    """Host name, with an optional path, at which the chat of the bot is served; DNS and the proxy in front of the service have to lead there. Trackers, widgets and head code run there. International names are valid in both spellings; the host is stored in ASCII and lower case, the path without a slash at its end. Unique over the installation, a taken one is invalid input; null without one."""

    workspaceId: str
    """Id of the workspace the bot is in."""

    resultsTablePreferences: ResultsTablePreferences | None
    """Layout of the table of results in an editor; null for its own defaults."""

    isArchived: bool
    """Always false: an archived bot is not found."""

    isClosed: bool
    """True if new chats are rejected. Takes effect at once, without publishing."""

    messagingCredentialsId: str | None
    """Id of the credentials of a messaging channel, which the service only stores; null without one."""

    riskLevel: float | None
    """Risk of the bot as the operator of the service assessed it: higher is riskier and -1 is trusted. Read-only, ignored when sent. Null when not assessed."""

class BotV61(TypedDict):
    """A bot whose flow is written in version 6.1."""

    version: Literal["6.1"]
    """Version of the schema the flow is written in."""

    id: str
    """Id of the bot, as create and list return it."""

    name: str
    """Name of the bot. Names need not be unique."""

    groups: list[Group]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent]
    """Events that begin the branches of the flow. The first event, and only the first, is the start event."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

    selectedThemeTemplateId: str | None
    """Id of the theme template an editor applied, which the service only stores; null without one."""

    createdAt: str
    """When the bot was created."""

    updatedAt: str
    """When the draft was last changed; strictly increasing, so it serves as a precondition of an update. Publishing does not change it."""

    icon: str | None
    """Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    folderId: str | None
    """Id of the folder the bot is in; null at the top level of its workspace."""

    publicId: str | None
    """Name under which the published bot is reached: lower-case letters, digits, single inner hyphens. Unique over the installation; a taken one is invalid input. Null without one; publishing then assigns one."""

    customDomain: str | None
    """Host name, with an optional path, at which the chat of the bot is served; DNS and the proxy in front of the service have to lead there. Trackers, widgets and head code run there. International names are valid in both spellings; the host is stored in ASCII and lower case, the path without a slash at its end. Unique over the installation, a taken one is invalid input; null without one."""

    workspaceId: str
    """Id of the workspace the bot is in."""

    resultsTablePreferences: ResultsTablePreferences | None
    """Layout of the table of results in an editor; null for its own defaults."""

    isArchived: bool
    """Always false: an archived bot is not found."""

    isClosed: bool
    """True if new chats are rejected. Takes effect at once, without publishing."""

    messagingCredentialsId: str | None
    """Id of the credentials of a messaging channel, which the service only stores; null without one."""

    riskLevel: float | None
    """Risk of the bot as the operator of the service assessed it: higher is riskier and -1 is trusted. Read-only, ignored when sent. Null when not assessed."""

class BotWithModeBody(TypedDict):
    """One bot and the caller's rights on it."""

    bot: Bot

    currentUserMode: Literal["write", "read", "guest"]
    """The caller's rights on the bot: `write` for admins and members of its workspace, `read` for guests, `guest` for all other callers of a publicly shared bot."""

class BrowserSession(TypedDict):
    """A browser in which a user is signed in."""

    id: str
    """Id of the browser session, as the list returns it."""

    userAgent: str | None
    """`User-Agent` of the browser, cut at 255 characters; null if it sends none."""

    isCurrent: bool
    """True for the session whose page sent this request."""

    createdAt: str
    """When the user signed in."""

    expiresAt: str
    """When the session ends by itself."""

    lastUsedAt: str | None
    """When a page of the session last requested a token, to the day; null when never."""

class BrowserSessionBody(TypedDict):
    """One browser session of the caller."""

    browserSession: BrowserSession

class BrowserSessionList(TypedDict):
    """The caller's browser sessions."""

    browserSessions: list[BrowserSession]
    """The browser sessions, newest first."""

    nextCursor: str | None
    """Send it as `cursor` to get the following page; null on the last page."""

class CalComAnswer(TypedDict):
    """Answer to a question of the booking form."""

    questionId: NotRequired[str]
    """Id of the question."""

    value: NotRequired[str]
    """The answer."""

class CalComBlock(TypedDict):
    """Works with Cal.com. Chats run it. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["cal-com"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[CalComOptions]

class CalComOptions(TypedDict):
    """Options of the Cal.com block. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    action: NotRequired[str]
    """Action of the block: Book event. The service preserves other texts. Without an action the block does nothing."""

    baseUrl: NotRequired[str]
    """Address of the Cal.com installation."""

    link: NotRequired[str]
    """Address of the event, or its path."""

    layout: NotRequired[Literal["Month", "Weekly", "Columns"]]
    """Layout of the calendar."""

    name: NotRequired[str]
    """Name of the visitor."""

    email: NotRequired[str]
    """E-mail address of the visitor."""

    additionalNotes: NotRequired[str]
    """Notes for the host."""

    phone: NotRequired[str]
    """Phone number of the visitor."""

    anyPrefilledInformations: NotRequired[list[CalComAnswer]]
    """Prefilled answers of the booking form."""

    saveBookedDateInVariableId: NotRequired[str]
    """Id of the variable that stores the booked date."""

class CalendarAction(TypedDict):
    """Show a calendar, and continue with the date that was booked."""

    lastBubbleBlockId: NotRequired[str]
    """Run the action after this bubble; absent means before all."""

    expectsDedicatedReply: NotRequired[bool]
    """True if the client must continue the chat with the outcome."""

    type: Literal["calendar"]
    """Kind of the action."""

    calendar: CalendarDetails

class CalendarDetails(TypedDict):
    """The calendar that the client shows."""

    url: str
    """Address of the page for a frame. It posts messages whose `originator` is `CAL`; `bookingSuccessfulV2` has the date as `data.startTime`."""

class CardItem(TypedDict):
    """A card with a picture, texts and buttons."""

    id: str
    """Id of the item."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the item. Running chats follow this id. The edge may be missing."""

    imageUrl: NotRequired[str | None]
    """Address of the picture. Null: none."""

    title: NotRequired[str | None]
    """Title of the card. Null: none."""

    description: NotRequired[str | None]
    """Text of the card. Null: none."""

    options: NotRequired[CardItemOptions]

    paths: NotRequired[list[CardPath]]
    """The buttons, in the order shown."""

class CardItemOptions(TypedDict):
    """Display condition and internal value of a card."""

    displayCondition: NotRequired[DisplayCondition]

    internalValue: NotRequired[str | None]
    """Text stored as the answer, and by mappings of Internal Value. Null: none."""

class CardMapping(TypedDict):
    """Stores one part of the chosen card in a variable."""

    field: NotRequired[Literal["Image URL", "Title", "Description", "Button", "Internal Value"]]
    """Part of the card to store."""

    variableId: NotRequired[str]
    """Id of the variable that stores the part."""

class CardPath(TypedDict):
    """A button of a card and its edge."""

    id: str
    """Id of the path."""

    text: NotRequired[str]
    """Text of the button."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the path. Running chats follow this id. The edge may be missing."""

class CardsInput(TypedDict):
    """Asks to choose from cards."""

    id: str
    """Id of the block."""

    type: Literal["cards"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    items: list[CardItem]
    """The cards, in the order shown."""

    options: NotRequired[CardsInputOptions]

class CardsInputOptions(TypedDict):
    """Variables for the answer and for parts of the chosen card."""

    variableId: NotRequired[str]
    """Id of the variable that stores the answer."""

    saveResponseMapping: NotRequired[list[CardMapping]]
    """Parts of the card and the variables that store them."""

class ChatActionEvent(TypedDict):
    """An action of the client. The event `answer` repeats it."""

    type: Literal["action"]
    """Name of the event."""

    action: ClientSideAction

class ChatAnswerEvent(TypedDict):
    """The last event: the response of a request without a stream."""

    type: Literal["answer"]
    """Name of the event."""

    answer: dict[str, Any]
    """A `StartedChatBody` for a start, a `ContinuedChatBody` for a continuation."""

class ChatBody(TypedDict):
    """One chat of a bot, as it is now."""

    chat: BotChat

class ChatBot(TypedDict):
    """The bot that runs: its version, theme and settings."""

    id: str
    """Id of the bot, as create and list return it."""

    version: str
    """Version of the flow that runs."""

    theme: dict[str, Any]
    """The theme, with placeholders filled in."""

    settings: dict[str, Any]
    """The settings a client needs: `general` and `typingEmulation`."""

    publishedAt: NotRequired[str]
    """When the running copy was published."""

class ChatDeltaEvent(TypedDict):
    """A piece of a text that a language model is writing. The bubble that will show the text has this id, and replaces the pieces."""

    type: Literal["delta"]
    """Name of the event."""

    id: str
    """Id of the block in the flow."""

    text: str
    """The piece."""

class ChatDetailBody(TypedDict):
    """One chat of a bot with its messages."""

    chat: BotChat

    turns: list[ChatTurn]
    """The messages, oldest first; for very long chats, only the latest."""

class ChatErrorEvent(TypedDict):
    """The last event of a request that failed after others were sent."""

    type: Literal["error"]
    """Name of the event."""

    status: int
    """Status of the response without a stream."""

    error: dict[str, Any]
    """Body of the response without a stream."""

class ChatEventData(TypedDict):
    """A chat that changed hands."""

    sessionId: str
    """Id of the chat session."""

    botId: str
    """Id of the bot."""

    resultId: str
    """Id of the result."""

    handledBy: Literal["bot", "waiting", "member"]
    """The one who handles the chat from then on."""

    assigneeId: str | None
    """Id of the member who handles the chat; null if none does, and for an agent of Chatwoot."""

class ChatHandoffEventData(TypedDict):
    """A chat that waits for a member."""

    sessionId: str
    """Id of the chat session."""

    botId: str
    """Id of the bot."""

    resultId: str
    """Id of the result."""

    handledBy: Literal["bot", "waiting", "member"]
    """The one who handles the chat from then on."""

    assigneeId: str | None
    """Id of the member who handles the chat; null if none does, and for an agent of Chatwoot."""

    blockId: str | None
    """Id of the block that requested a member; null if a member queued the chat."""

class ChatHandoffRequestedEvent(TypedDict):
    """A chat waits for a member from now on."""

    type: Literal["chat.handoffRequested"]
    """The type of the event."""

    timestamp: str
    """Time of the event. Events of one bot come in order, but not always by this time."""

    data: ChatHandoffEventData

class ChatInput(TypedDict):
    """The input block that waits for a reply."""

    id: str
    """Id of the block in the flow."""

    type: str
    """Type of the input block, such as `email input`."""

    options: NotRequired[dict[str, Any]]
    """Options of the block, with placeholders filled in."""

    items: NotRequired[list[dict[str, Any]]]
    """The items that can be chosen."""

    prefilledValue: NotRequired[str]
    """Initial value of the input."""

    upload: NotRequired[UploadLimits]

    payment: NotRequired[ChatPayment]

    runtimeOptions: NotRequired[PaymentFormOptions]

class ChatLog(TypedDict):
    """A log entry of a turn."""

    description: str
    """Description of the event."""

    status: NotRequired[str]
    """Kind of the entry: `error`, `success` or `info`."""

    details: NotRequired[str]
    """Further details."""

    context: NotRequired[str]
    """Location of the event."""

class ChatLookEvent(TypedDict):
    """Appearance of the chat: the first event of a start. The event `answer` repeats it."""

    type: Literal["look"]
    """Name of the event."""

    theme: dict[str, Any]
    """The theme, with placeholders filled in."""

    settings: dict[str, Any]
    """The settings a client needs: `general` and `typingEmulation`."""

class ChatMessage(TypedDict):
    """A message to a model. The role decides which other properties apply."""

    role: NotRequired[Literal["system", "user", "assistant", "Dialogue"]]
    """Speaker, or Dialogue for earlier messages from a variable. Missing until chosen."""

    content: NotRequired[str]
    """Text of the message, with the roles system, user and assistant."""

    dialogueVariableId: NotRequired[str]
    """Id of the variable that holds the earlier messages, with role Dialogue."""

    startsBy: NotRequired[Literal["user", "assistant"]]
    """First speaker, with role Dialogue. Default user."""

class ChatMessageEvent(TypedDict):
    """A message of the bot. The event `answer` repeats it."""

    type: Literal["message"]
    """Name of the event."""

    message: MessageBubble

class ChatMessageEventData(TypedDict):
    """A message of a visitor to people."""

    sessionId: str
    """Id of the chat session."""

    botId: str
    """Id of the bot."""

    resultId: str
    """Id of the result."""

    handledBy: Literal["bot", "waiting", "member"]
    """The one who handles the chat from then on."""

    assigneeId: str | None
    """Id of the member who handles the chat; null if none does, and for an agent of Chatwoot."""

    said: list[VisitorMessage]
    """Messages of the visitor."""

class ChatMessageReceivedEvent(TypedDict):
    """A visitor wrote while people handle the chat."""

    type: Literal["chat.messageReceived"]
    """The type of the event."""

    timestamp: str
    """Time of the event. Events of one bot come in order, but not always by this time."""

    data: ChatMessageEventData

class ChatNodeBlock(TypedDict):
    """Works with ChatNode. Chats run it, with credentials of type chat-node. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["chat-node"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[ChatNodeOptions]

class ChatNodeCredentialsCreate(TypedDict):
    """New credentials of type chat-node."""

    type: Literal["chat-node"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: ApiKeyData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class ChatNodeCredentialsUpdate(TypedDict):
    """A change of credentials of type chat-node."""

    type: Literal["chat-node"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[ApiKeyData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class ChatNodeOptions(TypedDict):
    """Options of the ChatNode block. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    action: NotRequired[str]
    """Action of the block: Send Message. The service preserves other texts. Without an action the block does nothing."""

    botId: NotRequired[str]
    """Id of the bot at the vendor."""

    threadId: NotRequired[str]
    """Id of the thread."""

    message: NotRequired[str]
    """Text for the bot; may hold placeholders."""

    responseMapping: NotRequired[list[VendorAnswerMapping]]
    """Parts of the response and the variables that store them. With action Send Message: Message, Thread ID."""

class ChatPage(TypedDict):
    """A page of the chats of a bot."""

    chats: list[BotChatSummary]
    """The chats, in their order."""

    nextCursor: str | None
    """Send it as `cursor` to get the following page; null on the last page."""

class ChatPayment(TypedDict):
    """The payment that the chat waits for. Continue the chat with any message, or with none, to check it. The chat continues once the service has read from the provider that the payment succeeded."""

    id: str
    """Id of the payment at the provider."""

    url: str
    """Page on which the visitor pays: that of the provider, or one of this service with the form of the provider."""

    amount: str
    """Amount with its currency, to show."""

class ChatReturnedEvent(TypedDict):
    """The bot handles a chat again."""

    type: Literal["chat.returned"]
    """The type of the event."""

    timestamp: str
    """Time of the event. Events of one bot come in order, but not always by this time."""

    data: ChatEventData

class ChatSessionBody(TypedDict):
    """The current state of a chat, for a client that comes back to it."""

    sessionId: str
    """Id of the chat session."""

    resultId: NotRequired[str]
    """Id of the result; absent while the chat is only registered, and in a preview."""

    bot: ChatBot

    turns: list[ChatTurn]
    """The messages, oldest first; for very long chats, only the latest."""

    isOver: bool
    """True if the chat has ended."""

    input: NotRequired[ChatInput]

    clientSideActions: NotRequired[list[ClientSideAction]]
    """Actions that the chat waits for; one-time actions are not repeated."""

    dynamicTheme: NotRequired[DynamicTheme]

    progress: NotRequired[float]
    """Progress of the chat in percent; only with the progress bar on."""

    handledBy: NotRequired[Literal["waiting", "member"]]
    """Present while the bot does not handle the chat: it waits for a member, or a member handles it. The input is then a text for people; messages of members come with the session and its events."""

    expectsEvents: NotRequired[bool]
    """True while events can come without a request of the visitor: people handle the chat, or a timer runs. Clients then follow the events of the session. Absent otherwise."""

    lastEventId: str
    """Id of the last event of the session; the next events come after it."""

    revision: int
    """Number of turns of the session. Send it with the reply: the same reply sent again then gets the same response instead of counting twice."""

class ChatTakenEvent(TypedDict):
    """A member handles a chat from now on."""

    type: Literal["chat.taken"]
    """The type of the event."""

    timestamp: str
    """Time of the event. Events of one bot come in order, but not always by this time."""

    data: ChatEventData

class ChatTimer(TypedDict):
    """The timer of a chat: an action of the bot at a set time, without a message. It ends with the chat; null if there is none."""

    kind: Literal["idle", "wait", "handoff"]
    """`idle`: the branch for a visitor who does not answer. `wait`: the bot continues. `handoff`: the branch for a chat that no member takes."""

    dueAt: str
    """When it fires, by the clock of the database."""

    isPaused: bool
    """True while people handle the chat; the timer does not fire then."""

class ChatTool(TypedDict):
    """A function that the model can call."""

    type: NotRequired[Literal["function"]]
    """Kind of tool."""

    name: NotRequired[str]
    """Name of the function."""

    description: NotRequired[str]
    """Purpose of the function."""

    parameters: NotRequired[list[ChatToolParameter]]
    """Parameters of the function."""

    code: NotRequired[str]
    """Body of the function."""

class ChatToolParameter(TypedDict):
    """A parameter of a function that the model can call."""

    type: NotRequired[Literal["string", "number", "boolean", "enum"]]
    """Kind of value."""

    name: NotRequired[str]
    """Name of the parameter."""

    description: NotRequired[str]
    """Meaning of the parameter."""

    required: NotRequired[bool]
    """True if the model must send the parameter. Default false."""

    values: NotRequired[list[str]]
    """With type enum: the allowed values."""

class ChatUpdate(TypedDict):
    """Changes to a chat; absent properties stay as they are."""

    variables: NotRequired[dict[str, Any]]
    """New values, by variable name; null empties a variable. Others stay."""

    isOver: NotRequired[bool]
    """`true` ends the chat; `false` changes nothing."""

    handledBy: NotRequired[Literal["bot", "waiting", "member"]]
    """`bot`: the bot runs. `waiting`: the chat waits for a member. `member`: a member handles it. In the last two states, the bot neither runs nor sends."""

    assigneeId: NotRequired[str | None]
    """Id of the member who takes the chat, also from another member. Absent or null with `handledBy` `member` means the caller."""

    groupId: NotRequired[str]
    """Group of the bot where the chat continues. Only with `handledBy` `bot`, for a chat that the bot does not handle."""

    sessionId: NotRequired[Any]
    """Read-only id of the chat session; accepted and ignored."""

    botId: NotRequired[Any]
    """Read-only id of the bot; accepted and ignored."""

    publicationId: NotRequired[Any]
    """Read-only id of the publication; accepted and ignored."""

    resultId: NotRequired[Any]
    """Read-only id of the result; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of the start; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last turn; accepted and ignored."""

    expiresAt: NotRequired[Any]
    """Read-only end of its life; accepted and ignored."""

    blockId: NotRequired[Any]
    """Read-only id of the block that waits; accepted and ignored."""

    revision: NotRequired[Any]
    """Read-only number of turns; accepted and ignored."""

    handledSince: NotRequired[Any]
    """Read-only time when it changed hands; accepted and ignored."""

    lastMessage: NotRequired[Any]
    """Read-only last message; accepted and ignored."""

    timer: NotRequired[Any]
    """Read-only timer; accepted and ignored."""

class ChatwootAction(TypedDict):
    """Open or close the Chatwoot widget."""

    lastBubbleBlockId: NotRequired[str]
    """Run the action after this bubble; absent means before all."""

    expectsDedicatedReply: NotRequired[bool]
    """True if the client must continue the chat with the outcome."""

    type: Literal["chatwoot"]
    """Kind of the action."""

    chatwoot: ScriptHolder

class ChatwootBlock(TypedDict):
    """Opens the widget of Chatwoot. Works only on a host that serves chats alone."""

    id: str
    """Id of the block."""

    type: Literal["Chatwoot"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[ChatwootOptions]

class ChatwootCredentialsCreate(TypedDict):
    """New credentials of type chatwoot."""

    type: Literal["chatwoot"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: ChatwootData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class ChatwootCredentialsUpdate(TypedDict):
    """A change of credentials of type chatwoot."""

    type: Literal["chatwoot"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[ChatwootData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class ChatwootData(TypedDict):
    """An agent bot of a Chatwoot installation. It writes to the conversations of its inboxes."""

    baseUrl: str
    """Address of the installation. The token is sent to no other address. Private addresses work only if the installation of this service allows them."""

    accountId: int
    """Number of the account in Chatwoot."""

    accessToken: str
    """Access token of the agent bot."""

    secret: str
    """Secret with which the agent bot signs its events. A Chatwoot before 4.13 signs none: choose a long random text, and put it into the address of the events."""

class ChatwootOptions(TypedDict):
    """The Chatwoot widget and the identity of the visitor."""

    task: NotRequired[Literal["Show widget", "Close widget"]]
    """Task of the block. Default Show widget."""

    baseUrl: NotRequired[str]
    """Address of the Chatwoot installation."""

    websiteToken: NotRequired[str]
    """Token of the widget."""

    user: NotRequired[ChatwootUser]

class ChatwootUser(TypedDict):
    """The visitor as Chatwoot shows them; all texts may hold placeholders."""

    id: NotRequired[str]
    """Id of the visitor."""

    email: NotRequired[str]
    """E-mail address."""

    name: NotRequired[str]
    """Name."""

    avatarUrl: NotRequired[str]
    """Address of a picture."""

    phoneNumber: NotRequired[str]
    """Phone number."""

class ChoiceInput(TypedDict):
    """Asks to choose from buttons."""

    id: str
    """Id of the block."""

    type: Literal["choice input"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    items: list[ChoiceItem]
    """The buttons, in the order shown."""

    options: NotRequired[ChoiceInputOptions]

class ChoiceInputOptions(TypedDict):
    """Settings of a choice input."""

    variableId: NotRequired[str]
    """Id of the variable that stores the answer."""

    isMultipleChoice: NotRequired[bool]
    """True if visitors may choose several buttons. Default false."""

    isSearchable: NotRequired[bool]
    """True if a search field filters the buttons. Default false."""

    areInitialSearchButtonsVisible: NotRequired[bool]
    """True if the buttons show before a search. Default true."""

    buttonLabel: NotRequired[str]
    """Text of the button that sends several choices. Default Send."""

    searchInputPlaceholder: NotRequired[str]
    """Text in the empty search field."""

    dynamicVariableId: NotRequired[str]
    """Id of the variable whose list gives the buttons instead of the items."""

class ChoiceItem(TypedDict):
    """A button of a choice input."""

    id: str
    """Id of the item."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the item. Running chats follow this id. The edge may be missing."""

    content: NotRequired[str]
    """Text of the button."""

    value: NotRequired[str]
    """Text stored as the answer. Default: the content."""

    displayCondition: NotRequired[DisplayCondition]

class ClassicOpenAiBlock(TypedDict):
    """Calls an OpenAI model. Chats of this service run the task Create chat completion, with credentials of type openai, and skip other tasks. Newer documents use the block of type openai."""

    id: str
    """Id of the block."""

    type: Literal["OpenAI"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[ClassicOpenAiOptions]

class ClassicOpenAiImageOptions(TypedDict):
    """Settings of a picture. Required with task Create image."""

    size: NotRequired[Literal["256x256", "512x512", "1024x1024"]]
    """Width and height in pixels."""

class ClassicOpenAiMapping(TypedDict):
    """Stores one part of the response in a variable."""

    id: str
    """Id of the entry."""

    valueToExtract: NotRequired[str]
    """Part of the response: `Image URL` for pictures, else `Message content`, `Total tokens`, `Prompt tokens` or `Completion tokens`. Default, also if empty: Message content."""

    variableId: NotRequired[str]
    """Id of the variable that stores the part."""

class ClassicOpenAiMessage(TypedDict):
    """A message to the model. The role decides which other properties apply."""

    id: str
    """Id of the message."""

    role: NotRequired[Literal["system", "user", "assistant", "Messages sequence ✨", "Dialogue"]]
    """Speaker, or source of earlier messages. Missing until chosen."""

    content: NotRequired[str | ClassicOpenAiMessagesSequence]
    """Text of the message; with role Messages sequence ✨ the variables that hold earlier messages."""

    name: NotRequired[str]
    """Name of the speaker."""

    dialogueVariableId: NotRequired[str]
    """Id of the variable that holds the earlier messages, with role Dialogue."""

    startsBy: NotRequired[Literal["user", "assistant"]]
    """First speaker, with role Dialogue. Default user."""

class ClassicOpenAiMessagesSequence(TypedDict):
    """Earlier messages, from two list variables in turn."""

    assistantMessagesVariableId: NotRequired[str]
    """Id of the variable with the messages of the assistant."""

    userMessagesVariableId: NotRequired[str]
    """Id of the variable with the messages of the user."""

class ClassicOpenAiOptions(TypedDict):
    """Request to the model. The task decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    baseUrl: NotRequired[str]
    """Address of the API, if the credentials name none. It must belong to the vendor, since it receives the key."""

    apiVersion: NotRequired[str]
    """Version of the API."""

    task: NotRequired[Literal["Create chat completion", "Create speech", "Create image"]]
    """Task of the block. Without a task the block does nothing."""

    model: NotRequired[str]
    """Name of the model."""

    messages: NotRequired[list[ClassicOpenAiMessage]]
    """With task Create chat completion: the messages."""

    advancedSettings: NotRequired[ClassicOpenAiSettings]

    prompt: NotRequired[str]
    """With task Create image: content of the picture."""

    advancedOptions: NotRequired[ClassicOpenAiImageOptions]

    input: NotRequired[str]
    """With task Create speech: the text to speak."""

    voice: NotRequired[Literal["alloy", "echo", "fable", "onyx", "nova", "shimmer"]]
    """With task Create speech: the voice."""

    saveUrlInVariableId: NotRequired[str]
    """Id of the variable that stores the address of the sound, with task Create speech."""

    responseMapping: NotRequired[list[ClassicOpenAiMapping]]
    """Parts of the response and the variables that store them. Required with task Create image."""

class ClassicOpenAiSettings(TypedDict):
    """Settings of a chat completion."""

    temperature: NotRequired[float | str]
    """Sampling temperature of the model, from 0 to 2. A number, or a text that is one {{variable}} or reads as a number."""

class ClientLog(TypedDict):
    """One entry of the log of a chat client. Each text is cut at 1,000 characters."""

    description: str
    """Description of the event."""

    status: NotRequired[str]
    """Kind of the entry, such as `error`, `success` or `info`; `error` when absent."""

    details: NotRequired[str]
    """Further details."""

    context: NotRequired[str]
    """Location of the event."""

class ClientScript(TypedDict):
    """Code for the client, with its arguments."""

    content: str
    """The code."""

    isCode: NotRequired[bool]
    """True if it is code rather than an expression."""

    isUnsafe: NotRequired[bool]
    """True if the code comes from an unknown author."""

    args: list[ScriptArgument]
    """The arguments."""

class CodeBlock(TypedDict):
    """Runs a script in the browser of the visitor or on the server."""

    id: str
    """Id of the block."""

    type: Literal["Code"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[CodeOptions]

class CodeOptions(TypedDict):
    """Script to run and its settings."""

    name: NotRequired[str]
    """Name shown in the editor."""

    content: NotRequired[str]
    """The script; placeholders become values. On the server it runs in a sandbox with `setVariable(name, value)` and `fetch(url, options)`. Its response has `ok`, `status`, `headers`, `text()` and `json()`; used as a text, it is the body. The guide to flows lists the rest."""

    isExecutedOnClient: NotRequired[bool]
    """True if the script runs in the browser of the visitor. If false, it runs on the server, and the browser does not receive it. Default true."""

    isUnsafe: NotRequired[bool]
    """True if the script is marked as from an unknown author."""

    shouldExecuteInParentContext: NotRequired[bool]
    """True if the script is meant for the page that embeds the chat. The service preserves and ignores this: scripts run in the page of the chat."""

class CommandEvent(TypedDict):
    """Begins a branch when the page around the chat sends a command."""

    id: str
    """Id of the event."""

    type: Literal["command"]
    """Type of the event."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the event. Running chats follow this id. The edge may be missing."""

    graphCoordinates: Coordinates

    options: NotRequired[CommandEventOptions]

class CommandEventOptions(TypedDict):
    """Command that begins the branch."""

    command: NotRequired[str]
    """The command."""

    resumeAfter: NotRequired[bool]
    """True if the chat returns to the waiting input afterwards. Default false."""

class CommandMessage(TypedDict):
    """Runs the branch of a command event."""

    type: Literal["command"]
    """A command."""

    command: str
    """The command that an event of the flow has."""

class ComparedFlow(TypedDict):
    """One of the two flows that were compared."""

    state: Literal["draft", "publication"]
    """Kind of the flow: the draft or a publication."""

    publicationId: str | None
    """Id of the publication; null for the draft."""

    version: Literal["3", "4", "5", "6", "6.1"]
    """Version of the schema the flow is stored in."""

    updatedAt: str
    """When the draft last changed, or when the publication was made."""

class Comparison(TypedDict):
    """Compares the value of a variable with a text. It does not hold if the variable or the operator is missing."""

    id: str
    """Id of the comparison."""

    variableId: NotRequired[str]
    """Id of the variable on the left side."""

    comparisonOperator: NotRequired[ComparisonOperator]

    value: NotRequired[str]
    """The right side; may hold placeholders. The texts `null` and `undefined` mean no value."""

ComparisonBody = TypedDict(
    "ComparisonBody",
    {
        "from": "ComparedFlow",
        "to": "ComparedFlow",
        "changes": "list[FlowChange]",
        "isComplete": "bool",
    },
)
"""The differences between two states of a bot."""

class Condition(TypedDict):
    """Comparisons joined by one operator. Without comparisons it does not hold."""

    logicalOperator: NotRequired[LogicalOperator]

    comparisons: NotRequired[list[Comparison]]
    """The comparisons, in any order."""

class ConditionBlock(TypedDict):
    """Follows the edge of the first item whose condition holds, else its own. Has no options."""

    id: str
    """Id of the block."""

    type: Literal["Condition"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    items: list[ConditionItem]
    """The conditions, in the order of evaluation."""

class ConditionItem(TypedDict):
    """One condition and the edge that the chat follows if it holds."""

    id: str
    """Id of the item."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the item. Running chats follow this id. The edge may be missing."""

    content: NotRequired[Condition]

class ConflictErrorBody(TypedDict):
    """The record was changed since the caller read it, or it exists already. Read it again and repeat the change on the new state."""

    code: Literal["CONFLICT"]
    """Code of the error, for programs."""

    message: str
    """The fixed text of the code."""

    issues: list[ErrorIssue]
    """Issues of the request; empty if there is nothing to add."""

class ConsentSettings(TypedDict):
    """Asks visitors for consent before the page loads third-party code: trackers, widgets, head code and fonts."""

    isRequired: NotRequired[bool]
    """True if the page asks visitors and loads none of these before they agree. Default false."""

    text: NotRequired[str]
    """The question. Default: one in the language of the page."""

    acceptLabel: NotRequired[str]
    """Button to agree."""

    declineLabel: NotRequired[str]
    """Button to decline."""

    policyUrl: NotRequired[str]
    """Address of a page about privacy, linked beside the question."""

class ContinueChatBody(TypedDict):
    """The reply of the visitor."""

    message: NotRequired[Message | None]
    """The reply; absent or null skips an optional input, or confirms that an awaited action is done."""

    textBubbleContentFormat: NotRequired[Literal["richText", "markdown"]]
    """Format of the texts of the bot: a tree of formatted nodes, or Markdown."""

    revision: NotRequired[int]
    """Number of turns of the session. Send it with the reply: the same reply sent again then gets the same response instead of counting twice."""

class ContinuedChatBody(TypedDict):
    """A further turn of a chat. Without `input` and awaited action it is over."""

    messages: list[MessageBubble]
    """Messages of the bot, in order."""

    input: NotRequired[ChatInput]

    clientSideActions: NotRequired[list[ClientSideAction]]
    """Actions of the client, in order; absent if there are none."""

    logs: NotRequired[list[ChatLog]]
    """Log of the turn, for developers of the client."""

    variables: NotRequired[list[ResultVariable]]
    """The variables that have a value after the turn; in previews only."""

    dynamicTheme: NotRequired[DynamicTheme]

    progress: NotRequired[float]
    """Progress of the chat in percent; only with the progress bar on."""

    lastMessageNewFormat: NotRequired[str]
    """The reply as it was understood, if that differs from the sent one."""

    handledBy: NotRequired[Literal["waiting", "member"]]
    """Present while the bot does not handle the chat: it waits for a member, or a member handles it. The input is then a text for people; messages of members come with the session and its events."""

    expectsEvents: NotRequired[bool]
    """True while events can come without a request of the visitor: people handle the chat, or a timer runs. Clients then follow the events of the session. Absent otherwise."""

    revision: int
    """Number of turns of the session. Send it with the reply: the same reply sent again then gets the same response instead of counting twice."""

class Coordinates(TypedDict):
    """Coordinates of a group or an event on the canvas of the editor."""

    x: float
    """Distance from the left, in CSS pixels."""

    y: float
    """Distance from the top, in CSS pixels."""

class CreateBotBody(TypedDict):
    """The bot to create, and its workspace."""

    workspaceId: str
    """Id of the workspace to create the bot in."""

    bot: BotCreate

class CreateFolderBody(TypedDict):
    """The folder to create, and its workspace."""

    workspaceId: str
    """Id of the workspace to create the folder in."""

    folder: FolderCreate

class CreatedApiToken(TypedDict):
    """A new access token, with the token itself."""

    id: str
    """Id of the token, which is not the token itself."""

    name: str
    """Purpose of the token, as its owner wrote it."""

    hint: str
    """The last four characters of the token."""

    createdAt: str
    """When the token was created."""

    expiresAt: str | None
    """When the token stops working; null means never."""

    expiresSoon: bool
    """True if the token stops working within 7 days, or has stopped: time to renew it."""

    scopes: list[TokenScope]
    """Maximum rights of the token; the roles of its owner can limit them further."""

    workspaceId: str | None
    """Workspace that the token is bound to: outside of it, the token acts as if its owner had no role. Null for a token that is bound to none."""

    lastUsedAt: str | None
    """When the token was last used, to the day; null when never."""

    token: str
    """The token itself. It is shown only here; only a digest is stored."""

class CreatedApiTokenBody(TypedDict):
    """The new token, shown this once."""

    apiToken: CreatedApiToken

class CreatedInvitationBody(TypedDict):
    """A new invitation, with its link."""

    invitation: Invitation

    link: str
    """The page that accepts the invitation. It is shown only here."""

class CredentialsBody(TypedDict):
    """One record of credentials."""

    credentials: StoredCredentials

class CredentialsList(TypedDict):
    """The credentials of a workspace."""

    credentials: list[StoredCredentials]
    """The credentials, newest first."""

class CredentialsTest(TypedDict):
    """The outcome of a test of credentials."""

    outcome: Literal["accepted", "rejected", "unclear", "unreachable", "untestable"]
    """`accepted` and `rejected`: the verdict of the service. `unclear`: it responded with something else, such as a limit. `unreachable`: it did not respond, or may not be called. `untestable`: it offers no test."""

    status: int | None
    """Status of its response; null without one."""

    message: str
    """Message of the service, without the secret."""

class CredentialsTestBody(TypedDict):
    """The verdict of the service on credentials."""

    test: CredentialsTest

class CurrentState(TypedDict):
    """State of the stored record, on a conflict or a failed precondition: read the record, or send these values to write on top of it. Absent if the record has none."""

    updatedAt: NotRequired[str]
    """Time of the last change of the record, as in its `updatedAt`."""

    etag: NotRequired[str]
    """Entity tag of the record, as in the header `ETag` of a read."""

    id: NotRequired[str]
    """Id of the created record, if the response that created it cannot be repeated."""

class CurrentUser(TypedDict):
    """The user of a token."""

    id: str
    """Id of the user."""

    email: str
    """E-mail address of the user."""

    name: str | None
    """Name of the user, or null."""

    image: str | None
    """URL of a picture of the user, or null."""

class CurrentUserBody(TypedDict):
    """The caller, their token and their roles."""

    user: CurrentUser

    token: ApiToken

    workspaces: list[CurrentUserWorkspace]
    """The workspaces of the user, longest membership first."""

class CurrentUserWorkspace(TypedDict):
    """A workspace of the caller, and their role in it."""

    id: str
    """Id of the workspace."""

    name: str
    """Name of the workspace."""

    role: Literal["ADMIN", "MEMBER", "GUEST"]
    """`ADMIN` may do everything, `MEMBER` writes bots and folders and reads results, `GUEST` reads bots and folders."""

class DateInput(TypedDict):
    """Asks for a date or a range of dates."""

    id: str
    """Id of the block."""

    type: Literal["date input"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[DateInputOptions]

DateInputLabels = TypedDict(
    "DateInputLabels",
    {
        "button": NotRequired["str"],
        "from": NotRequired["str"],
        "to": NotRequired["str"],
        "separator": NotRequired["str"],
    },
)
"""Texts of a date input."""

class DateInputOptions(TypedDict):
    """Accepted dates and their format."""

    variableId: NotRequired[str]
    """Id of the variable that stores the answer."""

    labels: NotRequired[DateInputLabels]

    hasTime: NotRequired[bool]
    """True if the input also asks for a time of day. Default false."""

    isRange: NotRequired[bool]
    """True if the input asks for two dates. Default false."""

    format: NotRequired[str]
    """Unicode date pattern (TR 35) of the answer. Default dd/MM/yyyy, with a time dd/MM/yyyy HH:mm."""

    min: NotRequired[str]
    """Earliest accepted date, or a placeholder."""

    max: NotRequired[str]
    """Latest accepted date, or a placeholder."""

class DeepSeekBlock(TypedDict):
    """Works with DeepSeek. Chats run it, with credentials of type deepseek. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["deepseek"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[DeepSeekOptions]

class DeepSeekCredentialsCreate(TypedDict):
    """New credentials of type deepseek."""

    type: Literal["deepseek"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: ApiKeyData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class DeepSeekCredentialsUpdate(TypedDict):
    """A change of credentials of type deepseek."""

    type: Literal["deepseek"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[ApiKeyData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class DeepSeekOptions(TypedDict):
    """Options of the DeepSeek block. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    action: NotRequired[str]
    """Action of the block: Create chat completion. The service preserves other texts. Without an action the block does nothing."""

    model: NotRequired[str]
    """Name of the model."""

    messages: NotRequired[list[ChatMessage]]
    """The messages, oldest first."""

    tools: NotRequired[list[ChatTool]]
    """Functions that the model can call."""

    temperature: NotRequired[float | str]
    """Sampling temperature of the model, from 0 to 2. A number, or a text that is one {{variable}} or reads as a number."""

    responseMapping: NotRequired[list[VendorAnswerMapping]]
    """Parts of the response and the variables that store them. With action Create chat completion: Message content, Total tokens, Prompt tokens, Completion tokens."""

class DeletedResultsEventData(TypedDict):
    """The results that were deleted."""

    botId: str
    """Id of the bot."""

    resultIds: list[str] | None
    """Ids that the request named; null if it named none."""

    createdBefore: str | None
    """Only results that began before it were deleted; null without such a bound. If `resultIds` is null too, all results were deleted."""

class DeviceLogin(TypedDict):
    """The state of a login."""

    status: Literal["pending", "slowDown", "allowed", "denied"]
    """Decision of the user, or `slowDown` if the program polls too often."""

    interval: int
    """Minimum seconds to wait before the next request."""

    apiToken: NotRequired[CreatedApiToken]

class DeviceLoginContinue(TypedDict):
    """The login to poll for."""

    deviceCode: str
    """The secret code of the program, as start device login returns it. Show it to nobody."""

class DeviceLoginStart(TypedDict):
    """The token that a program requests from a user."""

    name: str
    """Purpose of the token, as its owner wrote it."""

    expiresInDays: NotRequired[int]
    """Days after which the token stops working; absent means never."""

    scopes: NotRequired[list[TokenScope]]
    """Maximum rights of the token; absent means all rights of its owner."""

    workspaceId: NotRequired[str]
    """Id of the workspace to bind the token to; absent means none."""

class DifyAiBlock(TypedDict):
    """Works with Dify. Chats run it, with credentials of type dify-ai. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["dify-ai"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[DifyAiOptions]

class DifyAiCredentialsCreate(TypedDict):
    """New credentials of type dify-ai."""

    type: Literal["dify-ai"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: DifyData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class DifyAiCredentialsUpdate(TypedDict):
    """A change of credentials of type dify-ai."""

    type: Literal["dify-ai"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[DifyData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class DifyAiOptions(TypedDict):
    """Options of the Dify block. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    action: NotRequired[str]
    """Action of the block: Create Chat Message, Query Knowledge Base. The service preserves other texts. Without an action the block does nothing."""

    query: NotRequired[str]
    """Text of the query; may hold placeholders."""

    conversationVariableId: NotRequired[str]
    """Id of the variable that holds the id of the conversation."""

    user: NotRequired[str]
    """Id of the visitor at the vendor. Default: an id of the session."""

    inputs: NotRequired[list[KeyValuePair]]
    """Inputs of the application."""

    datasetId: NotRequired[str]
    """With action Query Knowledge Base: id of the knowledge base."""

    responseMapping: NotRequired[list[VendorAnswerMapping]]
    """Parts of the response and the variables that store them. With action Create Chat Message: Answer, Total Tokens, Message content, Total tokens, Prompt tokens, Completion tokens. With action Query Knowledge Base: Retrieved chunks."""

class DifyData(TypedDict):
    """An application, or the knowledge bases of an account, at Dify."""

    apiKey: NotRequired[str]
    """Key of the application, for Create Chat Message."""

    knowledgeApiKey: NotRequired[str]
    """Key of the knowledge bases, for Query Knowledge Base."""

    apiEndpoint: NotRequired[str]
    """Address of Dify. Default https://api.dify.ai."""

class DisplayCondition(TypedDict):
    """Shows an item only while a condition holds."""

    isEnabled: NotRequired[bool]
    """True if the condition applies. Default false: the chat always shows the item."""

    condition: NotRequired[Condition]

class DuplicateBotBody(TypedDict):
    """Name and folder of the new bot."""

    name: NotRequired[str]
    """Name of the new bot. Default: the name of the bot, followed by `(copy)`."""

    folderId: NotRequired[str | None]
    """Id of a folder of the workspace to put the new bot into; null for none. Default: the folder of the bot."""

class DynamicTheme(TypedDict):
    """Parts of the theme that depend on variables."""

    hostAvatarUrl: NotRequired[str]
    """URL of the bot's picture."""

    guestAvatarUrl: NotRequired[str]
    """URL of the visitor's picture."""

    backgroundUrl: NotRequired[str]
    """URL of the background image."""

Edge = TypedDict(
    "Edge",
    {
        "id": "str",
        "from": "EdgeSource",
        "to": "EdgeTarget",
    },
)
"""A connection of the flow. The service does not enforce references: source and target may name missing records."""

class EdgeSource(TypedDict):
    """Start of an edge: a block, an item or a path of a block, or an event. It has a blockId or, in versions 6 and 6.1 only, an eventId."""

    blockId: NotRequired[str]
    """Id of the block the edge leaves."""

    itemId: NotRequired[str]
    """Id of the item of the block, if the edge leaves an item."""

    pathId: NotRequired[str]
    """Id of the path of a card, if the edge leaves a path."""

    eventId: NotRequired[str]
    """Id of the event the edge leaves."""

class EdgeTarget(TypedDict):
    """Target of an edge: a group or one of its blocks."""

    groupId: str
    """Id of the group."""

    blockId: NotRequired[str]
    """Id of the block in the group. Default: its first block."""

class ElevenLabsBlock(TypedDict):
    """Works with ElevenLabs. Chats run it, with credentials of type elevenlabs. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["elevenlabs"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[ElevenLabsOptions]

class ElevenLabsCredentialsCreate(TypedDict):
    """New credentials of type elevenlabs."""

    type: Literal["elevenlabs"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: ApiKeyData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class ElevenLabsCredentialsUpdate(TypedDict):
    """A change of credentials of type elevenlabs."""

    type: Literal["elevenlabs"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[ApiKeyData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class ElevenLabsOptions(TypedDict):
    """Options of the ElevenLabs block. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    action: NotRequired[str]
    """Action of the block: Convert text to speech. The service preserves other texts. Without an action the block does nothing."""

    text: NotRequired[str]
    """Text to speak."""

    voiceId: NotRequired[str]
    """Id of the voice."""

    modelId: NotRequired[str]
    """Id of the model."""

    saveUrlInVariableId: NotRequired[str]
    """Id of the variable that stores the address of the sound."""

class EmailBlock(TypedDict):
    """Sends an e-mail to one or more recipients."""

    id: str
    """Id of the block."""

    type: Literal["Email"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[EmailOptions]

class EmailInput(TypedDict):
    """Asks for an e-mail address."""

    id: str
    """Id of the block."""

    type: Literal["email input"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[EmailInputOptions]

class EmailInputOptions(TypedDict):
    """Settings of an e-mail input."""

    variableId: NotRequired[str]
    """Id of the variable that stores the answer."""

    labels: NotRequired[InputLabels]

    retryMessageContent: NotRequired[str]
    """Sent after an invalid answer."""

class EmailOptions(TypedDict):
    """E-mail to send. All texts may hold placeholders."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the mail account, or default for the mailer of the installation. The block sends nothing if the workspace lacks the credentials."""

    isCustomBody: NotRequired[bool]
    """True if the e-mail has `body` instead of all answers and variables. Default true if there is a body."""

    isBodyCode: NotRequired[bool]
    """True if the body is HTML. Default false."""

    recipients: NotRequired[list[str]]
    """Addresses of the recipients."""

    cc: NotRequired[list[str]]
    """Addresses that get a copy."""

    bcc: NotRequired[list[str]]
    """Addresses that get a hidden copy."""

    subject: NotRequired[str]
    """Subject."""

    body: NotRequired[str]
    """Body."""

    replyTo: NotRequired[str]
    """Address for replies."""

    attachmentsVariableId: NotRequired[str]
    """Id of the variable that holds the addresses of files to attach."""

class EmbedBubble(TypedDict):
    """Shows another page inside the chat."""

    id: str
    """Id of the block."""

    type: Literal["embed"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    content: NotRequired[EmbedBubbleContent]

class EmbedBubbleContent(TypedDict):
    """Page that the block shows, and its settings."""

    url: NotRequired[str]
    """Address of the page."""

    height: NotRequired[float | str]
    """Height in CSS pixels. Default 400. A number, or a text that is one {{variable}} or reads as a number."""

    waitForEvent: NotRequired[EmbedWaitForEvent]

class EmbedMessageBubble(TypedDict):
    """An embedded page of the bot."""

    id: str
    """Id of the block in the flow."""

    type: Literal["embed"]
    """Kind of the bubble."""

    content: dict[str, Any]
    """The content of the block, with placeholders filled in."""

class EmbedWaitForEvent(TypedDict):
    """Makes the chat wait until the page sends an event."""

    isEnabled: NotRequired[bool]
    """True if the chat waits. Default false."""

    name: NotRequired[str]
    """Name of the event."""

    saveDataInVariableId: NotRequired[str]
    """Id of the variable that stores the data of the event."""

class EndpointTestEvent(TypedDict):
    """The endpoint is tested."""

    type: Literal["endpoint.test"]
    """The type of the event."""

    timestamp: str
    """Time of the event. Events of one bot come in order, but not always by this time."""

    data: TestEventData

class ErrorIssue(TypedDict):
    """One issue of a request, with its path."""

    path: list[str]
    """Path of the issue: first `path`, `query`, `header` or `body`, then keys; indexes are written as text."""

    code: IssueCode

    message: str
    """Message for people."""

    current: NotRequired[CurrentState]

class ExportedBotBody(TypedDict):
    """The document of an exported bot."""

    bot: ExportedBot

class ExportedBotV3(TypedDict):
    """A bot in version 3 without ids, times and names that belong to one installation."""

    version: Literal["3"]
    """Version of the schema the flow is written in."""

    name: str
    """Name of the bot. Names need not be unique."""

    icon: str | None
    """Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    groups: list[LegacyGroup]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent] | None
    """Null, because the start is a block of a group. An empty list is valid too."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

    selectedThemeTemplateId: str | None
    """Id of the theme template an editor applied, which the service only stores; null without one."""

    resultsTablePreferences: ResultsTablePreferences | None
    """Layout of the table of results in an editor; null for its own defaults."""

    isClosed: bool
    """True if new chats are rejected. Takes effect at once, without publishing."""

class ExportedBotV4(TypedDict):
    """A bot in version 4 without ids, times and names that belong to one installation."""

    version: Literal["4"]
    """Version of the schema the flow is written in."""

    name: str
    """Name of the bot. Names need not be unique."""

    icon: str | None
    """Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    groups: list[LegacyGroup]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent] | None
    """Null, because the start is a block of a group. An empty list is valid too."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

    selectedThemeTemplateId: str | None
    """Id of the theme template an editor applied, which the service only stores; null without one."""

    resultsTablePreferences: ResultsTablePreferences | None
    """Layout of the table of results in an editor; null for its own defaults."""

    isClosed: bool
    """True if new chats are rejected. Takes effect at once, without publishing."""

class ExportedBotV5(TypedDict):
    """A bot in version 5 without ids, times and names that belong to one installation."""

    version: Literal["5"]
    """Version of the schema the flow is written in."""

    name: str
    """Name of the bot. Names need not be unique."""

    icon: str | None
    """Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    groups: list[LegacyGroup]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent] | None
    """Null, because the start is a block of a group. An empty list is valid too."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

    selectedThemeTemplateId: str | None
    """Id of the theme template an editor applied, which the service only stores; null without one."""

    resultsTablePreferences: ResultsTablePreferences | None
    """Layout of the table of results in an editor; null for its own defaults."""

    isClosed: bool
    """True if new chats are rejected. Takes effect at once, without publishing."""

class ExportedBotV6(TypedDict):
    """A bot in version 6 without ids, times and names that belong to one installation."""

    version: Literal["6"]
    """Version of the schema the flow is written in."""

    name: str
    """Name of the bot. Names need not be unique."""

    icon: str | None
    """Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    groups: list[Group]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent]
    """Events that begin the branches of the flow. The first event, and only the first, is the start event."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

    selectedThemeTemplateId: str | None
    """Id of the theme template an editor applied, which the service only stores; null without one."""

    resultsTablePreferences: ResultsTablePreferences | None
    """Layout of the table of results in an editor; null for its own defaults."""

    isClosed: bool
    """True if new chats are rejected. Takes effect at once, without publishing."""

class ExportedBotV61(TypedDict):
    """A bot in version 6.1 without ids, times and names that belong to one installation."""

    version: Literal["6.1"]
    """Version of the schema the flow is written in."""

    name: str
    """Name of the bot. Names need not be unique."""

    icon: str | None
    """Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    groups: list[Group]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent]
    """Events that begin the branches of the flow. The first event, and only the first, is the start event."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

    selectedThemeTemplateId: str | None
    """Id of the theme template an editor applied, which the service only stores; null without one."""

    resultsTablePreferences: ResultsTablePreferences | None
    """Layout of the table of results in an editor; null for its own defaults."""

    isClosed: bool
    """True if new chats are rejected. Takes effect at once, without publishing."""

class FileInput(TypedDict):
    """Asks for one file or several."""

    id: str
    """Id of the block."""

    type: Literal["file input"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[FileInputOptions]

class FileInputLabels(TypedDict):
    """Texts of a file input."""

    placeholder: NotRequired[str]
    """Text in the drop area."""

    button: NotRequired[str]
    """Text of the button that uploads."""

    clear: NotRequired[str]
    """Text of the button that removes the chosen files."""

    skip: NotRequired[str]
    """Text of the button that continues without files."""

    success: NotRequired[FileInputSuccessLabels]

class FileInputOptions(TypedDict):
    """Settings of a file input."""

    variableId: NotRequired[str]
    """Id of the variable that stores the answer."""

    isRequired: NotRequired[bool]
    """True if the visitor must upload a file. Default true."""

    isMultipleAllowed: NotRequired[bool]
    """True if visitors may upload several files. Default false."""

    labels: NotRequired[FileInputLabels]

    allowedFileTypes: NotRequired[AllowedFileTypes]

    capture: NotRequired[Literal["environment", "user"]]
    """Camera of a phone: at the back (environment) or at the front (user)."""

    visibility: NotRequired[FileVisibility]

class FileInputSuccessLabels(TypedDict):
    """Texts shown after an upload."""

    single: NotRequired[str]
    """Text after one file."""

    multiple: NotRequired[str]
    """Text after several files."""

class FlowChange(TypedDict):
    """One difference between two flows."""

    kind: Literal["group", "block", "item", "edge", "variable", "event", "theme", "settings"]
    """The part of the flow that changed."""

    change: Literal["added", "removed", "renamed", "moved", "changed"]
    """Kind of the change. A group or variable with another name is `renamed`. A group or event that moved on the canvas is `moved`, and so is a block or item that moved in the flow. Other properties are `changed`, with one entry for each."""

    id: str | None
    """Id of the part; null for theme and settings."""

    groupId: str | None
    """Id of the group of a block or item; null for other parts."""

    blockId: str | None
    """Id of the block of an item; null for other parts."""

    path: list[str]
    """Path of the property within the part; empty if the part as a whole changed."""

    message: str
    """The change in words, for people."""

    before: NotRequired[Any]
    """The value in `from`; absent if there was none."""

    after: NotRequired[Any]
    """The value in `to`; absent if there is none."""

class FlowCheckBody(TypedDict):
    """The result of a check."""

    findings: list[FlowFinding]
    """The findings; the first 1,000."""

class FlowFinding(TypedDict):
    """A part of a flow that would misbehave when it runs."""

    path: list[str]
    """Path in the flow; indexes are written as text."""

    code: str
    """Kind of the finding, for programs."""

    message: str
    """Effect of the finding, for people."""

    severity: NotRequired[Literal["error", "warning"]]
    """`error`: a chat cannot do what the flow says. `warning`: the author probably did not mean it. Absent in the warnings of an import."""

class Folder(TypedDict):
    """A folder of a workspace, holding bots and other folders."""

    id: str
    """Id of the folder, as create and list return it."""

    createdAt: str
    """When the folder was created."""

    updatedAt: str
    """When the folder was last changed."""

    name: str
    """Name of the folder. Names need not be unique."""

    parentFolderId: str | None
    """Id of the folder this one is in; null at the top level."""

    workspaceId: str
    """Id of the workspace the folder is in."""

class FolderBody(TypedDict):
    """One folder, without its contents."""

    folder: Folder

class FolderCreate(TypedDict):
    """The folder to create."""

    name: str
    """Name of the folder. Names need not be unique."""

    parentFolderId: NotRequired[str | None]
    """Id of the folder this one is in; null at the top level."""

    id: NotRequired[Any]
    """Read-only id; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only workspace, which is taken from the property beside `folder`; accepted and ignored."""

class FolderList(TypedDict):
    """Folders of one level."""

    folders: list[Folder]
    """The folders, newest first."""

    nextCursor: str | None
    """Send it as `cursor` to get the following page; null on the last page."""

class FolderUpdate(TypedDict):
    """Changes; absent properties stay as they are."""

    name: NotRequired[str]
    """Name of the folder. Names need not be unique."""

    parentFolderId: NotRequired[str | None]
    """Id of the folder this one is in; null at the top level."""

    id: NotRequired[Any]
    """Read-only id; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only workspace; folders stay in their workspace; accepted and ignored."""

class FontSource(TypedDict):
    """A font and its source. The chat page always loads fonts that rules in `css` name. It loads Google fonts (from fonts.bunny.net) and style sheets by address only on a host that serves chats alone. Elsewhere the device of the visitor must have the font."""

    type: Literal["Google", "Custom"]
    """Source of the font: Google Fonts or own style sheet."""

    family: NotRequired[str]
    """Font family name. Default Open Sans."""

    css: NotRequired[str]
    """Address of a style sheet that declares the font, or the rules themselves."""

    url: NotRequired[str]
    """Address of a style sheet. `css` overrides it."""

class ForbiddenErrorBody(TypedDict):
    """The caller may not do this to this record, or their token may not do it at all. Ask an admin of the workspace for a higher role; with the issue `missing_scope` or `bound_token`, use another token."""

    code: Literal["FORBIDDEN"]
    """Code of the error, for programs."""

    message: str
    """The fixed text of the code."""

    issues: list[ErrorIssue]
    """Issues of the request; empty if there is nothing to add."""

class GeneralSettings(TypedDict):
    """Behaviour of the chat as a whole."""

    language: NotRequired[str]
    """BCP 47 tag for built-in texts of the chat page and the service, and for numbers and dates in answers. Texts in systemMessages and labels of inputs replace the built-in ones. Default, also if the page lacks the language: the preferred language of the browser."""

    isBrandingEnabled: NotRequired[bool]
    """True if the chat page shows the name of the installation, where it has one. Default false."""

    isTypingEmulationEnabled: NotRequired[bool]
    """Without effect, in older documents only. See typingEmulation."""

    isInputPrefillEnabled: NotRequired[bool]
    """True if inputs show the current value of their variable. Default false."""

    isHideQueryParamsEnabled: NotRequired[bool]
    """True if the page removes query parameters from the address after reading them. Default true."""

    isNewResultOnRefreshEnabled: NotRequired[bool]
    """Older documents only: the opposite of rememberUser.isEnabled, used if that is missing. Default true."""

    rememberUser: NotRequired[RememberUser]

    systemMessages: NotRequired[SystemMessages]

class GmailBlock(TypedDict):
    """Works with Gmail. Chats run it, with credentials of type gmail. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["gmail"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[GmailOptions]

class GmailCredentialsCreate(TypedDict):
    """New credentials of type gmail."""

    type: Literal["gmail"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: GmailData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class GmailCredentialsUpdate(TypedDict):
    """A change of credentials of type gmail."""

    type: Literal["gmail"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[GmailData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class GmailData(TypedDict):
    """An account that sends e-mails."""

    oauth: GoogleOAuth

    baseUrl: NotRequired[str]
    """Address of the API, if not that of Google."""

GmailOptions = TypedDict(
    "GmailOptions",
    {
        "credentialsId": NotRequired["str"],
        "action": NotRequired["str"],
        "to": NotRequired["str"],
        "from": NotRequired["str"],
        "replyTo": NotRequired["str"],
        "subject": NotRequired["str"],
        "body": NotRequired["str"],
        "label": NotRequired["str"],
        "threadId": NotRequired["str"],
        "attachments": NotRequired["Any"],
        "responseMapping": NotRequired["list[VendorAnswerMapping]"],
    },
)
"""Options of the Gmail block. The action decides which other properties apply."""

class GoogleAnalyticsAction(TypedDict):
    """Send an event to Google Analytics."""

    lastBubbleBlockId: NotRequired[str]
    """Run the action after this bubble; absent means before all."""

    expectsDedicatedReply: NotRequired[bool]
    """True if the client must continue the chat with the outcome."""

    type: Literal["googleAnalytics"]
    """Kind of the action."""

    googleAnalytics: dict[str, Any]
    """Options of the block, with placeholders filled in."""

class GoogleAnalyticsBlock(TypedDict):
    """Sends an event to Google Analytics. Works only on a host that serves chats alone."""

    id: str
    """Id of the block."""

    type: Literal["Google Analytics"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[GoogleAnalyticsOptions]

class GoogleAnalyticsOptions(TypedDict):
    """Event to send; all texts may hold placeholders."""

    trackingId: NotRequired[str]
    """Measurement id."""

    category: NotRequired[str]
    """Category of the event."""

    action: NotRequired[str]
    """Name of the event."""

    label: NotRequired[str]
    """Label of the event."""

    value: NotRequired[float | str]
    """Value of the event. A number, or a text that is one {{variable}} or reads as a number."""

    sendTo: NotRequired[str]
    """Destination of the event."""

class GoogleOAuth(TypedDict):
    """A Google account whose owner has consented, and the OAuth client of the consent. Default: the client of the installation."""

    refreshToken: str
    """Refresh token from Google for the consent."""

    clientId: NotRequired[str]
    """Id of the OAuth client."""

    clientSecret: NotRequired[str]
    """Secret of the OAuth client."""

    tokenUri: NotRequired[str]
    """Address that issues tokens. Default https://oauth2.googleapis.com/token."""

class GoogleServiceAccount(TypedDict):
    """The JSON key of a service account, as Google Cloud issues it. Share the sheet with its address."""

    client_email: str
    """Address of the account."""

    private_key: str
    """Private key, in PEM."""

    token_uri: NotRequired[str]
    """Address that issues tokens. Default https://oauth2.googleapis.com/token."""

    type: NotRequired[str]
    """Kind of the key; not used."""

    project_id: NotRequired[str]
    """Project of the account; not used."""

    private_key_id: NotRequired[str]
    """Id of the key; not used."""

    client_id: NotRequired[str]
    """Id of the account; not used."""

    auth_uri: NotRequired[str]
    """Not used."""

    auth_provider_x509_cert_url: NotRequired[str]
    """Not used."""

    client_x509_cert_url: NotRequired[str]
    """Not used."""

    universe_domain: NotRequired[str]
    """Not used."""

class GoogleSheetsBlock(TypedDict):
    """Reads or writes rows of a spreadsheet, with credentials of type google sheets."""

    id: str
    """Id of the block."""

    type: Literal["Google Sheets"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[GoogleSheetsOptions]

class GoogleSheetsCredentialsCreate(TypedDict):
    """New credentials of type google sheets."""

    type: Literal["google sheets"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: GoogleSheetsData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class GoogleSheetsCredentialsUpdate(TypedDict):
    """A change of credentials of type google sheets."""

    type: Literal["google sheets"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[GoogleSheetsData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class GoogleSheetsData(TypedDict):
    """An account that reads and writes sheets: a service account, or the account of a Google user."""

    serviceAccount: NotRequired[GoogleServiceAccount]

    oauth: NotRequired[GoogleOAuth]

    baseUrl: NotRequired[str]
    """Address of the API, if not that of Google."""

class GoogleSheetsOptions(TypedDict):
    """Table and the action on it. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    spreadsheetId: NotRequired[str]
    """Id of the spreadsheet."""

    sheetId: NotRequired[str]
    """Id of the sheet in the spreadsheet."""

    action: NotRequired[Literal["Get data from sheet", "Insert a row", "Update a row"]]
    """Action of the block. Without an action the block does nothing."""

    filter: NotRequired[SheetFilter]

    cellsToExtract: NotRequired[list[SheetExtraction]]
    """With action Get data from sheet: columns and the variables that store them."""

    totalRowsToExtract: NotRequired[Literal["All", "First", "Last", "Random"]]
    """With action Get data from sheet: rows to read of those found. Default All."""

    cellsToInsert: NotRequired[list[SheetCell]]
    """With action Insert a row: the cells of the new row."""

    cellsToUpsert: NotRequired[list[SheetCell]]
    """With action Update a row: the cells that change."""

class GroqBlock(TypedDict):
    """Works with Groq. Chats run it, with credentials of type groq. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["groq"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[GroqOptions]

class GroqCredentialsCreate(TypedDict):
    """New credentials of type groq."""

    type: Literal["groq"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: ApiKeyData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class GroqCredentialsUpdate(TypedDict):
    """A change of credentials of type groq."""

    type: Literal["groq"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[ApiKeyData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class GroqOptions(TypedDict):
    """Options of the Groq block. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    action: NotRequired[str]
    """Action of the block: Create chat completion. The service preserves other texts. Without an action the block does nothing."""

    model: NotRequired[str]
    """Name of the model."""

    messages: NotRequired[list[ChatMessage]]
    """The messages, oldest first."""

    tools: NotRequired[list[ChatTool]]
    """Functions that the model can call."""

    temperature: NotRequired[float | str]
    """Sampling temperature of the model, from 0 to 2. A number, or a text that is one {{variable}} or reads as a number."""

    responseMapping: NotRequired[list[VendorAnswerMapping]]
    """Parts of the response and the variables that store them. With action Create chat completion: Message content, Total tokens, Prompt tokens, Completion tokens."""

class Group(TypedDict):
    """Blocks that run from the first to the last, in versions 6 and 6.1."""

    id: str
    """Id of the group."""

    title: str
    """Title shown in the editor."""

    graphCoordinates: Coordinates

    blocks: list[Block]
    """The blocks, in the order they run."""

class GroupTitlesAutoGeneration(TypedDict):
    """Settings for generated titles of groups in editors."""

    isEnabled: NotRequired[bool]
    """True if titles of new groups are generated."""

    provider: NotRequired[str]
    """The AI provider."""

    credentialsId: NotRequired[str]
    """Id of the credentials used."""

    model: NotRequired[str]
    """The model."""

    prompt: NotRequired[str]
    """The instruction to the model."""

class HandoffBlock(TypedDict):
    """Hands the chat over to the members of the workspace. The bot is silent until a member returns the chat, then continues after the block. Only this service has this block."""

    id: str
    """Id of the block."""

    type: Literal["handoff"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    items: NotRequired[list[HandoffItem]]
    """The exits. If one is missing, the chat continues after the block."""

    options: NotRequired[HandoffOptions]

class HandoffItem(TypedDict):
    """An exit of a handoff and its edge."""

    id: str
    """Id of the item."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the item. Running chats follow this id. The edge may be missing."""

    path: Literal["unanswered", "closed"]
    """Reason for the exit: no member came in time, or the office is closed."""

class HandoffOptions(TypedDict):
    """Message, timeout and office hours of a handoff."""

    message: NotRequired[str]
    """Message to the visitor; may hold placeholders. Default: no message."""

    timeoutSeconds: NotRequired[float]
    """Seconds until the chat takes the exit `unanswered`, if no member has joined. Default: no timeout as long as the session lives."""

    officeHours: NotRequired[OfficeHours]

class HttpRequestAction(TypedDict):
    """Send a request and continue with the response."""

    lastBubbleBlockId: NotRequired[str]
    """Run the action after this bubble; absent means before all."""

    expectsDedicatedReply: NotRequired[bool]
    """True if the client must continue the chat with the outcome."""

    type: Literal["httpRequestToExecute"]
    """Kind of the action."""

    httpRequestToExecute: HttpRequestDetails

class HttpRequestBlock(TypedDict):
    """Sends an HTTP request. The type still has its old name."""

    id: str
    """Id of the block."""

    type: Literal["Webhook"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[HttpRequestOptions]

class HttpRequestDefinition(TypedDict):
    """The HTTP request to send."""

    url: NotRequired[str]
    """Address of the request; may hold placeholders."""

    method: NotRequired[Literal["POST", "GET", "PUT", "DELETE", "PATCH", "HEAD", "CONNECT", "OPTIONS", "TRACE"]]
    """HTTP method. Default POST."""

    headers: NotRequired[list[HttpRequestPair]]
    """Headers of the request."""

    queryParams: NotRequired[list[HttpRequestPair]]
    """Query parameters added to the address."""

    body: NotRequired[str]
    """Body of the request; may hold placeholders."""

class HttpRequestDetails(TypedDict):
    """The HTTP request that the client sends."""

    url: str
    """The address."""

    method: str
    """The method."""

    headers: dict[str, str]
    """The headers."""

    body: NotRequired[str]
    """The body."""

class HttpRequestOptions(TypedDict):
    """Request to send, and parts of the response to store."""

    variablesForTest: NotRequired[list[HttpTestVariable]]
    """Values of variables in test requests."""

    responseVariableMapping: NotRequired[list[HttpResponseMapping]]
    """Parts of the received body and the variables that store them."""

    isCustomBody: NotRequired[bool]
    """True if the request sends `body` instead of all answers. Default false."""

    isExecutedOnClient: NotRequired[bool]
    """True if the browser of the visitor sends the request. Default false."""

    timeout: NotRequired[float]
    """Timeout for the response, in seconds. Default 10."""

    proxyCredentialsId: NotRequired[str]
    """Id of the credentials of a proxy. This service supports no proxies and does not send such a request."""

    isAdvancedConfig: NotRequired[bool]
    """True if the editor shows all properties, in older documents."""

    webhook: NotRequired[HttpRequestDefinition]

class HttpRequestPair(TypedDict):
    """A header or a query parameter."""

    id: str
    """Id of the pair."""

    key: NotRequired[str]
    """Name; may hold placeholders."""

    value: NotRequired[str]
    """Value; may hold placeholders."""

class HttpResponseMapping(TypedDict):
    """Stores one part of a received body in a variable."""

    id: str
    """Id of the entry."""

    variableId: NotRequired[str]
    """Id of the variable that stores the part."""

    bodyPath: NotRequired[str]
    """Path of the part in the body."""

class HttpTestVariable(TypedDict):
    """Value of a variable in test requests of the editor."""

    id: str
    """Id of the entry."""

    variableId: NotRequired[str]
    """Id of the variable that has the value."""

    value: NotRequired[str]
    """The value."""

class IdempotencyMismatchErrorBody(TypedDict):
    """The Idempotency-Key was sent with another method, path or body before. Nothing was changed. Send another request with another key, and a repeat exactly as the first time."""

    code: Literal["IDEMPOTENCY_MISMATCH"]
    """Code of the error, for programs."""

    message: str
    """The fixed text of the code."""

    issues: list[ErrorIssue]
    """Issues of the request; empty if there is nothing to add."""

class IdleEvent(TypedDict):
    """Begins a branch when the visitor has not answered for a while. The input appears again after the branch. Only this service has this event."""

    id: str
    """Id of the event."""

    type: Literal["idle"]
    """Type of the event."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the event. Running chats follow this id. The edge may be missing."""

    graphCoordinates: Coordinates

    options: NotRequired[IdleEventOptions]

class IdleEventOptions(TypedDict):
    """Timing of the branch, and an optional end of the chat."""

    seconds: NotRequired[float]
    """Seconds without an answer before each run of the branch. If missing, the event has no effect."""

    times: NotRequired[float]
    """Maximum number of runs for one question. Default 1."""

    isEnding: NotRequired[bool]
    """True if the chat ends after the last run and as many seconds again. Default false."""

class ImageBubble(TypedDict):
    """Shows a picture by its address."""

    id: str
    """Id of the block."""

    type: Literal["image"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    content: NotRequired[ImageBubbleContent]

class ImageBubbleContent(TypedDict):
    """Picture that the block shows."""

    url: NotRequired[str]
    """Address of the picture."""

    clickLink: NotRequired[ImageClickLink]

class ImageClickLink(TypedDict):
    """Link that a click on the picture opens."""

    url: NotRequired[str]
    """Address to open."""

    alt: NotRequired[str]
    """Alternative text of the picture."""

class ImageMessageBubble(TypedDict):
    """A picture of the bot."""

    id: str
    """Id of the block in the flow."""

    type: Literal["image"]
    """Kind of the bubble."""

    content: dict[str, Any]
    """The content of the block, with placeholders filled in."""

class ImportBotBody(TypedDict):
    """The document to import, and its destination."""

    workspaceId: str
    """Id of the workspace to import into."""

    folderId: NotRequired[str | None]
    """Id of a folder of the workspace to put the bot into; none when absent or null."""

    bot: BotImport

class ImportedBotBody(TypedDict):
    """A bot that was imported."""

    bot: Bot

    warnings: list[FlowFinding]
    """Parts that were dropped or added to make the document fit, and blocks that chats skip. Also links to bots, and blocks with credentials, that the workspace does not have."""

    errorsFound: int
    """Number of findings that keep a chat from doing what the flow says. Check a bot lists them."""

    warningsFound: int
    """Number of findings that the author probably did not mean. Check a bot lists them."""

class InputLabels(TypedDict):
    """Texts that an input shows."""

    placeholder: NotRequired[str]
    """Text in the empty field."""

    button: NotRequired[str]
    """Text of the button that sends the answer. Default Send."""

class InternalServerErrorBody(TypedDict):
    """The service failed. Its log has the details under the request id of the X-Request-Id header."""

    code: Literal["INTERNAL_SERVER_ERROR"]
    """Code of the error, for programs."""

    message: str
    """The fixed text of the code."""

    issues: list[ErrorIssue]
    """Issues of the request; empty if there is nothing to add."""

class InvalidReplyEvent(TypedDict):
    """Begins a branch after an invalid answer, in place of the usual message."""

    id: str
    """Id of the event."""

    type: Literal["invalidReply"]
    """Type of the event."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the event. Running chats follow this id. The edge may be missing."""

    graphCoordinates: Coordinates

    options: NotRequired[ReplyEventOptions]

class Invitation(TypedDict):
    """A role in a workspace, offered to an e-mail address."""

    id: str
    """Id of the invitation, as create and list return it."""

    workspaceId: str
    """Id of the workspace, as create and list return it."""

    email: str
    """E-mail address of the user."""

    role: Literal["ADMIN", "MEMBER", "GUEST"]
    """`ADMIN` may do everything, `MEMBER` writes bots and folders and reads results, `GUEST` reads bots and folders."""

    invitedBy: str
    """Id of the admin who invites."""

    createdAt: str
    """When the invitation was created."""

    expiresAt: str
    """When the invitation ends by itself."""

class InvitationBody(TypedDict):
    """One invitation, without its link."""

    invitation: Invitation

class InvitationCreate(TypedDict):
    """The address to invite, with the role to give."""

    email: str
    """E-mail address of the user."""

    role: Literal["ADMIN", "MEMBER", "GUEST"]
    """`ADMIN` may do everything, `MEMBER` writes bots and folders and reads results, `GUEST` reads bots and folders."""

class InvitationList(TypedDict):
    """The invitations of a workspace."""

    invitations: list[Invitation]
    """The invitations, newest first."""

    nextCursor: str | None
    """Send it as `cursor` to get the following page; null on the last page."""

class JumpBlock(TypedDict):
    """Continues at another block of the flow."""

    id: str
    """Id of the block."""

    type: Literal["Jump"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[JumpOptions]

class JumpOptions(TypedDict):
    """Group and block where the chat continues."""

    groupId: NotRequired[str]
    """Id of the group, or one placeholder that gives the title of a group."""

    blockId: NotRequired[str]
    """Id of the block in the group. Default: its first block."""

class KeyValuePair(TypedDict):
    """A name and its value, such as a header."""

    key: NotRequired[str]
    """Name; may hold placeholders."""

    value: NotRequired[str]
    """Value; may hold placeholders."""

class LastMessage(TypedDict):
    """The last message of the visitor or a member in a chat that people handle. Null while the bot handles it, and before the visitor has written."""

    role: Literal["user", "member"]
    """Author of the message."""

    text: str
    """First 200 characters of the text; for files, their names."""

class LegacyAbTestBlock(TypedDict):
    """Assigns each visitor one of two paths at random, in versions 3, 4 and 5."""

    id: str
    """Id of the block."""

    type: Literal["AB test"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    items: list[LegacyAbTestItem]
    """The two paths: first a, then b."""

    options: NotRequired[AbTestOptions]

class LegacyAbTestItem(TypedDict):
    """One of the two paths of an AB test, in versions 3, 4 and 5."""

    id: str
    """Id of the item."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the item. Running chats follow this id. The edge may be missing."""

    path: Literal["a", "b"]
    """Path of the item: a for the first, b for the second."""

    blockId: NotRequired[str]
    """Id of the block that the item belongs to."""

class LegacyChoiceInput(TypedDict):
    """Asks to choose from buttons, in versions 3, 4 and 5."""

    id: str
    """Id of the block."""

    type: Literal["choice input"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    items: list[LegacyChoiceItem]
    """The buttons, in the order shown."""

    options: NotRequired[ChoiceInputOptions]

class LegacyChoiceItem(TypedDict):
    """A button of a choice input, in versions 3, 4 and 5."""

    id: str
    """Id of the item."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the item. Running chats follow this id. The edge may be missing."""

    content: NotRequired[str]
    """Text of the button."""

    value: NotRequired[str]
    """Text stored as the answer. Default: the content."""

    displayCondition: NotRequired[DisplayCondition]

    blockId: NotRequired[str]
    """Id of the block that the item belongs to."""

class LegacyConditionBlock(TypedDict):
    """Follows the edge of the first item whose condition holds, else its own, in versions 3, 4 and 5. Has no options."""

    id: str
    """Id of the block."""

    type: Literal["Condition"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    items: list[LegacyConditionItem]
    """The conditions, in the order of evaluation."""

class LegacyConditionItem(TypedDict):
    """One condition and its edge, in versions 3, 4 and 5."""

    id: str
    """Id of the item."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the item. Running chats follow this id. The edge may be missing."""

    content: NotRequired[Condition]

    blockId: NotRequired[str]
    """Id of the block that the item belongs to."""

class LegacyFileInput(TypedDict):
    """Asks for files, in versions 3, 4 and 5."""

    id: str
    """Id of the block."""

    type: Literal["file input"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[LegacyFileInputOptions]

class LegacyFileInputOptions(TypedDict):
    """Settings of a file input with a size limit of its own."""

    variableId: NotRequired[str]
    """Id of the variable that stores the answer."""

    isRequired: NotRequired[bool]
    """True if the visitor must upload a file. Default true."""

    isMultipleAllowed: NotRequired[bool]
    """True if visitors may upload several files. Default false."""

    labels: NotRequired[FileInputLabels]

    allowedFileTypes: NotRequired[AllowedFileTypes]

    capture: NotRequired[Literal["environment", "user"]]
    """Camera of a phone: at the back (environment) or at the front (user)."""

    visibility: NotRequired[FileVisibility]

    sizeLimit: NotRequired[float]
    """Maximum size of a file, in megabytes."""

class LegacyGoogleSheetsBlock(TypedDict):
    """Reads or writes rows of a spreadsheet, in versions 3, 4 and 5, with credentials of type google sheets."""

    id: str
    """Id of the block."""

    type: Literal["Google Sheets"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[LegacyGoogleSheetsOptions]

class LegacyGoogleSheetsOptions(TypedDict):
    """Table and the action on it, in versions 3, 4 and 5."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    spreadsheetId: NotRequired[str]
    """Id of the spreadsheet."""

    sheetId: NotRequired[str]
    """Id of the sheet in the spreadsheet."""

    action: NotRequired[Literal["Get data from sheet", "Insert a row", "Update a row"]]
    """Action of the block. Without an action the block does nothing."""

    filter: NotRequired[SheetFilter]

    cellsToExtract: NotRequired[list[SheetExtraction]]
    """With action Get data from sheet: columns and the variables that store them."""

    totalRowsToExtract: NotRequired[Literal["All", "First", "Last", "Random"]]
    """With action Get data from sheet: rows to read of those found. Default All."""

    cellsToInsert: NotRequired[list[SheetCell]]
    """With action Insert a row: the cells of the new row."""

    cellsToUpsert: NotRequired[list[SheetCell]]
    """With action Update a row: the cells that change."""

    referenceCell: NotRequired[SheetCell]

class LegacyGroup(TypedDict):
    """Blocks that run from the first to the last, in versions 3, 4 and 5. Only version 5 requires the list of blocks."""

    id: str
    """Id of the group."""

    title: str
    """Title shown in the editor."""

    graphCoordinates: Coordinates

    blocks: NotRequired[list[LegacyBlock]]
    """The blocks, in the order they run."""

class LegacyHttpRequestBlock(TypedDict):
    """Sends an HTTP request, in versions 3, 4 and 5."""

    id: str
    """Id of the block."""

    type: Literal["Webhook"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    webhookId: NotRequired[str]
    """Id of the request, which version 3 stores outside the document."""

    options: NotRequired[LegacyHttpRequestOptions]

class LegacyHttpRequestDefinition(TypedDict):
    """The request, in versions 3, 4 and 5."""

    id: NotRequired[str]
    """Id of the request. Required in versions 4 and 5."""

    url: NotRequired[str]
    """Address of the request; may hold placeholders."""

    method: NotRequired[Literal["POST", "GET", "PUT", "DELETE", "PATCH", "HEAD", "CONNECT", "OPTIONS", "TRACE"]]
    """HTTP method. Default POST."""

    headers: NotRequired[list[HttpRequestPair]]
    """Headers of the request."""

    queryParams: NotRequired[list[HttpRequestPair]]
    """Query parameters added to the address."""

    body: NotRequired[str]
    """Body of the request; may hold placeholders."""

class LegacyHttpRequestOptions(TypedDict):
    """Request to send, and parts of the response to store, in versions 3, 4 and 5."""

    variablesForTest: NotRequired[list[HttpTestVariable]]
    """Values of variables in test requests."""

    responseVariableMapping: NotRequired[list[HttpResponseMapping]]
    """Parts of the received body and the variables that store them."""

    isCustomBody: NotRequired[bool]
    """True if the request sends `body` instead of all answers. Default false."""

    isExecutedOnClient: NotRequired[bool]
    """True if the browser of the visitor sends the request. Default false."""

    timeout: NotRequired[float]
    """Timeout for the response, in seconds. Default 10."""

    proxyCredentialsId: NotRequired[str]
    """Id of the credentials of a proxy. This service supports no proxies and does not send such a request."""

    isAdvancedConfig: NotRequired[bool]
    """True if the editor shows all properties, in older documents."""

    webhook: NotRequired[LegacyHttpRequestDefinition]

class LegacyMakeComBlock(TypedDict):
    """Starts a Make.com scenario by an HTTP request, in versions 3, 4 and 5."""

    id: str
    """Id of the block."""

    type: Literal["Make.com"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    webhookId: NotRequired[str]
    """Id of the request, which version 3 stores outside the document."""

    options: NotRequired[LegacyHttpRequestOptions]

class LegacyPabblyBlock(TypedDict):
    """Starts a Pabbly workflow by an HTTP request, in versions 3, 4 and 5."""

    id: str
    """Id of the block."""

    type: Literal["Pabbly"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    webhookId: NotRequired[str]
    """Id of the request, which version 3 stores outside the document."""

    options: NotRequired[LegacyHttpRequestOptions]

class LegacyPictureChoiceInput(TypedDict):
    """Asks to choose from pictures, in versions 3, 4 and 5."""

    id: str
    """Id of the block."""

    type: Literal["picture choice input"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    items: list[LegacyPictureChoiceItem]
    """The pictures, in the order shown."""

    options: NotRequired[PictureChoiceInputOptions]

class LegacyPictureChoiceItem(TypedDict):
    """A picture of a picture choice input, in versions 3, 4 and 5."""

    id: str
    """Id of the item."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the item. Running chats follow this id. The edge may be missing."""

    pictureSrc: NotRequired[str]
    """Address of the picture."""

    title: NotRequired[str]
    """Title below the picture."""

    description: NotRequired[str]
    """Text below the title."""

    value: NotRequired[str]
    """Text stored as the answer. Default: the title, else the picture."""

    displayCondition: NotRequired[DisplayCondition]

    blockId: NotRequired[str]
    """Id of the block that the item belongs to."""

class LegacyZapierBlock(TypedDict):
    """Starts a Zap by an HTTP request, in versions 3, 4 and 5."""

    id: str
    """Id of the block."""

    type: Literal["Zapier"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    webhookId: NotRequired[str]
    """Id of the request, which version 3 stores outside the document."""

    options: NotRequired[LegacyHttpRequestOptions]

class ListenForWebhookAction(TypedDict):
    """Wait until an outside call continues the chat."""

    lastBubbleBlockId: NotRequired[str]
    """Run the action after this bubble; absent means before all."""

    expectsDedicatedReply: NotRequired[bool]
    """True if the client must continue the chat with the outcome."""

    type: Literal["listenForWebhook"]
    """Kind of the action."""

class MakeComBlock(TypedDict):
    """Starts a Make.com scenario by an HTTP request."""

    id: str
    """Id of the block."""

    type: Literal["Make.com"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[HttpRequestOptions]

class MapListItemParameters(TypedDict):
    """Finds a value in one list and picks the entry of another list with the same index."""

    baseItemVariableId: NotRequired[str]
    """Id of the variable that holds the value."""

    baseListVariableId: NotRequired[str]
    """Id of the variable whose list is searched for the value."""

    targetListVariableId: NotRequired[str]
    """Id of the variable whose list gives the result."""

class MarkdownContent(TypedDict):
    """A text written in Markdown."""

    type: Literal["markdown"]
    """Markdown."""

    markdown: str
    """The text in Markdown."""

class Member(TypedDict):
    """A user and their role in a workspace."""

    workspaceId: str
    """Id of the workspace, as create and list return it."""

    userId: str
    """Id of the user, as the list of members returns it."""

    user: MemberUser

    role: Literal["ADMIN", "MEMBER", "GUEST"]
    """`ADMIN` may do everything, `MEMBER` writes bots and folders and reads results, `GUEST` reads bots and folders."""

    isDisabled: bool
    """True if the user is disabled: they cannot sign in, and do not count as an admin."""

class MemberBody(TypedDict):
    """One member of a workspace."""

    member: Member

class MemberCreate(TypedDict):
    """The user to add, and their role."""

    email: str
    """E-mail address of the user."""

    role: Literal["ADMIN", "MEMBER", "GUEST"]
    """`ADMIN` may do everything, `MEMBER` writes bots and folders and reads results, `GUEST` reads bots and folders."""

class MemberList(TypedDict):
    """The members of a workspace."""

    members: list[Member]
    """The members and their roles."""

    nextCursor: str | None
    """Send it as `cursor` to get the following page; null on the last page."""

class MemberMessage(TypedDict):
    """Message of a member to a visitor."""

    text: NotRequired[str]
    """The text; may be absent if files are sent."""

    textFormat: NotRequired[Literal["plain", "markdown"]]
    """Format of the text. Markdown is shown with its formatting."""

    attachedFileUrls: NotRequired[list[str]]
    """URLs of files that were uploaded for this chat."""

class MemberTurn(TypedDict):
    """A message of a member to the visitor."""

    role: Literal["member"]
    """Role of the author."""

    message: MessageBubble

    userId: NotRequired[str]
    """Id of the member; only members see it."""

class MemberUpdate(TypedDict):
    """The new role of the member."""

    role: Literal["ADMIN", "MEMBER", "GUEST"]
    """`ADMIN` may do everything, `MEMBER` writes bots and folders and reads results, `GUEST` reads bots and folders."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    userId: NotRequired[Any]
    """Read-only id of the user; accepted and ignored."""

    user: NotRequired[Any]
    """Read-only description of the user; accepted and ignored."""

    isDisabled: NotRequired[Any]
    """Read-only state of the user; accepted and ignored."""

class MemberUser(TypedDict):
    """The user behind a membership."""

    name: str | None
    """Name of the user, or null."""

    email: str | None
    """E-mail address, or null."""

    image: str | None
    """URL of a picture of the user, or null."""

class MessageMetadata(TypedDict):
    """Origin of the text of a message."""

    replyId: NotRequired[str]
    """Id of the item that was chosen."""

class MessagingSettings(TypedDict):
    """Behaviour on messaging channels. Editors read it; this service has no such channel."""

    isEnabled: NotRequired[bool]
    """True if the bot responds on the channel. Default false."""

    startCondition: NotRequired[StartCondition]

    sessionExpiryTimeout: NotRequired[float]
    """Hours after the last message until a conversation ends. Default 4."""

    errorAndMarketingStatusWebhookForwardUrl: NotRequired[str]
    """Target address for delivery statuses, with the scheme http or https."""

    isWebhookForwardingEnabled: NotRequired[bool]
    """True if the channel forwards statuses. Also true if only the address is present."""

    webhookForwardingEventTypes: NotRequired[list[Literal["all", "errorStatuses", "marketingStatuses"]]]
    """Kinds of status to forward."""

class MistralBlock(TypedDict):
    """Works with Mistral. Chats run it, with credentials of type mistral. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["mistral"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[MistralOptions]

class MistralCredentialsCreate(TypedDict):
    """New credentials of type mistral."""

    type: Literal["mistral"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: ApiKeyData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class MistralCredentialsUpdate(TypedDict):
    """A change of credentials of type mistral."""

    type: Literal["mistral"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[ApiKeyData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class MistralOptions(TypedDict):
    """Options of the Mistral block. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    action: NotRequired[str]
    """Action of the block: Create chat completion, Generate variables. The service preserves other texts. Without an action the block does nothing."""

    model: NotRequired[str]
    """Name of the model."""

    messages: NotRequired[list[ChatMessage]]
    """The messages, oldest first."""

    tools: NotRequired[list[ChatTool]]
    """Functions that the model can call."""

    temperature: NotRequired[float | str]
    """Sampling temperature of the model, from 0 to 2. A number, or a text that is one {{variable}} or reads as a number."""

    responseMapping: NotRequired[list[VendorAnswerMapping]]
    """Parts of the response and the variables that store them. With action Create chat completion: Message content, Total tokens, Prompt tokens, Completion tokens."""

    prompt: NotRequired[str]
    """Prompt for the model; may hold placeholders."""

    variablesToExtract: NotRequired[list[VariableToExtract]]
    """With action Generate variables: the values to find."""

class NocoDbBlock(TypedDict):
    """Works with NocoDB. Chats run it, with credentials of type nocodb. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["nocodb"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[NocoDbOptions]

class NocoDbComparison(TypedDict):
    """Compares a field of the record with a text."""

    input: NotRequired[str]
    """Name of the field."""

    operator: NotRequired[ComparisonOperator]

    value: NotRequired[str]
    """The text to compare with."""

class NocoDbCredentialsCreate(TypedDict):
    """New credentials of type nocodb."""

    type: Literal["nocodb"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: NocoDbData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class NocoDbCredentialsUpdate(TypedDict):
    """A change of credentials of type nocodb."""

    type: Literal["nocodb"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[NocoDbData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class NocoDbData(TypedDict):
    """An account of NocoDB."""

    apiKey: str
    """Token of the account."""

    baseUrl: NotRequired[str]
    """Address of NocoDB. Default https://app.nocodb.com."""

class NocoDbFilter(TypedDict):
    """Selects records by their fields."""

    comparisons: list[NocoDbComparison]
    """Comparisons with the fields of a record."""

    joiner: NotRequired[LogicalOperator]

class NocoDbMapping(TypedDict):
    """Stores one field of the found records in a variable."""

    fieldName: NotRequired[str]
    """Name of the field."""

    variableId: NotRequired[str]
    """Id of the variable that stores the values."""

class NocoDbOptions(TypedDict):
    """Options of the NocoDB block. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    action: NotRequired[str]
    """Action of the block: Search Records, Create Record, Update Existing Record. The service preserves other texts. Without an action the block does nothing."""

    tableId: NotRequired[str]
    """Id of the table."""

    viewId: NotRequired[str]
    """Id of the view."""

    returnType: NotRequired[Literal["All", "First", "Last", "Random"]]
    """With action Search Records: records to read of those found."""

    filter: NotRequired[NocoDbFilter]

    fields: NotRequired[list[KeyValuePair]]
    """With action Create Record: the fields of the new record."""

    updates: NotRequired[list[NocoDbUpdate]]
    """With action Update Existing Record: the fields that change."""

    responseMapping: NotRequired[list[NocoDbMapping]]
    """With action Search Records: fields and the variables that store them."""

class NocoDbUpdate(TypedDict):
    """The new value of a field."""

    fieldName: NotRequired[str]
    """Name of the field."""

    value: NotRequired[str]
    """The value."""

class NotFoundErrorBody(TypedDict):
    """The addressed record does not exist, or no longer does. Check the id."""

    code: Literal["NOT_FOUND"]
    """Code of the error, for programs."""

    message: str
    """The fixed text of the code."""

    issues: list[ErrorIssue]
    """Issues of the request; empty if there is nothing to add."""

class NumberInput(TypedDict):
    """Asks for a number within bounds."""

    id: str
    """Id of the block."""

    type: Literal["number input"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[NumberInputOptions]

class NumberInputOptions(TypedDict):
    """Accepted numbers and their format."""

    variableId: NotRequired[str]
    """Id of the variable that stores the answer."""

    labels: NotRequired[InputLabels]

    min: NotRequired[float | str]
    """Minimum of the number; 0 is a bound too. A number, or a text that is one {{variable}} or reads as a number."""

    max: NotRequired[float | str]
    """Maximum of the number. A number, or a text that is one {{variable}} or reads as a number."""

    step: NotRequired[float | str]
    """Distance between accepted numbers, counted from min, else from 0. A number, or a text that is one {{variable}} or reads as a number."""

    locale: NotRequired[str]
    """Language tag for typed and displayed numbers, of the form xx or xx-YY. The stored value is a plain number. Default: the language of the bot."""

    style: NotRequired[Literal["decimal", "currency", "percent", "unit"]]
    """Kind of number. Default decimal."""

    currency: NotRequired[str]
    """ISO 4217 code, used with style currency."""

    unit: NotRequired[Literal["acre", "bit", "byte", "celsius", "centimeter", "day", "degree", "fahrenheit", "fluid-ounce", "foot", "gallon", "gigabit", "gigabyte", "gram", "hectare", "hour", "inch", "kilobit", "kilobyte", "kilogram", "kilometer", "liter", "megabit", "megabyte", "meter", "microsecond", "mile", "mile-scandinavian", "milliliter", "millimeter", "millisecond", "minute", "month", "nanosecond", "ounce", "percent", "petabyte", "pound", "second", "stone", "terabit", "terabyte", "week", "yard", "year"]]
    """Unit of measure, used with style unit."""

class OfficeHours(TypedDict):
    """Hours at which members are available."""

    timeZone: NotRequired[str]
    """IANA time zone of the times. Default UTC."""

    times: NotRequired[list[OpeningTime]]
    """Opening times. Days without any are closed; an empty list means always open."""

class OpaqueBlock(TypedDict):
    """A block of a type unknown to this service. The service preserves and returns it unchanged."""

    id: str
    """Id of the block."""

    type: Literal["OpaqueBlock"]
    """Any other type of block."""

class OpaqueEvent(TypedDict):
    """An event of a type unknown to this service. The service preserves it unchanged."""

    id: str
    """Id of the event."""

    type: Literal["OpaqueEvent"]
    """Any other type of event."""

class OpenAiBlock(TypedDict):
    """Works with OpenAI. Chats run it, with credentials of type openai; the vendor has shut down Ask Assistant. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["openai"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[OpenAiOptions]

class OpenAiCredentialsCreate(TypedDict):
    """New credentials of type openai."""

    type: Literal["openai"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: ApiKeyData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class OpenAiCredentialsUpdate(TypedDict):
    """A change of credentials of type openai."""

    type: Literal["openai"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[ApiKeyData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class OpenAiOptions(TypedDict):
    """Options of the OpenAI block. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    action: NotRequired[str]
    """Action of the block: Create chat completion, Ask Assistant, Ask Model, Generate variables, Create speech, Create transcription. The service preserves other texts. Without an action the block does nothing."""

    model: NotRequired[str]
    """Name of the model."""

    messages: NotRequired[list[ChatMessage]]
    """The messages, oldest first."""

    tools: NotRequired[list[ChatTool]]
    """Functions that the model can call."""

    temperature: NotRequired[float | str]
    """Sampling temperature of the model, from 0 to 2. A number, or a text that is one {{variable}} or reads as a number."""

    responseMapping: NotRequired[list[VendorAnswerMapping]]
    """Parts of the response and the variables that store them. With action Create chat completion: Message content, Total tokens, Prompt tokens, Completion tokens. With action Ask Assistant: Message, Thread ID. With action Ask Model: Message, Response ID."""

    baseUrl: NotRequired[str]
    """Address of the API, if the credentials name none. It must belong to the vendor, since it receives the key."""

    apiVersion: NotRequired[str]
    """Version of the API."""

    assistantId: NotRequired[str]
    """With action Ask Assistant: id of the assistant."""

    threadVariableId: NotRequired[str]
    """Id of the variable that holds the id of the thread, with action Ask Assistant."""

    threadId: NotRequired[str]
    """Id of the thread, in older documents; threadVariableId replaces it."""

    message: NotRequired[str]
    """Text of the message; may hold placeholders."""

    functions: NotRequired[list[AssistantFunction]]
    """Functions that the model can call."""

    additionalInstructions: NotRequired[str]
    """With action Ask Assistant: additions to its instructions."""

    instructions: NotRequired[str]
    """With the actions Ask Model and Create speech: instructions for the text or the voice."""

    responseIdVariableId: NotRequired[str]
    """Id of the variable that holds the id of the last response, with action Ask Model."""

    fileSearchVectorStoreIds: NotRequired[list[str]]
    """With action Ask Model: ids of the vector stores to search."""

    fileSearchMaxNumResults: NotRequired[float | str]
    """With action Ask Model: maximum number of results of a file search. A number, or a text that is one {{variable}} or reads as a number."""

    fileSearchScoreThreshold: NotRequired[float | str]
    """With action Ask Model: minimum score of a file search, from 0 to 1. A number, or a text that is one {{variable}} or reads as a number."""

    webSearchEnabled: NotRequired[bool]
    """With action Ask Model: true if the model searches the web. Default false."""

    codeInterpreterEnabled: NotRequired[bool]
    """With action Ask Model: true if the model runs code. Default false."""

    prompt: NotRequired[str]
    """Prompt for the model; may hold placeholders."""

    variablesToExtract: NotRequired[list[VariableToExtract]]
    """With action Generate variables: the values to find."""

    input: NotRequired[str]
    """With action Create speech: the text to speak."""

    voice: NotRequired[str]
    """With action Create speech: name of the voice."""

    saveUrlInVariableId: NotRequired[str]
    """Id of the variable that stores the address of the sound."""

    url: NotRequired[str]
    """With action Create transcription: address of the sound."""

    transcriptionVariableId: NotRequired[str]
    """Id of the variable that stores the text, with action Create transcription."""

class OpenRouterBlock(TypedDict):
    """Works with OpenRouter. Chats run it, with credentials of type open-router. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["open-router"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[OpenRouterOptions]

class OpenRouterCredentialsCreate(TypedDict):
    """New credentials of type open-router."""

    type: Literal["open-router"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: ApiKeyData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class OpenRouterCredentialsUpdate(TypedDict):
    """A change of credentials of type open-router."""

    type: Literal["open-router"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[ApiKeyData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class OpenRouterOptions(TypedDict):
    """Options of the OpenRouter block. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    action: NotRequired[str]
    """Action of the block: Create chat completion. The service preserves other texts. Without an action the block does nothing."""

    model: NotRequired[str]
    """Name of the model."""

    messages: NotRequired[list[ChatMessage]]
    """The messages, oldest first."""

    tools: NotRequired[list[ChatTool]]
    """Functions that the model can call."""

    temperature: NotRequired[float | str]
    """Sampling temperature of the model, from 0 to 2. A number, or a text that is one {{variable}} or reads as a number."""

    responseMapping: NotRequired[list[VendorAnswerMapping]]
    """Parts of the response and the variables that store them. With action Create chat completion: Message content, Total tokens, Prompt tokens, Completion tokens."""

OpeningTime = TypedDict(
    "OpeningTime",
    {
        "day": "Literal[\"monday\", \"tuesday\", \"wednesday\", \"thursday\", \"friday\", \"saturday\", \"sunday\"]",
        "from": "str",
        "to": "str",
    },
)
"""Hours of one day at which members are available."""

class PabblyBlock(TypedDict):
    """Starts a Pabbly workflow by an HTTP request."""

    id: str
    """Id of the block."""

    type: Literal["Pabbly"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[HttpRequestOptions]

class PayloadTooLargeErrorBody(TypedDict):
    """The request body is over the limit of the operation, which the issue names."""

    code: Literal["PAYLOAD_TOO_LARGE"]
    """Code of the error, for programs."""

    message: str
    """The fixed text of the code."""

    issues: list[ErrorIssue]
    """Issues of the request; empty if there is nothing to add."""

class PaymentAddress(TypedDict):
    """Billing address of the payer."""

    country: NotRequired[str]
    """Country."""

    line1: NotRequired[str]
    """First line."""

    line2: NotRequired[str]
    """Second line."""

    city: NotRequired[str]
    """City."""

    state: NotRequired[str]
    """State or region."""

    postalCode: NotRequired[str]
    """Postal code."""

class PaymentFormOptions(TypedDict):
    """Data with which a client shows the form of the provider itself. Absent if the visitor pays on the page of the provider: on the host of the members, and without a public key in the credentials."""

    paymentIntentSecret: str
    """Secret of the payment, for the form alone."""

    amountLabel: str
    """Amount with its currency, to show."""

    publicKey: str
    """Public key of the account that is paid."""

class PaymentInformation(TypedDict):
    """Payer and purpose of the payment; all texts may hold placeholders."""

    description: NotRequired[str]
    """Purpose of the payment."""

    name: NotRequired[str]
    """Name of the payer."""

    email: NotRequired[str]
    """E-mail address of the payer."""

    phoneNumber: NotRequired[str]
    """Phone number of the payer."""

    address: NotRequired[PaymentAddress]

class PaymentInput(TypedDict):
    """Asks for a payment, on the page of the provider or in its form. The chat continues once the service has read a successful payment from the provider. Chats need credentials of type stripe; previews use only test keys."""

    id: str
    """Id of the block."""

    type: Literal["payment input"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[PaymentInputOptions]

class PaymentInputLabels(TypedDict):
    """Texts of a payment input."""

    button: NotRequired[str]
    """Text of the button that leads to the payment. Default Pay."""

    success: NotRequired[str]
    """The answer after the payment. Default Success."""

class PaymentInputOptions(TypedDict):
    """Settings of a payment input."""

    variableId: NotRequired[str]
    """Id of the variable that stores the answer."""

    provider: NotRequired[Literal["Stripe"]]
    """Payment provider. Default Stripe."""

    labels: NotRequired[PaymentInputLabels]

    additionalInformation: NotRequired[PaymentInformation]

    credentialsId: NotRequired[str]
    """Id of the credentials of the provider."""

    currency: NotRequired[str]
    """ISO 4217 code. Default USD."""

    amount: NotRequired[str]
    """Amount in the currency, with a point before decimals; may hold placeholders."""

    retryMessageContent: NotRequired[str]
    """Sent after an invalid answer."""

class PerplexityBlock(TypedDict):
    """Works with Perplexity. Chats run it, with credentials of type perplexity. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["perplexity"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[PerplexityOptions]

class PerplexityCredentialsCreate(TypedDict):
    """New credentials of type perplexity."""

    type: Literal["perplexity"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: ApiKeyData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class PerplexityCredentialsUpdate(TypedDict):
    """A change of credentials of type perplexity."""

    type: Literal["perplexity"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[ApiKeyData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class PerplexityOptions(TypedDict):
    """Options of the Perplexity block. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    action: NotRequired[str]
    """Action of the block: Create chat completion. The service preserves other texts. Without an action the block does nothing."""

    model: NotRequired[str]
    """Name of the model."""

    messages: NotRequired[list[ChatMessage]]
    """The messages, oldest first."""

    tools: NotRequired[list[ChatTool]]
    """Functions that the model can call."""

    temperature: NotRequired[float | str]
    """Sampling temperature of the model, from 0 to 2. A number, or a text that is one {{variable}} or reads as a number."""

    responseMapping: NotRequired[list[VendorAnswerMapping]]
    """Parts of the response and the variables that store them. With action Create chat completion: Message content, Total tokens, Prompt tokens, Completion tokens."""

class PhoneNumberInput(TypedDict):
    """Asks for a phone number."""

    id: str
    """Id of the block."""

    type: Literal["phone number input"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[PhoneNumberInputOptions]

class PhoneNumberInputOptions(TypedDict):
    """Settings of a phone number input."""

    variableId: NotRequired[str]
    """Id of the variable that stores the answer."""

    labels: NotRequired[InputLabels]

    retryMessageContent: NotRequired[str]
    """Sent after an invalid answer."""

    defaultCountryCode: NotRequired[str]
    """ISO 3166 alpha-2 code of the country selected at first."""

class PictureChoiceDynamicItems(TypedDict):
    """Takes the pictures from list variables instead of the items."""

    isEnabled: NotRequired[bool]
    """True if the lists replace the items. Default false."""

    titlesVariableId: NotRequired[str]
    """Id of the variable with the titles."""

    descriptionsVariableId: NotRequired[str]
    """Id of the variable with the descriptions."""

    pictureSrcsVariableId: NotRequired[str]
    """Id of the variable with the addresses of the pictures."""

class PictureChoiceInput(TypedDict):
    """Asks to choose from pictures."""

    id: str
    """Id of the block."""

    type: Literal["picture choice input"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    items: list[PictureChoiceItem]
    """The pictures, in the order shown."""

    options: NotRequired[PictureChoiceInputOptions]

class PictureChoiceInputOptions(TypedDict):
    """Settings of a picture choice input."""

    variableId: NotRequired[str]
    """Id of the variable that stores the answer."""

    isMultipleChoice: NotRequired[bool]
    """True if visitors may choose several pictures. Default false."""

    isSearchable: NotRequired[bool]
    """True if a search field filters the pictures. Default false."""

    buttonLabel: NotRequired[str]
    """Text of the button that sends several choices. Default Send."""

    searchInputPlaceholder: NotRequired[str]
    """Text in the empty search field."""

    dynamicItems: NotRequired[PictureChoiceDynamicItems]

class PictureChoiceItem(TypedDict):
    """A picture of a picture choice input."""

    id: str
    """Id of the item."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the item. Running chats follow this id. The edge may be missing."""

    pictureSrc: NotRequired[str]
    """Address of the picture."""

    title: NotRequired[str]
    """Title below the picture."""

    description: NotRequired[str]
    """Text below the title."""

    value: NotRequired[str]
    """Text stored as the answer. Default: the title, else the picture."""

    displayCondition: NotRequired[DisplayCondition]

class PixelAction(TypedDict):
    """Send an event to the Meta pixel."""

    lastBubbleBlockId: NotRequired[str]
    """Run the action after this bubble; absent means before all."""

    expectsDedicatedReply: NotRequired[bool]
    """True if the client must continue the chat with the outcome."""

    type: Literal["pixel"]
    """Kind of the action."""

    pixel: dict[str, Any]
    """Options of the block, with placeholders filled in."""

class PixelBlock(TypedDict):
    """Sends an event to the Meta pixel. Works only on a host that serves chats alone."""

    id: str
    """Id of the block."""

    type: Literal["Pixel"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[PixelOptions]

class PixelOptions(TypedDict):
    """Pixel and the event to send."""

    pixelId: NotRequired[str]
    """Id of the pixel."""

    isInitSkip: NotRequired[bool]
    """True if the page has loaded the pixel already. Default false."""

    eventType: NotRequired[Literal["Lead", "Contact", "CompleteRegistration", "Schedule", "SubmitApplication", "ViewContent", "AddPaymentInfo", "AddToCart", "AddToWishlist", "CustomizeProduct", "Donate", "FindLocation", "InitiateCheckout", "Purchase", "Search", "StartTrial", "Subscribe", "Custom"]]
    """Standard event, or Custom for the event in `name`. If missing, the block sends only the page view."""

    name: NotRequired[str]
    """Name of the event, with eventType Custom."""

    params: NotRequired[list[PixelParameter]]
    """Parameters of the event."""

class PixelParameter(TypedDict):
    """A parameter of the event."""

    id: str
    """Id of the entry."""

    key: NotRequired[str]
    """Name of the parameter."""

    value: NotRequired[Any]
    """Value of the parameter: any JSON value."""

class PostHogBlock(TypedDict):
    """Works with PostHog. Chats run it, with credentials of type posthog. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["posthog"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[PostHogOptions]

class PostHogCredentialsCreate(TypedDict):
    """New credentials of type posthog."""

    type: Literal["posthog"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: PostHogData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class PostHogCredentialsUpdate(TypedDict):
    """A change of credentials of type posthog."""

    type: Literal["posthog"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[PostHogData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class PostHogData(TypedDict):
    """A project of PostHog."""

    apiKey: str
    """Key of the project."""

    host: NotRequired[str]
    """Address of PostHog. Default https://us.i.posthog.com."""

class PostHogGroup(TypedDict):
    """A group that the person belongs to."""

    type: NotRequired[str]
    """Kind of group."""

    key: NotRequired[str]
    """Key of the group."""

class PostHogOptions(TypedDict):
    """Options of the PostHog block. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    action: NotRequired[str]
    """Action of the block: Capture, Identify Group. The service preserves other texts. Without an action the block does nothing."""

    isAnonymous: NotRequired[bool]
    """With action Capture: true if the event has no person profile."""

    distinctId: NotRequired[str]
    """Id of the visitor at the vendor."""

    event: NotRequired[str]
    """With action Capture: name of the event."""

    properties: NotRequired[list[KeyValuePair]]
    """Details of the event or of the group."""

    personProperties: NotRequired[list[KeyValuePair]]
    """With action Capture: properties of the person."""

    groups: NotRequired[list[PostHogGroup]]
    """With action Capture: groups that the person belongs to."""

    groupType: NotRequired[str]
    """With action Identify Group: kind of group."""

    groupKey: NotRequired[str]
    """With action Identify Group: key of the group."""

class PreconditionFailedErrorBody(TypedDict):
    """The record is not in the state that `If-Match` or `If-None-Match` requires; nothing was changed. The issue and the header `ETag` have its current tag: read the record again and repeat the change on that state."""

    code: Literal["PRECONDITION_FAILED"]
    """Code of the error, for programs."""

    message: str
    """The fixed text of the code."""

    issues: list[ErrorIssue]
    """Issues of the request; empty if there is nothing to add."""

class PublicShare(TypedDict):
    """Lets every user with an account read the bot."""

    isEnabled: NotRequired[bool]
    """True if the bot is shared. Default false."""

class PublicationBody(TypedDict):
    """One publication with its flow."""

    publication: Publication

class PublicationPage(TypedDict):
    """A page of publications."""

    publications: list[PublicationSummary]
    """The publications, newest first."""

    nextCursor: str | None
    """Send it as `cursor` to get the following page; null on the last page."""

class PublicationSummary(TypedDict):
    """A publication in a list, without its flow."""

    id: str
    """Id of the publication."""

    createdAt: str
    """When it was published."""

    publishedBy: str
    """Id of the user who published it."""

    isLive: bool
    """True if new chats run this publication."""

    version: Literal["3", "4", "5", "6", "6.1"]
    """Version of the schema the flow is written in."""

class PublicationV3(TypedDict):
    """A publication whose flow is written in version 3."""

    id: str
    """Id of the publication."""

    createdAt: str
    """When it was published."""

    publishedBy: str
    """Id of the user who published it."""

    isLive: bool
    """True if new chats run this publication."""

    version: Literal["3"]
    """Version of the schema the flow is written in."""

    botId: str
    """Id of the bot, as create and list return it."""

    warnings: list[FlowFinding]
    """Findings of the check when it was published; they never prevent publishing."""

    groups: list[LegacyGroup]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent] | None
    """Null, because the start is a block of a group. An empty list is valid too."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

class PublicationV4(TypedDict):
    """A publication whose flow is written in version 4."""

    id: str
    """Id of the publication."""

    createdAt: str
    """When it was published."""

    publishedBy: str
    """Id of the user who published it."""

    isLive: bool
    """True if new chats run this publication."""

    version: Literal["4"]
    """Version of the schema the flow is written in."""

    botId: str
    """Id of the bot, as create and list return it."""

    warnings: list[FlowFinding]
    """Findings of the check when it was published; they never prevent publishing."""

    groups: list[LegacyGroup]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent] | None
    """Null, because the start is a block of a group. An empty list is valid too."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

class PublicationV5(TypedDict):
    """A publication whose flow is written in version 5."""

    id: str
    """Id of the publication."""

    createdAt: str
    """When it was published."""

    publishedBy: str
    """Id of the user who published it."""

    isLive: bool
    """True if new chats run this publication."""

    version: Literal["5"]
    """Version of the schema the flow is written in."""

    botId: str
    """Id of the bot, as create and list return it."""

    warnings: list[FlowFinding]
    """Findings of the check when it was published; they never prevent publishing."""

    groups: list[LegacyGroup]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent] | None
    """Null, because the start is a block of a group. An empty list is valid too."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

class PublicationV6(TypedDict):
    """A publication whose flow is written in version 6."""

    id: str
    """Id of the publication."""

    createdAt: str
    """When it was published."""

    publishedBy: str
    """Id of the user who published it."""

    isLive: bool
    """True if new chats run this publication."""

    version: Literal["6"]
    """Version of the schema the flow is written in."""

    botId: str
    """Id of the bot, as create and list return it."""

    warnings: list[FlowFinding]
    """Findings of the check when it was published; they never prevent publishing."""

    groups: list[Group]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent]
    """Events that begin the branches of the flow. The first event, and only the first, is the start event."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

class PublicationV61(TypedDict):
    """A publication whose flow is written in version 6.1."""

    id: str
    """Id of the publication."""

    createdAt: str
    """When it was published."""

    publishedBy: str
    """Id of the user who published it."""

    isLive: bool
    """True if new chats run this publication."""

    version: Literal["6.1"]
    """Version of the schema the flow is written in."""

    botId: str
    """Id of the bot, as create and list return it."""

    warnings: list[FlowFinding]
    """Findings of the check when it was published; they never prevent publishing."""

    groups: list[Group]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent]
    """Events that begin the branches of the flow. The first event, and only the first, is the start event."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

class PublishedBody(TypedDict):
    """Says that the bot is published, with findings of the check."""

    message: Literal["success"]
    """Confirms success."""

    errorsFound: int
    """Number of findings that keep a chat from doing what the flow says. Check a bot lists them."""

    warningsFound: int
    """Number of findings that the author probably did not mean. Check a bot lists them."""

    firstErrors: list[FlowFinding]
    """The first ten errors. Check a bot lists all findings."""

class PublishedBotBody(TypedDict):
    """The published copy of a bot."""

    publishedBot: PublishedBot

    version: Literal["3", "4", "5", "6", "6.1"]
    """Version in which the copy was published, also if the response is converted."""

class PublishedBotV3(TypedDict):
    """The published copy of a bot whose flow is written in version 3."""

    id: str
    """Id of the published copy; it stays when the bot is published again."""

    version: Literal["3"]
    """Version of the schema the flow is written in."""

    createdAt: str
    """When the bot was first published."""

    updatedAt: str
    """When the bot was last published."""

    botId: str
    """Id of the bot, as create and list return it."""

    groups: list[LegacyGroup]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent] | None
    """Null, because the start is a block of a group. An empty list is valid too."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

class PublishedBotV4(TypedDict):
    """The published copy of a bot whose flow is written in version 4."""

    id: str
    """Id of the published copy; it stays when the bot is published again."""

    version: Literal["4"]
    """Version of the schema the flow is written in."""

    createdAt: str
    """When the bot was first published."""

    updatedAt: str
    """When the bot was last published."""

    botId: str
    """Id of the bot, as create and list return it."""

    groups: list[LegacyGroup]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent] | None
    """Null, because the start is a block of a group. An empty list is valid too."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

class PublishedBotV5(TypedDict):
    """The published copy of a bot whose flow is written in version 5."""

    id: str
    """Id of the published copy; it stays when the bot is published again."""

    version: Literal["5"]
    """Version of the schema the flow is written in."""

    createdAt: str
    """When the bot was first published."""

    updatedAt: str
    """When the bot was last published."""

    botId: str
    """Id of the bot, as create and list return it."""

    groups: list[LegacyGroup]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent] | None
    """Null, because the start is a block of a group. An empty list is valid too."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

class PublishedBotV6(TypedDict):
    """The published copy of a bot whose flow is written in version 6."""

    id: str
    """Id of the published copy; it stays when the bot is published again."""

    version: Literal["6"]
    """Version of the schema the flow is written in."""

    createdAt: str
    """When the bot was first published."""

    updatedAt: str
    """When the bot was last published."""

    botId: str
    """Id of the bot, as create and list return it."""

    groups: list[Group]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent]
    """Events that begin the branches of the flow. The first event, and only the first, is the start event."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

class PublishedBotV61(TypedDict):
    """The published copy of a bot whose flow is written in version 6.1."""

    id: str
    """Id of the published copy; it stays when the bot is published again."""

    version: Literal["6.1"]
    """Version of the schema the flow is written in."""

    createdAt: str
    """When the bot was first published."""

    updatedAt: str
    """When the bot was last published."""

    botId: str
    """Id of the bot, as create and list return it."""

    groups: list[Group]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent]
    """Events that begin the branches of the flow. The first event, and only the first, is the start event."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

class QrCodeBlock(TypedDict):
    """Works with QR codes. Chats run it. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["qr-code"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[QrCodeOptions]

class QrCodeOptions(TypedDict):
    """Options of the QR codes block. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    action: NotRequired[str]
    """Action of the block: Generate a QR Code. The service preserves other texts. Without an action the block does nothing."""

    data: NotRequired[str]
    """Content of the code."""

    saveUrlInVariableId: NotRequired[str]
    """Id of the variable that stores the address of the picture."""

class RatingIcon(TypedDict):
    """Custom icon of the steps."""

    isEnabled: NotRequired[bool]
    """True if the steps show the custom icon. Default false."""

    svg: NotRequired[str]
    """The icon as SVG source."""

class RatingInput(TypedDict):
    """Asks for a rating on a scale."""

    id: str
    """Id of the block."""

    type: Literal["rating input"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[RatingInputOptions]

class RatingInputLabels(TypedDict):
    """Texts of a rating input."""

    left: NotRequired[str]
    """Text at the low end."""

    right: NotRequired[str]
    """Text at the high end."""

    button: NotRequired[str]
    """Text of the button that sends the answer. Default Send."""

class RatingInputOptions(TypedDict):
    """Scale of a rating input."""

    variableId: NotRequired[str]
    """Id of the variable that stores the answer."""

    buttonType: NotRequired[Literal["Icons", "Numbers"]]
    """Display of the steps of the scale. Default Numbers."""

    length: NotRequired[float]
    """Last step of the scale. Answers must be whole steps from the first to the last. Default 10."""

    startsAt: NotRequired[float | str]
    """First step of the scale. Default 0. A number, or a text that is one {{variable}} or reads as a number."""

    labels: NotRequired[RatingInputLabels]

    customIcon: NotRequired[RatingIcon]

    isOneClickSubmitEnabled: NotRequired[bool]
    """True if a click on a step sends the answer. Default false."""

class RedirectAction(TypedDict):
    """Open an address in the browser."""

    lastBubbleBlockId: NotRequired[str]
    """Run the action after this bubble; absent means before all."""

    expectsDedicatedReply: NotRequired[bool]
    """True if the client must continue the chat with the outcome."""

    type: Literal["redirect"]
    """Kind of the action."""

    redirect: RedirectDetails

class RedirectBlock(TypedDict):
    """Opens another page in the browser."""

    id: str
    """Id of the block."""

    type: Literal["Redirect"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[RedirectOptions]

class RedirectDetails(TypedDict):
    """The address to open."""

    url: str
    """The address."""

    isNewTab: NotRequired[bool]
    """True to open a new tab."""

class RedirectOptions(TypedDict):
    """Page that the block opens."""

    url: NotRequired[str]
    """Address of the page; may hold placeholders."""

    isNewTab: NotRequired[bool]
    """True if the page opens in a new tab. Default false."""

class RememberUser(TypedDict):
    """Lets a returning visitor continue the earlier conversation."""

    isEnabled: NotRequired[bool]
    """True if the browser remembers the conversation. Default false."""

    storage: NotRequired[Literal["session", "local"]]
    """Browser storage of the conversation: until the tab closes (session), or without end (local). Default session."""

class ReplyEvent(TypedDict):
    """Begins a branch before the bot processes each answer."""

    id: str
    """Id of the event."""

    type: Literal["reply"]
    """Type of the event."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the event. Running chats follow this id. The edge may be missing."""

    graphCoordinates: Coordinates

    options: NotRequired[ReplyEventOptions]

class ReplyEventOptions(TypedDict):
    """Variables that describe the answer."""

    contentVariableId: NotRequired[str]
    """Id of the variable that stores the answer."""

    inputNameVariableId: NotRequired[str]
    """Id of the variable that stores the name of the input."""

    inputTypeVariableId: NotRequired[str]
    """Id of the variable that stores the type of the input."""

class RequestHeaderFieldsTooLargeErrorBody(TypedDict):
    """The request line and headers are over 16 KiB together, or there are more than 100 headers. Send fewer or shorter headers."""

    code: Literal["REQUEST_HEADER_FIELDS_TOO_LARGE"]
    """Code of the error, for programs."""

    message: str
    """The fixed text of the code."""

    issues: list[ErrorIssue]
    """Issues of the request; empty if there is nothing to add."""

class RequestTimeoutErrorBody(TypedDict):
    """The request did not arrive completely in time. Send it again."""

    code: Literal["REQUEST_TIMEOUT"]
    """Code of the error, for programs."""

    message: str
    """The fixed text of the code."""

    issues: list[ErrorIssue]
    """Issues of the request; empty if there is nothing to add."""

class Result(TypedDict):
    """The answers of one visitor in one chat."""

    id: str
    """Id of the result, as the list of results returns it."""

    createdAt: str
    """When the chat started."""

    botId: str
    """Id of the bot, as create and list return it."""

    variables: list[ResultVariable]
    """Variables that have a value."""

    isCompleted: bool
    """True if the chat reached an end and had at least one answer."""

    hasStarted: bool
    """True if at least one answer was given."""

    isArchived: bool
    """Always false: archived results are not shown."""

    lastChatSessionId: str | None
    """Id of the chat session that wrote last; null when none did."""

    answers: list[Answer]
    """The answers, in the order they were given."""

class ResultAnsweredEvent(TypedDict):
    """A turn of a chat stored answers."""

    type: Literal["result.answered"]
    """The type of the event."""

    timestamp: str
    """Time of the event. Events of one bot come in order, but not always by this time."""

    data: AnsweredResultEventData

class ResultBody(TypedDict):
    """One result with its answers."""

    result: Result

class ResultCompletedEvent(TypedDict):
    """A chat with at least one answer reached an end."""

    type: Literal["result.completed"]
    """The type of the event."""

    timestamp: str
    """Time of the event. Events of one bot come in order, but not always by this time."""

    data: ResultEventData

class ResultEventData(TypedDict):
    """A result without its variables; read it to see them."""

    id: str
    """Id of the result."""

    botId: str
    """Id of the bot."""

    createdAt: str
    """When the chat started."""

    hasStarted: bool
    """True if at least one answer was given."""

    isCompleted: bool
    """True if the chat reached an end and had at least one answer."""

    lastChatSessionId: str
    """Id of the chat session that wrote last."""

class ResultExampleBody(TypedDict):
    """An example of the data that a block sends."""

    resultExample: dict[str, str]
    """Made-up values by name."""

class ResultLog(TypedDict):
    """A log entry of a chat."""

    id: str
    """Id of the entry."""

    createdAt: str
    """Time of the entry."""

    resultId: str
    """Id of the result, as the list of results returns it."""

    status: str
    """Kind of the entry: `error`, `success`, `info`, or any text that a client sent."""

    description: str
    """Description of the event."""

    details: str | None
    """Further details, or null."""

    context: str | None
    """Location of the event, or null."""

class ResultLogPage(TypedDict):
    """A page of the log of a result."""

    logs: list[ResultLog]
    """The entries, newest first."""

    nextCursor: str | None
    """Send it as `cursor` to get the following page; null on the last page."""

class ResultPage(TypedDict):
    """A page of the results of a bot."""

    results: list[Result]
    """The results, newest first."""

    nextCursor: str | None
    """Send it as `cursor` to get the following page; null on the last page."""

class ResultStartedEvent(TypedDict):
    """A visitor gave the first answer of a chat."""

    type: Literal["result.started"]
    """The type of the event."""

    timestamp: str
    """Time of the event. Events of one bot come in order, but not always by this time."""

    data: ResultEventData

class ResultVariable(TypedDict):
    """A variable and its last value in the chat."""

    id: str
    """Id of the variable."""

    name: str
    """Name of the variable."""

    value: Any
    """Value of the variable: a text, or a list whose entries are texts or null."""

    isSessionVariable: NotRequired[bool]
    """True if the variable lives only as long as the chat."""

class ResultsDeletedEvent(TypedDict):
    """Results were deleted."""

    type: Literal["results.deleted"]
    """The type of the event."""

    timestamp: str
    """Time of the event. Events of one bot come in order, but not always by this time."""

    data: DeletedResultsEventData

class ResultsTablePreferences(TypedDict):
    """Layout of the table of results in an editor."""

    columnsOrder: list[str]
    """Ids of the columns from left to right."""

    columnsVisibility: dict[str, bool]
    """Visibility of a column, by its id."""

    columnsWidth: dict[str, float]
    """Width of a column in CSS pixels, by its id."""

class ReturnBlock(TypedDict):
    """Returns to the origin of the last jump or event. Has no options."""

    id: str
    """Id of the block."""

    type: Literal["Return"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

class RichTextContent(TypedDict):
    """A text as a tree of formatted nodes."""

    type: Literal["richText"]
    """A tree of nodes."""

    richText: list[Any]
    """The nodes; elements have `type` and `children`, leaves have `text`."""

class RotatedWebhookSecret(TypedDict):
    """The new secret of an endpoint, shown this once."""

    endpointId: str
    """Id of the endpoint, as create and list return it."""

    secret: str
    """The key of the signatures, in the form of Standard Webhooks. It is shown only here."""

    previousSecretExpiresAt: str
    """End of the previous secret, 24 hours from now; until then events are signed with both."""

class SaveClientLogsBody(TypedDict):
    """Entries of the log of a chat client."""

    clientLogs: list[ClientLog]
    """The entries, in order."""

class ScriptAction(TypedDict):
    """Run a script on the client."""

    lastBubbleBlockId: NotRequired[str]
    """Run the action after this bubble; absent means before all."""

    expectsDedicatedReply: NotRequired[bool]
    """True if the client must continue the chat with the outcome."""

    type: Literal["scriptToExecute"]
    """Kind of the action."""

    scriptToExecute: ClientScript

class ScriptArgument(TypedDict):
    """An argument of a script."""

    id: str
    """Name of the parameter."""

    value: NotRequired[Any]
    """Value of the argument."""

class ScriptHolder(TypedDict):
    """A script for the client to run."""

    scriptToExecute: ClientScript

class SecuritySettings(TypedDict):
    """Restricts the pages that may embed the chat."""

    allowedOrigins: NotRequired[list[str]]
    """Origins of pages that may embed the chat. If missing or empty, any page may."""

class SegmentBlock(TypedDict):
    """Works with Segment. Chats run it, with credentials of type segment. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["segment"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[SegmentOptions]

class SegmentCredentialsCreate(TypedDict):
    """New credentials of type segment."""

    type: Literal["segment"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: ApiKeyData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class SegmentCredentialsUpdate(TypedDict):
    """A change of credentials of type segment."""

    type: Literal["segment"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[ApiKeyData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class SegmentOptions(TypedDict):
    """Options of the Segment block. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    action: NotRequired[str]
    """Action of the block: Alias, Identify User, Page, Track. The service preserves other texts. Without an action the block does nothing."""

    userId: NotRequired[str]
    """Id of the visitor at the vendor; may hold placeholders."""

    previousId: NotRequired[str]
    """With action Alias: earlier id of the visitor."""

    email: NotRequired[str]
    """E-mail address of the visitor."""

    traits: NotRequired[list[KeyValuePair]]
    """With action Identify User: traits of the visitor."""

    name: NotRequired[str]
    """With action Page: name of the reported page."""

    category: NotRequired[str]
    """With action Page: category of the page."""

    eventName: NotRequired[str]
    """With action Track: name of the event."""

    properties: NotRequired[list[KeyValuePair]]
    """With the actions Page and Track: properties of the event."""

class SentMessageBody(TypedDict):
    """A message as the visitor sees it."""

    messages: list[MessageBubble]
    """The bubbles that the visitor sees: the text, then each file."""

class ServiceUnavailableErrorBody(TypedDict):
    """The database cannot be reached or is overloaded. As a rule nothing was changed; it may have been if the connection to the database was lost at the very end. Try again after Retry-After seconds, a POST or PATCH with the same Idempotency-Key. If something else is missing, an issue names it."""

    code: Literal["SERVICE_UNAVAILABLE"]
    """Code of the error, for programs."""

    message: str
    """The fixed text of the code."""

    issues: list[ErrorIssue]
    """Issues of the request; empty if there is nothing to add."""

class SessionEventsBody(TypedDict):
    """Events of a chat session."""

    events: list[SessionEvent]
    """The events since then, in order; the last one says who handles the chat, or that it is over."""

class SessionHandledEvent(TypedDict):
    """The first event of a stream, and sent whenever the chat changes hands."""

    type: Literal["handled"]
    """Name of the event."""

    id: str
    """Id of the event, to continue from."""

    handledBy: Literal["bot", "waiting", "member"]
    """The one who handles the chat now."""

class SessionMessageEvent(TypedDict):
    """A member wrote to the visitor."""

    type: Literal["message"]
    """Name of the event."""

    id: str
    """Id of the event, to continue from."""

    turns: list[ChatTurn]
    """The message, as it is shown."""

class SessionOverEvent(TypedDict):
    """The chat has ended, or no longer exists: the last event."""

    type: Literal["over"]
    """Name of the event."""

    id: str
    """Id of the event, to continue from."""

class SessionTurnEvent(TypedDict):
    """A turn of the chat, in any client."""

    type: Literal["turn"]
    """Name of the event."""

    id: str
    """Id of the event, to continue from."""

    said: list[ChatTurn]
    """Messages of the visitor in this turn."""

    step: dict[str, Any]
    """The turn, a `ContinuedChatBody`."""

class SessionTypingEvent(TypedDict):
    """A member is typing, or has stopped without a message. Only streams have it. A message and a change of hands end it, too."""

    type: Literal["typing"]
    """Name of the event."""

    id: str
    """Id of the event, to continue from."""

    seconds: float
    """Seconds for which a client shows it, unless another one comes before; 0 ends it."""

class SetVariableAction(TypedDict):
    """Compute a value and continue with it."""

    lastBubbleBlockId: NotRequired[str]
    """Run the action after this bubble; absent means before all."""

    expectsDedicatedReply: NotRequired[bool]
    """True if the client must continue the chat with the outcome."""

    type: Literal["setVariable"]
    """Kind of the action."""

    setVariable: ScriptHolder

class SetVariableBlock(TypedDict):
    """Sets the value of a variable."""

    id: str
    """Id of the block."""

    type: Literal["Set variable"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[SetVariableOptions]

class SetVariableOptions(TypedDict):
    """Variable and the value it gets. The type decides the source of the value and which other properties apply."""

    variableId: NotRequired[str]
    """Id of the variable that is set."""

    type: NotRequired[Literal["Custom", "Empty", "Append value(s)", "Environment name", "Device type", "Transcript", "User ID", "Result ID", "Now", "Today", "Yesterday", "Tomorrow", "Random ID", "Moment of the day", "Map item with same index", "Pop", "Shift", "Phone number", "Contact name", "Referral Click ID", "Referral Source ID"]]
    """Source of the value. Default Custom."""

    isExecutedOnClient: NotRequired[bool]
    """True if code runs in the browser of the visitor. Default false."""

    isUnsafe: NotRequired[bool]
    """True if the code is marked as from an unknown author."""

    expressionToEvaluate: NotRequired[str]
    """With type Custom: the text or the code that gives the value."""

    isCode: NotRequired[bool]
    """With type Custom: true if the expression is code. Default false."""

    expressionDescription: NotRequired[str]
    """With type Custom: purpose of the code."""

    saveErrorInVariableId: NotRequired[str]
    """Id of the variable that stores the error when code of type Custom fails."""

    timeZone: NotRequired[str]
    """With type Now, Yesterday or Tomorrow: IANA time zone."""

    mapListItemParams: NotRequired[MapListItemParameters]

    item: NotRequired[str]
    """With type Append value(s): the value to append."""

    saveItemInVariableId: NotRequired[str]
    """Id of the variable that stores the removed entry, with type Pop or Shift."""

class Settings(TypedDict):
    """Behaviour of a bot. All versions have the same shape."""

    general: NotRequired[GeneralSettings]

    typingEmulation: NotRequired[TypingEmulation]

    metadata: NotRequired[BotMetadata]

    messaging: NotRequired[MessagingSettings]

    publicShare: NotRequired[PublicShare]

    security: NotRequired[SecuritySettings]

    consent: NotRequired[ConsentSettings]

class SheetCell(TypedDict):
    """A cell of one row, named by its column."""

    id: str
    """Id of the entry."""

    column: NotRequired[str]
    """Title of the column."""

    value: NotRequired[str]
    """Value of the cell; may hold placeholders."""

class SheetComparison(TypedDict):
    """Compares a cell of the row with a text."""

    id: str
    """Id of the comparison."""

    column: NotRequired[str]
    """Title of the column."""

    comparisonOperator: NotRequired[ComparisonOperator]

    value: NotRequired[str]
    """The text to compare with; may hold placeholders."""

class SheetExtraction(TypedDict):
    """Stores one column of the found rows in a variable."""

    id: str
    """Id of the entry."""

    column: NotRequired[str]
    """Title of the column."""

    variableId: NotRequired[str]
    """Id of the variable that stores the cells."""

class SheetFilter(TypedDict):
    """Selects rows by their cells."""

    comparisons: NotRequired[list[SheetComparison]]
    """Comparisons with the cells of a row."""

    logicalOperator: NotRequired[LogicalOperator]

class SimulatedBranch(TypedDict):
    """The path that an A/B test takes. Several for one test are taken in order, and the last one from then on."""

    blockId: str
    """Id of the A/B test."""

    path: Literal["a", "b"]
    """The path that is taken."""

class SimulatedChat(TypedDict):
    """A chat that was simulated as a whole. Its session is not stored, so it is not found."""

    publicationId: str | None
    """Id of the publication that ran; null for the draft."""

    steps: list[ContinuedChatBody]
    """The turn after each reply, in order."""

    isOver: bool
    """True if the chat has ended."""

    lastBlockId: str | None
    """Id of the block that the chat waits at, or that ran last; null if none ran."""

    isIncomplete: bool
    """True if the simulation was stopped before its last reply: at 2 s of work, 20 s in all, or 8 MB."""

    answers: list[Answer]
    """The answers, in order."""

    variables: list[ResultVariable]
    """Variables that have a value at the end, session variables included."""

    transcript: list[TranscriptEntry]
    """The transcript, in order."""

    requests: list[SimulatedRequest]
    """Requests that the bot would have sent."""

    blockIds: list[str]
    """Ids of the blocks of this bot that ran."""

    edgeIds: list[str]
    """Ids of the edges of this bot that were taken."""

class SimulatedReply(TypedDict):
    """One reply of the visitor."""

    message: NotRequired[Message | None]
    """The reply, as continue chat takes it; absent or null skips an optional input, or confirms that an awaited action is done."""

    at: NotRequired[str]
    """Time of the turn on the clock of the bot; absent means that of the turn before."""

class SimulatedRequest(TypedDict):
    """A request that the bot would have sent."""

    blockId: str
    """Id of the block that sent it."""

    step: int
    """The turn in which it was sent: 0 for the start, then the position of the reply."""

    kind: Literal["request", "model", "email"]
    """Kind of the request."""

    method: str
    """Method of a request; `POST` for all else."""

    url: str
    """Address, cut at 10,000 characters; that of an e-mail begins with `mailto:`."""

    body: NotRequired[str]
    """Body, cut at 10,000 characters; absent where there is none, or the block has credentials."""

    isAnswered: bool
    """True if a response was given for it. E-mails need none."""

class SimulatedResponse(TypedDict):
    """The response to requests of a block, an address, or both. If several fit, each is given once, in order, and the last one to all further requests."""

    blockId: NotRequired[str]
    """Id of the block that sends the request; absent means any."""

    url: NotRequired[str]
    """Beginning of the address of the request; absent means any."""

    status: NotRequired[int]
    """Status of the response."""

    body: NotRequired[Any]
    """Body of the response: a text is sent as it is, other values as JSON. For a language model, the text that it writes."""

    failure: NotRequired[Literal["refused", "time", "size", "network"]]
    """Failure in place of a response."""

class Simulation(TypedDict):
    """A chat that is run at once from the given data. Nothing is sent or stored."""

    of: NotRequired[str]
    """The state to run: `draft`, `published`, or the id of a publication. Default `draft`."""

    replies: NotRequired[list[SimulatedReply]]
    """The replies, in order. Those after the end of the chat are left out."""

    responses: NotRequired[list[SimulatedResponse]]
    """The responses to requests of the bot. A request without one fails as a lost connection."""

    branches: NotRequired[list[SimulatedBranch]]
    """Paths of A/B tests. Other tests choose by the seed."""

    startsAt: NotRequired[str]
    """Time of the first turn; the current time when absent."""

    seed: NotRequired[int]
    """Seed of random numbers and ids."""

class SmtpCredentialsCreate(TypedDict):
    """New credentials of type smtp."""

    type: Literal["smtp"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: SmtpData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class SmtpCredentialsUpdate(TypedDict):
    """A change of credentials of type smtp."""

    type: Literal["smtp"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[SmtpData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

SmtpData = TypedDict(
    "SmtpData",
    {
        "host": "str",
        "port": "int",
        "username": NotRequired["str"],
        "password": NotRequired["str"],
        "isTlsEnabled": NotRequired["bool"],
        "from": "SmtpSender",
    },
)
"""An account on a mail server."""

class SmtpSender(TypedDict):
    """Sender of the e-mails."""

    email: str
    """Address of the sender."""

    name: NotRequired[str]
    """Name of the sender."""

class StartBlock(TypedDict):
    """Start of a chat in versions 3, 4 and 5. Versions 6 and 6.1 accept and skip it: they begin at the start event."""

    id: str
    """Id of the block."""

    type: Literal["start"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    label: str
    """Text on the block in the editor."""

class StartChatBody(TypedDict):
    """Options of a new chat; every property may be absent."""

    message: NotRequired[Message]

    isOnlyRegistering: NotRequired[bool]
    """Create the session without running the flow; the first continue runs it."""

    isStreamEnabled: NotRequired[bool]
    """True to stream events from start and continue to requests that accept `text/event-stream`."""

    prefilledVariables: NotRequired[dict[str, Any]]
    """Values of variables, by variable name. Unknown names are ignored, null empties."""

    textBubbleContentFormat: NotRequired[Literal["richText", "markdown"]]
    """Format of the texts of the bot: a tree of formatted nodes, or Markdown."""

    resultId: NotRequired[str]
    """Id of an earlier result of this visitor. It is continued if the settings remember visitors; otherwise ignored."""

class StartComparison(TypedDict):
    """Compares the first message of a conversation with a text."""

    id: str
    """Id of the comparison."""

    comparisonOperator: NotRequired[ComparisonOperator]

    value: NotRequired[str]
    """The text to compare with."""

class StartCondition(TypedDict):
    """Selects the first messages that start the bot on messaging channels."""

    logicalOperator: NotRequired[LogicalOperator]

    comparisons: list[StartComparison]
    """Comparisons with the first message."""

class StartEvent(TypedDict):
    """Start of every chat."""

    id: str
    """Id of the event."""

    type: Literal["start"]
    """Type of the event."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the event. Running chats follow this id. The edge may be missing."""

    graphCoordinates: Coordinates

class StartFromEvent(TypedDict):
    """Start at the target of an event."""

    type: Literal["event"]
    """Start at an event."""

    eventId: str
    """Id of the event."""

class StartFromGroup(TypedDict):
    """Start at the first block of a group."""

    type: Literal["group"]
    """Start at a group."""

    groupId: str
    """Id of the group."""

class StartPreviewBody(TypedDict):
    """Options of a preview; every property may be absent."""

    message: NotRequired[Message]

    isOnlyRegistering: NotRequired[bool]
    """Create the session without running the flow; the first continue runs it."""

    isStreamEnabled: NotRequired[bool]
    """True to stream events from start and continue to requests that accept `text/event-stream`."""

    prefilledVariables: NotRequired[dict[str, Any]]
    """Values of variables, by variable name. Unknown names are ignored, null empties."""

    textBubbleContentFormat: NotRequired[Literal["richText", "markdown"]]
    """Format of the texts of the bot: a tree of formatted nodes, or Markdown."""

    sessionId: NotRequired[str]
    """Id of an earlier preview session of this bot, which is replaced."""

    startFrom: NotRequired[StartFrom]

    simulation: NotRequired[Simulation]

    isProgressBarEnabled: NotRequired[bool]
    """True to return the progress whatever the theme says."""

class StartProperties(TypedDict):
    """Scripts and markup that the client loads when the chat begins."""

    googleAnalyticsId: NotRequired[str]
    """Measurement id of Google Analytics to load."""

    pixelIds: NotRequired[list[str]]
    """Ids of the Meta pixels to load."""

    gtmId: NotRequired[str]
    """Container id of the tag manager to load."""

    customHeadCode: NotRequired[str]
    """Markup for the head of the page."""

class StartPropertiesAction(TypedDict):
    """Load scripts and markup at the start of the chat."""

    lastBubbleBlockId: NotRequired[str]
    """Run the action after this bubble; absent means before all."""

    expectsDedicatedReply: NotRequired[bool]
    """True if the client must continue the chat with the outcome."""

    type: Literal["startPropsToInject"]
    """Kind of the action."""

    startPropsToInject: StartProperties

class StartedChatBody(TypedDict):
    """The first turn of a chat. Without `input` and awaited action it is over."""

    sessionId: str
    """Id of the chat session, needed to continue."""

    resultId: NotRequired[str]
    """Id of the result; absent while the chat is only registered, and in a preview."""

    bot: ChatBot

    messages: list[MessageBubble]
    """Messages of the bot, in order."""

    input: NotRequired[ChatInput]

    clientSideActions: NotRequired[list[ClientSideAction]]
    """Actions of the client, in order; absent if there are none."""

    logs: NotRequired[list[ChatLog]]
    """Log of the turn, for developers of the client."""

    variables: NotRequired[list[ResultVariable]]
    """The variables that have a value after the turn; in previews only."""

    dynamicTheme: NotRequired[DynamicTheme]

    progress: NotRequired[float]
    """Progress of the chat in percent; only with the progress bar on."""

    lastMessageNewFormat: NotRequired[str]
    """The reply as it was understood, if that differs from the sent one."""

    handledBy: NotRequired[Literal["waiting", "member"]]
    """Present while the bot does not handle the chat: it waits for a member, or a member handles it. The input is then a text for people; messages of members come with the session and its events."""

    expectsEvents: NotRequired[bool]
    """True while events can come without a request of the visitor: people handle the chat, or a timer runs. Clients then follow the events of the session. Absent otherwise."""

    revision: int
    """Number of turns of the session. Send it with the reply: the same reply sent again then gets the same response instead of counting twice."""

class StartedDeviceLogin(TypedDict):
    """The codes of a login, for the program and the user."""

    deviceCode: str
    """The secret code of the program, as start device login returns it. Show it to nobody."""

    userCode: str
    """Short code to show to the user, who compares it."""

    verificationUri: str
    """The page on which the user enters the code."""

    verificationUriComplete: str
    """The same page with the code filled in. Show the code nevertheless."""

    expiresIn: int
    """Seconds for which the codes work."""

    interval: int
    """Minimum seconds to wait before the next request."""

class StartedPreviewBody(TypedDict):
    """The first turn of a preview. Without `input` and awaited action it is over."""

    sessionId: str
    """Id of the chat session, needed to continue."""

    resultId: NotRequired[str]
    """Id of the result; absent while the chat is only registered, and in a preview."""

    bot: ChatBot

    messages: list[MessageBubble]
    """Messages of the bot, in order."""

    input: NotRequired[ChatInput]

    clientSideActions: NotRequired[list[ClientSideAction]]
    """Actions of the client, in order; absent if there are none."""

    logs: NotRequired[list[ChatLog]]
    """Log of the turn, for developers of the client."""

    variables: NotRequired[list[ResultVariable]]
    """The variables that have a value after the turn; in previews only."""

    dynamicTheme: NotRequired[DynamicTheme]

    progress: NotRequired[float]
    """Progress of the chat in percent; only with the progress bar on."""

    lastMessageNewFormat: NotRequired[str]
    """The reply as it was understood, if that differs from the sent one."""

    handledBy: NotRequired[Literal["waiting", "member"]]
    """Present while the bot does not handle the chat: it waits for a member, or a member handles it. The input is then a text for people; messages of members come with the session and its events."""

    expectsEvents: NotRequired[bool]
    """True while events can come without a request of the visitor: people handle the chat, or a timer runs. Clients then follow the events of the session. Absent otherwise."""

    revision: int
    """Number of turns of the session. Send it with the reply: the same reply sent again then gets the same response instead of counting twice."""

    simulation: NotRequired[SimulatedChat]

class Stats(TypedDict):
    """Numbers of views, starts and completions of a bot."""

    totalViews: int
    """Chats that began."""

    totalStarts: int
    """Chats in which at least one answer was given."""

    totalCompleted: int
    """Chats that reached an end and had at least one answer."""

class StatsBody(TypedDict):
    """The statistics of a bot."""

    stats: Stats

class StoredCredentials(TypedDict):
    """Credentials of a workspace, without their secrets."""

    id: str
    """Id of the credentials."""

    workspaceId: str
    """Id of the workspace, as create and list return it."""

    type: str
    """Type of the credentials: `smtp`, `chatwoot`, or the type of the blocks that use them."""

    name: str
    """Name to choose the credentials by."""

    createdAt: str
    """When they were created."""

    updatedAt: str
    """When they were last changed."""

class StripeCredentialsCreate(TypedDict):
    """New credentials of type stripe."""

    type: Literal["stripe"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: StripeData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class StripeCredentialsUpdate(TypedDict):
    """A change of credentials of type stripe."""

    type: Literal["stripe"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[StripeData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class StripeData(TypedDict):
    """An account of Stripe. Published bots need live keys to take payments. Previews need test keys to show payments."""

    live: NotRequired[StripeLiveKeys]

    test: NotRequired[StripeTestKeys]

    baseUrl: NotRequired[str]
    """Address of the API, if not that of Stripe."""

class StripeLiveKeys(TypedDict):
    """Keys that move money, for published bots."""

    secretKey: str
    """Secret or restricted key of the live mode."""

    publicKey: NotRequired[str]
    """Public key of the account. With it, hosts that serve chats alone show the form of Stripe."""

    webhookSecret: NotRequired[str]
    """Signing secret of the Stripe webhook that calls this service. With it, a payment counts even if the visitor has closed the page."""

class StripeTestKeys(TypedDict):
    """Keys that move no money, for previews."""

    secretKey: str
    """Secret or restricted key of the test mode."""

    publicKey: NotRequired[str]
    """Public key of the account. With it, hosts that serve chats alone show the form of Stripe."""

    webhookSecret: NotRequired[str]
    """Signing secret of the Stripe webhook that calls this service. With it, a payment counts even if the visitor has closed the page."""

class SubscribeWebhookBlockBody(TypedDict):
    """The new address of a block."""

    url: str
    """Address that begins with https:// or http://."""

class SuccessBody(TypedDict):
    """Confirms that the request succeeded."""

    message: Literal["success"]
    """Confirms success."""

class SystemMessages(TypedDict):
    """Texts that replace the built-in ones of the chat."""

    invalidMessage: NotRequired[str]
    """Sent after an invalid answer."""

    botClosed: NotRequired[str]
    """Shown while the bot is closed."""

    networkErrorTitle: NotRequired[str]
    """Title shown when the network fails."""

    networkErrorMessage: NotRequired[str]
    """Text shown when the network fails."""

    popupBlockedTitle: NotRequired[str]
    """Title shown when the browser blocks a new window."""

    popupBlockedDescription: NotRequired[str]
    """Text shown when the browser blocks a new window."""

    popupBlockedButtonLabel: NotRequired[str]
    """Button that opens the blocked window."""

    fileUploadError: NotRequired[str]
    """Shown when an upload fails."""

    fileUploadSizeError: NotRequired[str]
    """Shown when a file is too large. The chat replaces [[file]] and [[limit]]."""

    messagingPictureChoiceSelectLabel: NotRequired[str]
    """Button below a picture choice on messaging channels."""

class Template(TypedDict):
    """A template with the bot that begins with it."""

    id: str
    """Id of the template, as the list of templates has it."""

    name: str
    """Name of the template."""

    icon: str | None
    """Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    description: str
    """One sentence about the template."""

    category: Literal["collect", "support", "engage"]
    """Purpose: to collect answers, to support people, or to engage them."""

    needs: list[str]
    """Settings to make before the bot can do everything; empty for most templates."""

    bot: TemplateBot

class TemplateBody(TypedDict):
    """One template with its bot."""

    template: Template

class TemplateBot(TypedDict):
    """The bot of a template, as create takes it."""

    version: Literal["6.1"]
    """Version of the schema the flow is written in."""

    name: str
    """Name of the bot. Names need not be unique."""

    icon: str | None
    """Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    groups: list[Group]
    """The groups of the flow, in no particular order."""

    events: list[FlowEvent]
    """Events that begin the branches of the flow. The first event, and only the first, is the start event."""

    edges: list[Edge]
    """The connections of the flow, in no particular order."""

    variables: list[Variable]
    """The variables of the bot."""

    theme: Theme

    settings: Settings

class TemplateList(TypedDict):
    """The templates of the service."""

    templates: list[TemplateSummary]
    """The templates."""

class TemplateSummary(TypedDict):
    """A template in a list, without its document."""

    id: str
    """Id of the template, as the list of templates has it."""

    name: str
    """Name of the template."""

    icon: str | None
    """Icon of the bot: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    description: str
    """One sentence about the template."""

    category: Literal["collect", "support", "engage"]
    """Purpose: to collect answers, to support people, or to engage them."""

    needs: list[str]
    """Settings to make before the bot can do everything; empty for most templates."""

class TestEventData(TypedDict):
    """The endpoint that is tested."""

    endpointId: str
    """Id of the endpoint that is tested."""

class TextBubble(TypedDict):
    """Shows a formatted text."""

    id: str
    """Id of the block."""

    type: Literal["text"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    content: NotRequired[TextBubbleContent]

class TextBubbleContent(TypedDict):
    """Text of the message."""

    richText: NotRequired[list[Any]]
    """The text as a tree, which the service does not validate. Elements have a type (p, a, ul, ol, li, lic or another container), children, and with type a an url. Leaves have text and may be bold, italic or underline. Each line is one p."""

    html: NotRequired[str]
    """The text as HTML, in older documents."""

    plainText: NotRequired[str]
    """The text without formatting, in older documents."""

class TextInput(TypedDict):
    """Asks for one or more lines of free text."""

    id: str
    """Id of the block."""

    type: Literal["text input"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[TextInputOptions]

class TextInputOptions(TypedDict):
    """Settings of a text input."""

    variableId: NotRequired[str]
    """Id of the variable that stores the answer."""

    labels: NotRequired[InputLabels]

    isLong: NotRequired[bool]
    """True if the field has several lines. Default false."""

    inputMode: NotRequired[Literal["text", "decimal", "numeric", "tel", "search", "email", "url"]]
    """On-screen keyboard of touch devices."""

    audioClip: NotRequired[AudioClipOptions]

    attachments: NotRequired[AttachmentOptions]

class TextMessage(TypedDict):
    """A text of the visitor."""

    type: Literal["text"]
    """A text, also the choice of an item."""

    text: str
    """The text."""

    attachedFileUrls: NotRequired[list[str]]
    """URLs of files sent with the text."""

    metadata: NotRequired[MessageMetadata]

class TextMessageBubble(TypedDict):
    """A text message of the bot."""

    id: str
    """Id of the block in the flow."""

    type: Literal["text"]
    """Kind of the bubble."""

    content: TextContent

class Theme(TypedDict):
    """Visual style of a bot. All versions have the same shape; only defaults differ."""

    general: NotRequired[ThemeGeneral]

    chat: NotRequired[ThemeChat]

    customCss: NotRequired[str]
    """Style sheet added to the chat."""

class ThemeBackground(TypedDict):
    """Background of the chat."""

    type: NotRequired[Literal["Color", "Image", "None"]]
    """Kind of background. Default Color."""

    content: NotRequired[str]
    """A colour, or the address of the image. Default #FFFFFF in version 6, #F8F8F8 in 6.1."""

class ThemeBorder(TypedDict):
    """The border of a part of the chat."""

    thickness: NotRequired[float]
    """Width of the border, in CSS pixels. Default: 0 in version 6; in 6.1 0 for the container, else 1."""

    color: NotRequired[str]
    """Colour of the border. Its default depends on the part."""

    roundeness: NotRequired[Literal["none", "medium", "large", "custom"]]
    """Roundness of the corners: 0, 6 or 20 CSS pixels, or customRoundeness. Default medium."""

    customRoundeness: NotRequired[float]
    """Corner radius with roundeness custom, in CSS pixels. Default 6."""

    opacity: NotRequired[float]
    """Opacity of the border, from 0 (invisible) to 1. Default 1."""

class ThemeButtons(TypedDict):
    """Buttons that the visitor can press."""

    backgroundColor: NotRequired[str]
    """Colour of the surface. Default #0042DA in version 6, #c2410c in 6.1."""

    color: NotRequired[str]
    """Colour of the text. Default #ffffff."""

    blur: NotRequired[float]
    """Blur of the backdrop, in CSS pixels. Default 0."""

    opacity: NotRequired[float]
    """Opacity of the surface, from 0 (invisible) to 1. Default 1."""

    shadow: NotRequired[Literal["none", "sm", "md", "lg", "xl", "2xl"]]
    """Size of the shadow. Default none; for inputs md in version 6."""

    border: NotRequired[ThemeBorder]

class ThemeButtonsInput(TypedDict):
    """Layout of a list of buttons."""

    layout: NotRequired[Literal["wrap", "vertical"]]
    """Side by side with line breaks, or one below the other. Default wrap."""

class ThemeChat(TypedDict):
    """Style of the conversation."""

    container: NotRequired[ThemeContainer]

    hostAvatar: NotRequired[ThemeHostAvatar]

    guestAvatar: NotRequired[ThemeGuestAvatar]

    hostBubbles: NotRequired[ThemeHostBubbles]

    guestBubbles: NotRequired[ThemeGuestBubbles]

    buttons: NotRequired[ThemeButtons]

    inputs: NotRequired[ThemeInputs]

    buttonsInput: NotRequired[ThemeButtonsInput]

    roundness: NotRequired[Literal["none", "medium", "large"]]
    """Roundness of every part without a border of its own. Older documents only; border.roundeness replaces it."""

class ThemeContainer(TypedDict):
    """The box that holds the conversation."""

    maxWidth: NotRequired[str]
    """Maximum width as a CSS length. Default 800px."""

    maxHeight: NotRequired[str]
    """Maximum height as a CSS length. Default 100%."""

    backgroundColor: NotRequired[str]
    """Colour of the surface. Default transparent."""

    color: NotRequired[str]
    """Colour of the text. Default dark or light grey, whichever reads better on the background."""

    blur: NotRequired[float]
    """Blur of the backdrop, in CSS pixels. Default 0."""

    opacity: NotRequired[float]
    """Opacity of the surface, from 0 (invisible) to 1. Default 1."""

    shadow: NotRequired[Literal["none", "sm", "md", "lg", "xl", "2xl"]]
    """Size of the shadow. Default none; for inputs md in version 6."""

    border: NotRequired[ThemeBorder]

class ThemeGeneral(TypedDict):
    """Style of the page around the chat."""

    font: NotRequired[str | FontSource]
    """Font of the chat: a Google Fonts family name, or an object with its source."""

    background: NotRequired[ThemeBackground]

    progressBar: NotRequired[ThemeProgressBar]

class ThemeGuestAvatar(TypedDict):
    """The picture beside the answers of the visitor."""

    isEnabled: NotRequired[bool]
    """True if the chat shows the picture. Default false."""

    url: NotRequired[str]
    """Address of the picture, or a {{variable}} that holds one."""

class ThemeGuestBubbles(TypedDict):
    """The answers of the visitor."""

    backgroundColor: NotRequired[str]
    """Colour of the surface. Default #FF8E21 in version 6, #c2410c in 6.1."""

    color: NotRequired[str]
    """Colour of the text. Default #ffffff."""

    blur: NotRequired[float]
    """Blur of the backdrop, in CSS pixels. Default 0."""

    opacity: NotRequired[float]
    """Opacity of the surface, from 0 (invisible) to 1. Default 1."""

    shadow: NotRequired[Literal["none", "sm", "md", "lg", "xl", "2xl"]]
    """Size of the shadow. Default none; for inputs md in version 6."""

    border: NotRequired[ThemeBorder]

class ThemeHostAvatar(TypedDict):
    """The picture beside the messages of the bot."""

    isEnabled: NotRequired[bool]
    """True if the chat shows the picture. Default true."""

    url: NotRequired[str]
    """Address of the picture, or a {{variable}} that holds one."""

class ThemeHostBubbles(TypedDict):
    """The messages of the bot."""

    backgroundColor: NotRequired[str]
    """Colour of the surface. Default #F7F8FF in version 6, #ffffff in 6.1."""

    color: NotRequired[str]
    """Colour of the text. Default #202020."""

    blur: NotRequired[float]
    """Blur of the backdrop, in CSS pixels. Default 0."""

    opacity: NotRequired[float]
    """Opacity of the surface, from 0 (invisible) to 1. Default 1."""

    shadow: NotRequired[Literal["none", "sm", "md", "lg", "xl", "2xl"]]
    """Size of the shadow. Default none; for inputs md in version 6."""

    border: NotRequired[ThemeBorder]

class ThemeInputs(TypedDict):
    """Fields that the visitor can fill in."""

    backgroundColor: NotRequired[str]
    """Colour of the surface. Default #FFFFFF."""

    color: NotRequired[str]
    """Colour of the text. Default #202020."""

    blur: NotRequired[float]
    """Blur of the backdrop, in CSS pixels. Default 0."""

    opacity: NotRequired[float]
    """Opacity of the surface, from 0 (invisible) to 1. Default 1."""

    shadow: NotRequired[Literal["none", "sm", "md", "lg", "xl", "2xl"]]
    """Size of the shadow. Default none; for inputs md in version 6."""

    border: NotRequired[ThemeBorder]

    placeholderColor: NotRequired[str]
    """Colour of the placeholder text. Default #6e7480."""

class ThemeProgressBar(TypedDict):
    """Bar that shows the progress of the visitor."""

    isEnabled: NotRequired[bool]
    """True if the chat shows the bar. Default false."""

    placement: NotRequired[Literal["Top", "Bottom"]]
    """Edge the bar sits at. Default Top."""

    position: NotRequired[Literal["fixed", "absolute"]]
    """CSS positioning of the bar. Default absolute."""

    color: NotRequired[str]
    """Colour of the completed part. Default #e0edff in version 6, #ff5924 in 6.1."""

    backgroundColor: NotRequired[str]
    """Colour of the remaining part. Default #f1f1f1 in version 6, #8d8d8d in 6.1."""

    thickness: NotRequired[float]
    """Height of the bar, in CSS pixels."""

class TimeInput(TypedDict):
    """Asks for a time of day."""

    id: str
    """Id of the block."""

    type: Literal["time input"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[TimeInputOptions]

class TimeInputLabels(TypedDict):
    """Texts of a time input."""

    button: NotRequired[str]
    """Text of the button that sends the answer. Default Send."""

class TimeInputOptions(TypedDict):
    """Settings of a time input."""

    variableId: NotRequired[str]
    """Id of the variable that stores the answer."""

    labels: NotRequired[TimeInputLabels]

    format: NotRequired[str]
    """Unicode date pattern (TR 35) of the answer. Default HH:mm."""

class TogetherAiBlock(TypedDict):
    """Works with Together AI. Chats run it, with credentials of type together-ai. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["together-ai"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[TogetherAiOptions]

class TogetherAiCredentialsCreate(TypedDict):
    """New credentials of type together-ai."""

    type: Literal["together-ai"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: ApiKeyData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class TogetherAiCredentialsUpdate(TypedDict):
    """A change of credentials of type together-ai."""

    type: Literal["together-ai"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[ApiKeyData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class TogetherAiOptions(TypedDict):
    """Options of the Together AI block. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    action: NotRequired[str]
    """Action of the block: Create chat completion. The service preserves other texts. Without an action the block does nothing."""

    model: NotRequired[str]
    """Name of the model."""

    messages: NotRequired[list[ChatMessage]]
    """The messages, oldest first."""

    tools: NotRequired[list[ChatTool]]
    """Functions that the model can call."""

    temperature: NotRequired[float | str]
    """Sampling temperature of the model, from 0 to 2. A number, or a text that is one {{variable}} or reads as a number."""

    responseMapping: NotRequired[list[VendorAnswerMapping]]
    """Parts of the response and the variables that store them. With action Create chat completion: Message content, Total tokens, Prompt tokens, Completion tokens."""

class TooManyRequestsErrorBody(TypedDict):
    """The caller sent too many requests in a window of time or at once, or a record reached its limit of entries. Or an address or the visitors of a bot reached their daily limit of storage. Nothing was done. Wait as many seconds as Retry-After says; with the issue `daily_quota_exceeded` it takes up to a day, and with `quota_exceeded` waiting does not help."""

    code: Literal["TOO_MANY_REQUESTS"]
    """Code of the error, for programs."""

    message: str
    """The fixed text of the code."""

    issues: list[ErrorIssue]
    """Issues of the request; empty if there is nothing to add."""

class TranscriptBody(TypedDict):
    """The transcript of a chat."""

    transcript: list[TranscriptEntry]
    """The entries, in order."""

class TranscriptEntry(TypedDict):
    """An entry of the transcript of a chat."""

    role: Literal["bot", "user", "member"]
    """Author of the entry: the bot, the visitor, or a member of the workspace."""

    type: Literal["text", "image", "video", "audio"]
    """Kind of the entry."""

    text: NotRequired[str]
    """The text."""

    image: NotRequired[str]
    """URL of the picture."""

    video: NotRequired[str]
    """URL of the video."""

    audio: NotRequired[str]
    """URL of the recording."""

class TypingEmulation(TypedDict):
    """Delays that make the bot appear to type."""

    enabled: NotRequired[bool]
    """True if the bot delays its messages. Default true."""

    speed: NotRequired[float]
    """Typing speed in words per minute. Default 400."""

    maxDelay: NotRequired[float]
    """Maximum delay before a message, in seconds. Default 3."""

    delayBetweenBubbles: NotRequired[float]
    """Delay between two messages, in seconds. Default 0."""

    isDisabledOnFirstMessage: NotRequired[bool]
    """True if the first message has no delay. Default true."""

class TypingSign(TypedDict):
    """State of the sign: true while the member types."""

    isTyping: bool
    """`false` ends the sign early."""

class UnauthorizedErrorBody(TypedDict):
    """The Authorization header is missing, or its token is malformed, unknown, expired or revoked. Send a valid token as a Bearer credential."""

    code: Literal["UNAUTHORIZED"]
    """Code of the error, for programs."""

    message: str
    """The fixed text of the code."""

    issues: list[ErrorIssue]
    """Issues of the request; empty if there is nothing to add."""

class UnsupportedMediaTypeErrorBody(TypedDict):
    """The request body is not what the operation takes: JSON in UTF-8, sent as Content-Type: application/json, or a file, sent as application/octet-stream; both without a content encoding."""

    code: Literal["UNSUPPORTED_MEDIA_TYPE"]
    """Code of the error, for programs."""

    message: str
    """The fixed text of the code."""

    issues: list[ErrorIssue]
    """Issues of the request; empty if there is nothing to add."""

class UpdateBotBody(TypedDict):
    """The change to a bot."""

    bot: BotUpdate

    overwrite: NotRequired[bool]
    """True to write even if the precondition `bot.updatedAt` fails."""

class UpdateFolderBody(TypedDict):
    """The change to a folder."""

    workspaceId: NotRequired[str]
    """When given, the folder must be in this workspace; otherwise it is not found."""

    folder: FolderUpdate

class UpdatedWorkspaceBody(TypedDict):
    """Name and icon of the updated workspace."""

    workspace: WorkspaceNameAndIcon

class Upload(TypedDict):
    """A file that was sent into a chat."""

    url: str
    """URL of the file, for the reply."""

    name: str
    """Name of the file as stored, without characters that file names may not have everywhere."""

    size: int
    """Size in bytes."""

    mediaType: str
    """Media type of the download: for a picture, that of its bytes, otherwise `application/octet-stream`."""

class UploadBody(TypedDict):
    """A file that was uploaded."""

    upload: Upload

class UploadLimits(TypedDict):
    """Limits of files that can be uploaded for the reply. Absent with an input for files if the installation stores none."""

    maximumSize: int
    """Maximum bytes of a file."""

class UrlInput(TypedDict):
    """Asks for a web address."""

    id: str
    """Id of the block."""

    type: Literal["url input"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[UrlInputOptions]

class UrlInputOptions(TypedDict):
    """Settings of a URL input."""

    variableId: NotRequired[str]
    """Id of the variable that stores the answer."""

    labels: NotRequired[InputLabels]

    retryMessageContent: NotRequired[str]
    """Sent after an invalid answer."""

class UserTurn(TypedDict):
    """A message of the visitor."""

    role: Literal["user"]
    """Role of the author."""

    text: str
    """Text as clients show it: the label of a chosen item, the URL of a recording. Empty for a picture without a title, and if only files were sent."""

    attachedFileUrls: NotRequired[list[str]]
    """URLs of files sent with the text."""

class Variable(TypedDict):
    """A named value that a chat reads and writes."""

    id: str
    """Id of the variable."""

    name: str
    """Name used in placeholders such as {{Email}}."""

    isSessionVariable: NotRequired[bool]
    """True if the value lasts for one session only and results omit it. Default false."""

    value: NotRequired[Any]
    """Value at the start of a chat: a text, null, or a list of texts and nulls. Other values are invalid."""

class VariableToExtract(TypedDict):
    """A value that the model finds in the prompt."""

    type: NotRequired[Literal["string", "number", "boolean", "array", "enum"]]
    """Kind of value."""

    variableId: NotRequired[str]
    """Id of the variable that stores the value."""

    description: NotRequired[str]
    """Meaning of the value."""

    isRequired: NotRequired[bool]
    """True if the model must find the value. Default true."""

    values: NotRequired[list[str]]
    """With type enum: the allowed values."""

class VendorAnswerMapping(TypedDict):
    """Stores one part of a response in a variable."""

    item: NotRequired[str]
    """Part of the response."""

    variableId: NotRequired[str]
    """Id of the variable that stores the part."""

class VideoBubble(TypedDict):
    """Shows a video from a file or from a video platform."""

    id: str
    """Id of the block."""

    type: Literal["video"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    content: NotRequired[VideoBubbleContent]

class VideoBubbleContent(TypedDict):
    """Video that the block shows, and settings of its player."""

    url: NotRequired[str]
    """Address of the video."""

    id: NotRequired[str]
    """Id of the video on its platform."""

    type: NotRequired[Literal["url", "youtube", "vimeo", "tiktok", "gumlet"]]
    """Location of the video: a file or a platform."""

    height: NotRequired[float | str]
    """Height in CSS pixels. Default 400. A number, or a text that is one {{variable}} or reads as a number."""

    aspectRatio: NotRequired[str]
    """Ratio of width to height. Default 16/9."""

    maxWidth: NotRequired[str]
    """Maximum width as a CSS length. Default 100%."""

    queryParamsStr: NotRequired[str]
    """Query string passed to the platform, with the question mark."""

    areControlsDisplayed: NotRequired[bool]
    """True if the player shows its controls. Default true."""

    isAutoplayEnabled: NotRequired[bool]
    """True if the video starts by itself. Default true."""

class VideoMessageBubble(TypedDict):
    """A video that the bot shows."""

    id: str
    """Id of the block in the flow."""

    type: Literal["video"]
    """Kind of the bubble."""

    content: dict[str, Any]
    """The content of the block, with placeholders filled in."""

class VisitorMessage(TypedDict):
    """A message of a visitor."""

    text: str
    """The text; may be empty."""

    attachedFileUrls: NotRequired[list[str]]
    """URLs of files sent with the text."""

class WaitAction(TypedDict):
    """Wait before continuing."""

    lastBubbleBlockId: NotRequired[str]
    """Run the action after this bubble; absent means before all."""

    expectsDedicatedReply: NotRequired[bool]
    """True if the client must continue the chat with the outcome."""

    type: Literal["wait"]
    """Kind of the action."""

    wait: WaitDetails

class WaitBlock(TypedDict):
    """Waits before the chat continues."""

    id: str
    """Id of the block."""

    type: Literal["Wait"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[WaitOptions]

class WaitDetails(TypedDict):
    """Delay before the client continues."""

    secondsToWaitFor: float
    """Delay in seconds, at most a day."""

class WaitOptions(TypedDict):
    """Duration of the wait."""

    secondsToWaitFor: NotRequired[str]
    """Seconds as text; may hold placeholders. Only the leading number counts, at most 86400."""

    shouldPause: NotRequired[bool]
    """True if later messages come only after the wait. Default false."""

class WaitUntilBlock(TypedDict):
    """Waits until a time, or for hours or days. The chat then continues by itself, even if the visitor has left. Only this service has this block."""

    id: str
    """Id of the block."""

    type: Literal["wait until"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[WaitUntilOptions]

class WaitUntilOptions(TypedDict):
    """End of the wait. `until` takes precedence over `secondsToWaitFor`."""

    until: NotRequired[str]
    """The time; may hold placeholders. Formats: `2026-12-24T09:00`, with an offset or in the time zone of the block; a date, for its start; `HH:MM`, for the next such time."""

    timeZone: NotRequired[str]
    """IANA time zone of the time. Default UTC."""

    secondsToWaitFor: NotRequired[str]
    """Seconds as text; may hold placeholders. At most 2505600 (29 days)."""

class WebhookBlock(TypedDict):
    """A block that sends an HTTP request."""

    id: str
    """Id of the block, as the list returns it."""

    type: Literal["Webhook", "Zapier", "Make.com", "Pabbly"]
    """Type of the block."""

    label: str
    """Title of its group and id of the block, for menus."""

    url: NotRequired[str]
    """Address that the block sends its request to; absent if it has none."""

class WebhookBlocksBody(TypedDict):
    """The blocks of a bot that send requests."""

    webhookBlocks: list[WebhookBlock]
    """The blocks, in the order of the document."""

class WebhookDelivery(TypedDict):
    """An event on its way to an endpoint."""

    id: str
    """Id of the delivery, which receivers get as `webhook-id`."""

    type: str
    """The type of the event."""

    status: Literal["pending", "delivered", "failed"]
    """`pending`: still to be sent. `delivered`: accepted. `failed`: given up after the last attempt."""

    createdAt: str
    """Time of the event."""

    attempts: int
    """Number of attempts; this only grows."""

    lastAttemptAt: str | None
    """When it was last sent; null when never."""

    lastStatus: int | None
    """Status of the last response; null if none came."""

    lastError: str | None
    """Reason why no response came; null if one did, also a redirect, which is not followed."""

    lastDuration: int | None
    """Milliseconds that the last attempt took."""

    nextAttemptAt: str | None
    """When it will be sent next; null when it is due now, or is not sent again."""

class WebhookDeliveryBody(TypedDict):
    """One delivery with its payload."""

    webhookDelivery: WebhookDeliveryWithPayload

class WebhookDeliveryPage(TypedDict):
    """A page of deliveries."""

    webhookDeliveries: list[WebhookDelivery]
    """The deliveries, newest first."""

    nextCursor: str | None
    """Send it as `cursor` to get the following page; null on the last page."""

class WebhookDeliveryWithPayload(TypedDict):
    """A delivery with its payload."""

    id: str
    """Id of the delivery, which receivers get as `webhook-id`."""

    type: str
    """The type of the event."""

    status: Literal["pending", "delivered", "failed"]
    """`pending`: still to be sent. `delivered`: accepted. `failed`: given up after the last attempt."""

    createdAt: str
    """Time of the event."""

    attempts: int
    """Number of attempts; this only grows."""

    lastAttemptAt: str | None
    """When it was last sent; null when never."""

    lastStatus: int | None
    """Status of the last response; null if none came."""

    lastError: str | None
    """Reason why no response came; null if one did, also a redirect, which is not followed."""

    lastDuration: int | None
    """Milliseconds that the last attempt took."""

    nextAttemptAt: str | None
    """When it will be sent next; null when it is due now, or is not sent again."""

    payload: dict[str, Any]
    """The body that is posted, as an object."""

class WebhookEndpoint(TypedDict):
    """An address that receives events, without its secret."""

    id: str
    """Id of the endpoint, as create and list return it."""

    workspaceId: str
    """Id of the workspace, as create and list return it."""

    url: str
    """URL that events are posted to."""

    description: str | None
    """Purpose of the endpoint, or null."""

    types: list[EventType] | None
    """Types of the events that are sent; null means all, also those of later versions."""

    isEnabled: bool
    """True if events are sent. Events while it is false are lost; deliveries that already wait are sent once the endpoint is enabled again."""

    disabledReason: str | None
    """Reason why the service disabled it: it returned 410 (`gone`), or failed for five days without a success (`failing`). Null otherwise."""

    failingSince: str | None
    """Start of the failures: every attempt since has failed. Null while the last one succeeded."""

    createdAt: str
    """When the endpoint was created."""

    updatedAt: str
    """When the endpoint was last changed."""

class WebhookEndpointBody(TypedDict):
    """One endpoint, without its secret."""

    webhookEndpoint: WebhookEndpoint

class WebhookEndpointCreate(TypedDict):
    """The endpoint to create."""

    url: str
    """URL that events are posted to. Private addresses are rejected unless the installation allows them; redirects are not followed."""

    description: NotRequired[str | None]
    """Purpose of the endpoint, or null."""

    types: NotRequired[list[EventType] | None]
    """Types of the events that are sent; null means all, also those of later versions."""

    isEnabled: NotRequired[bool]
    """True if events are sent. Events while it is false are lost; deliveries that already wait are sent once the endpoint is enabled again."""

class WebhookEndpointList(TypedDict):
    """The webhook endpoints of a workspace."""

    webhookEndpoints: list[WebhookEndpoint]
    """The endpoints, newest first."""

class WebhookEndpointUpdate(TypedDict):
    """Changes; absent properties stay as they are."""

    url: NotRequired[str]
    """URL that events are posted to. Private addresses are rejected unless the installation allows them; redirects are not followed."""

    description: NotRequired[str | None]
    """Purpose of the endpoint, or null."""

    types: NotRequired[list[EventType] | None]
    """Types of the events that are sent; null means all, also those of later versions."""

    isEnabled: NotRequired[bool]
    """True if events are sent. Events while it is false are lost; deliveries that already wait are sent once the endpoint is enabled again."""

    id: NotRequired[Any]
    """Read-only id; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    disabledReason: NotRequired[Any]
    """Read-only reason; accepted and ignored."""

    failingSince: NotRequired[Any]
    """Read-only time; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time; accepted and ignored."""

class WebhookEndpointWithSecret(TypedDict):
    """A new endpoint with its secret."""

    id: str
    """Id of the endpoint, as create and list return it."""

    workspaceId: str
    """Id of the workspace, as create and list return it."""

    url: str
    """URL that events are posted to."""

    description: str | None
    """Purpose of the endpoint, or null."""

    types: list[EventType] | None
    """Types of the events that are sent; null means all, also those of later versions."""

    isEnabled: bool
    """True if events are sent. Events while it is false are lost; deliveries that already wait are sent once the endpoint is enabled again."""

    disabledReason: str | None
    """Reason why the service disabled it: it returned 410 (`gone`), or failed for five days without a success (`failing`). Null otherwise."""

    failingSince: str | None
    """Start of the failures: every attempt since has failed. Null while the last one succeeded."""

    createdAt: str
    """When the endpoint was created."""

    updatedAt: str
    """When the endpoint was last changed."""

    secret: str
    """The key of the signatures, in the form of Standard Webhooks. It is shown only here."""

class WebhookEndpointWithSecretBody(TypedDict):
    """A new endpoint with its secret."""

    webhookEndpoint: WebhookEndpointWithSecret

class WebhookListenerBlock(TypedDict):
    """Waits until another system calls the chat. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["webhook"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[WebhookListenerOptions]

class WebhookListenerOptions(TypedDict):
    """Parts of the call to store."""

    responseVariableMapping: NotRequired[list[HttpResponseMapping]]
    """Parts of the received body and the variables that store them."""

class WebhookSubscription(TypedDict):
    """The address of a block after it was set or cleared."""

    id: str
    """Id of the block, as the list returns it."""

    url: str | None
    """Address that the block sends its request to; null if it has none."""

class Workspace(TypedDict):
    """A workspace: its bots and folders, and the members who may use them."""

    id: str
    """Id of the workspace, as create and list return it."""

    createdAt: str
    """When the workspace was created."""

    updatedAt: str
    """When the workspace was last changed."""

    name: str
    """Name of the workspace. Names need not be unique."""

    icon: str | None
    """Icon of the workspace: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    plan: Literal["FREE", "STARTER", "PRO", "LIFETIME", "OFFERED", "CUSTOM", "UNLIMITED", "ENTERPRISE"]
    """Plan of the workspace, as the operator of the service set it; no limit follows from it."""

    billingId: str | None
    """Identifier at the billing provider; null without one."""

    settings: WorkspaceSettings | None
    """Settings of the workspace that editors read; null when none were set."""

    isSuspended: bool
    """True if the operator of the service marked the workspace as suspended; nothing is rejected for it."""

    isPastDue: bool
    """True if the operator of the service marked a payment as overdue; nothing is rejected for it."""

    isVerified: bool
    """True if the operator of the service marked the workspace as verified."""

    chatsHardLimit: int | None
    """Limit of chats per month agreed with the operator of the service, which does not enforce it; null means no limit."""

    lastActivityAt: str | None
    """When the workspace was last used, as the operator of the service recorded it; null when not recorded."""

    inactiveFirstEmailSentAt: str | None
    """When the operator of the service sent the first mail about inactivity; null when never."""

    inactiveSecondEmailSentAt: str | None
    """When the operator of the service sent the second mail about inactivity; null when never."""

class WorkspaceBody(TypedDict):
    """One workspace, without its limits."""

    workspace: Workspace

class WorkspaceChat(TypedDict):
    """A chat in the list of a workspace."""

    sessionId: str
    """Id of the chat session, as start chat returns it."""

    resultId: str
    """Id of the result, as the list of results returns it."""

    createdAt: str
    """When the chat started."""

    updatedAt: str
    """When its last turn ran."""

    expiresAt: str
    """When it can no longer be continued, unless another turn runs before."""

    blockId: str | None
    """Id of the block that waits for the visitor; null if none does."""

    revision: int
    """Counts the turns of the chat."""

    handledBy: Literal["bot", "waiting", "member"]
    """`bot`: the bot runs. `waiting`: the chat waits for a member. `member`: a member handles it. In the last two states, the bot neither runs nor sends."""

    assigneeId: str | None
    """Id of the member who handles the chat; null if none does, and for an agent of Chatwoot."""

    handledSince: str | None
    """When it last changed hands; null where only the bot has handled it."""

    lastMessage: LastMessage

    timer: ChatTimer

    botId: str
    """Id of the bot, as create and list return it."""

    botName: str
    """Name of the bot."""

class WorkspaceChatPage(TypedDict):
    """A page of the chats of a workspace."""

    chats: list[WorkspaceChat]
    """The chats, waiting ones first."""

    nextCursor: str | None
    """Send it as `cursor` to get the following page; null on the last page."""

class WorkspaceCreate(TypedDict):
    """The workspace to create."""

    name: str
    """Name of the workspace. Names need not be unique."""

    icon: NotRequired[str | None]
    """Icon of the workspace: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    resultsRetentionDays: NotRequired[int | None]
    """Days after which results of the bots are deleted, with their answers, transcripts and logs. They count from the end of the day (UTC) of a result. Null leaves it to the installation, which retains results for its own number of days, or until they are deleted."""

    id: NotRequired[Any]
    """Read-only `id` of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only `createdAt` of the workspace; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only `updatedAt` of the workspace; accepted and ignored."""

    plan: NotRequired[Any]
    """Read-only `plan` of the workspace; accepted and ignored."""

    billingId: NotRequired[Any]
    """Read-only `billingId` of the workspace; accepted and ignored."""

    settings: NotRequired[Any]
    """Read-only `settings` of the workspace; accepted and ignored."""

    customChatsLimit: NotRequired[Any]
    """Read-only `customChatsLimit` of the workspace; accepted and ignored."""

    customSeatsLimit: NotRequired[Any]
    """Read-only `customSeatsLimit` of the workspace; accepted and ignored."""

    isSuspended: NotRequired[Any]
    """Read-only `isSuspended` of the workspace; accepted and ignored."""

    isPastDue: NotRequired[Any]
    """Read-only `isPastDue` of the workspace; accepted and ignored."""

    isVerified: NotRequired[Any]
    """Read-only `isVerified` of the workspace; accepted and ignored."""

    chatsHardLimit: NotRequired[Any]
    """Read-only `chatsHardLimit` of the workspace; accepted and ignored."""

    lastActivityAt: NotRequired[Any]
    """Read-only `lastActivityAt` of the workspace; accepted and ignored."""

    inactiveFirstEmailSentAt: NotRequired[Any]
    """Read-only `inactiveFirstEmailSentAt` of the workspace; accepted and ignored."""

    inactiveSecondEmailSentAt: NotRequired[Any]
    """Read-only `inactiveSecondEmailSentAt` of the workspace; accepted and ignored."""

class WorkspaceDeletedBody(TypedDict):
    """The workspace is deleted."""

    message: Literal["Workspace deleted"]
    """Says that it is done."""

class WorkspaceDetails(TypedDict):
    """A workspace with the limits agreed for it."""

    id: str
    """Id of the workspace, as create and list return it."""

    createdAt: str
    """When the workspace was created."""

    updatedAt: str
    """When the workspace was last changed."""

    name: str
    """Name of the workspace. Names need not be unique."""

    icon: str | None
    """Icon of the workspace: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    plan: Literal["FREE", "STARTER", "PRO", "LIFETIME", "OFFERED", "CUSTOM", "UNLIMITED", "ENTERPRISE"]
    """Plan of the workspace, as the operator of the service set it; no limit follows from it."""

    billingId: str | None
    """Identifier at the billing provider; null without one."""

    settings: WorkspaceSettings | None
    """Settings of the workspace that editors read; null when none were set."""

    isSuspended: bool
    """True if the operator of the service marked the workspace as suspended; nothing is rejected for it."""

    isPastDue: bool
    """True if the operator of the service marked a payment as overdue; nothing is rejected for it."""

    isVerified: bool
    """True if the operator of the service marked the workspace as verified."""

    chatsHardLimit: int | None
    """Limit of chats per month agreed with the operator of the service, which does not enforce it; null means no limit."""

    lastActivityAt: str | None
    """When the workspace was last used, as the operator of the service recorded it; null when not recorded."""

    inactiveFirstEmailSentAt: str | None
    """When the operator of the service sent the first mail about inactivity; null when never."""

    inactiveSecondEmailSentAt: str | None
    """When the operator of the service sent the second mail about inactivity; null when never."""

    customChatsLimit: int | None
    """Chats per month agreed for this workspace, which are not enforced; null means those of the plan."""

    customSeatsLimit: int | None
    """Number of members agreed for this workspace, which is not enforced; null means that of the plan."""

    resultsRetentionDays: int | None
    """Days after which results of the bots are deleted, with their answers, transcripts and logs. They count from the end of the day (UTC) of a result. Null leaves it to the installation, which retains results for its own number of days, or until they are deleted."""

class WorkspaceDetailsBody(TypedDict):
    """One workspace and the caller's rights in it."""

    workspace: WorkspaceDetails

    currentUserMode: Literal["write", "read", "guest"]
    """The caller's rights: `write` for an admin, `read` for a member, `guest` for a guest."""

class WorkspaceList(TypedDict):
    """The caller's workspaces."""

    workspaces: list[WorkspaceSummary]
    """The workspaces, newest first."""

    nextCursor: str | None
    """Send it as `cursor` to get the following page; null on the last page."""

class WorkspaceNameAndIcon(TypedDict):
    """Name and icon of a workspace."""

    name: str
    """Name of the workspace. Names need not be unique."""

    icon: str | None
    """Icon of the workspace: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

class WorkspaceSettings(TypedDict):
    """Settings of a workspace that editors read."""

    groupTitlesAutoGeneration: NotRequired[GroupTitlesAutoGeneration]

class WorkspaceSummary(TypedDict):
    """A workspace in a list."""

    id: str
    """Id of the workspace, as create and list return it."""

    name: str
    """Name of the workspace. Names need not be unique."""

    icon: str | None
    """Icon of the workspace: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    plan: Literal["FREE", "STARTER", "PRO", "LIFETIME", "OFFERED", "CUSTOM", "UNLIMITED", "ENTERPRISE"]
    """Plan of the workspace, as the operator of the service set it; no limit follows from it."""

class WorkspaceUpdate(TypedDict):
    """Changes; absent properties stay as they are."""

    name: NotRequired[str]
    """Name of the workspace. Names need not be unique."""

    icon: NotRequired[str | None]
    """Icon of the workspace: an emoji, an http(s) URL or a `data:image/` URL; null without one."""

    resultsRetentionDays: NotRequired[int | None]
    """Days after which results of the bots are deleted, with their answers, transcripts and logs. They count from the end of the day (UTC) of a result. Null leaves it to the installation, which retains results for its own number of days, or until they are deleted."""

    id: NotRequired[Any]
    """Read-only `id` of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only `createdAt` of the workspace; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only `updatedAt` of the workspace; accepted and ignored."""

    plan: NotRequired[Any]
    """Read-only `plan` of the workspace; accepted and ignored."""

    billingId: NotRequired[Any]
    """Read-only `billingId` of the workspace; accepted and ignored."""

    settings: NotRequired[Any]
    """Read-only `settings` of the workspace; accepted and ignored."""

    customChatsLimit: NotRequired[Any]
    """Read-only `customChatsLimit` of the workspace; accepted and ignored."""

    customSeatsLimit: NotRequired[Any]
    """Read-only `customSeatsLimit` of the workspace; accepted and ignored."""

    isSuspended: NotRequired[Any]
    """Read-only `isSuspended` of the workspace; accepted and ignored."""

    isPastDue: NotRequired[Any]
    """Read-only `isPastDue` of the workspace; accepted and ignored."""

    isVerified: NotRequired[Any]
    """Read-only `isVerified` of the workspace; accepted and ignored."""

    chatsHardLimit: NotRequired[Any]
    """Read-only `chatsHardLimit` of the workspace; accepted and ignored."""

    lastActivityAt: NotRequired[Any]
    """Read-only `lastActivityAt` of the workspace; accepted and ignored."""

    inactiveFirstEmailSentAt: NotRequired[Any]
    """Read-only `inactiveFirstEmailSentAt` of the workspace; accepted and ignored."""

    inactiveSecondEmailSentAt: NotRequired[Any]
    """Read-only `inactiveSecondEmailSentAt` of the workspace; accepted and ignored."""

class ZapierBlock(TypedDict):
    """Starts a Zap by an HTTP request."""

    id: str
    """Id of the block."""

    type: Literal["Zapier"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[HttpRequestOptions]

class ZendeskAction(TypedDict):
    """Open the Zendesk widget."""

    lastBubbleBlockId: NotRequired[str]
    """Run the action after this bubble; absent means before all."""

    expectsDedicatedReply: NotRequired[bool]
    """True if the client must continue the chat with the outcome."""

    type: Literal["zendesk"]
    """Kind of the action."""

    zendesk: ScriptHolder

class ZendeskBlock(TypedDict):
    """Works with Zendesk. Chats run it, with credentials of type zendesk. Versions 6 and 6.1 only."""

    id: str
    """Id of the block."""

    type: Literal["zendesk"]
    """Type of the block."""

    outgoingEdgeId: NotRequired[str]
    """Id of the edge that leaves the block. Running chats follow this id. The edge may be missing."""

    options: NotRequired[ZendeskOptions]

class ZendeskCredentialsCreate(TypedDict):
    """New credentials of type zendesk."""

    type: Literal["zendesk"]
    """Type of the credentials: the service they are for."""

    name: str
    """Name to choose the credentials by."""

    data: ZendeskData

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class ZendeskCredentialsUpdate(TypedDict):
    """A change of credentials of type zendesk."""

    type: Literal["zendesk"]
    """Type of the credentials: the service they are for."""

    name: NotRequired[str]
    """Name to choose the credentials by."""

    data: NotRequired[ZendeskData]

    id: NotRequired[Any]
    """Read-only id of the credentials; accepted and ignored."""

    workspaceId: NotRequired[Any]
    """Read-only id of the workspace; accepted and ignored."""

    createdAt: NotRequired[Any]
    """Read-only time of creation; accepted and ignored."""

    updatedAt: NotRequired[Any]
    """Read-only time of the last change; accepted and ignored."""

class ZendeskData(TypedDict):
    """A Zendesk key that signs the identity of visitors."""

    conversationsKeyId: str
    """Id of the signing key."""

    conversationsSecretKey: str
    """The signing key."""

class ZendeskOptions(TypedDict):
    """Options of the Zendesk block. The action decides which other properties apply."""

    credentialsId: NotRequired[str]
    """Id of the credentials of the account."""

    action: NotRequired[str]
    """Action of the block: Open Web Widget. The service preserves other texts. Without an action the block does nothing."""

    userId: NotRequired[str]
    """Id of the visitor at the vendor; may hold placeholders."""

    name: NotRequired[str]
    """Name of the visitor."""

    email: NotRequired[str]
    """E-mail address of the visitor."""

    webWidgetKey: NotRequired[str]
    """Key of the widget."""

BotChangeV3 = TypedDict(
    "BotChangeV3",
    {
        "name": NotRequired["str"],
        "icon": NotRequired["str | None"],
        "selectedThemeTemplateId": NotRequired["str | None"],
        "groups": NotRequired["list[LegacyGroup]"],
        "events": NotRequired["list[FlowEvent] | None"],
        "edges": NotRequired["list[Edge]"],
        "variables": NotRequired["list[Variable]"],
        "theme": NotRequired["Theme"],
        "settings": NotRequired["Settings"],
        "folderId": NotRequired["str | None"],
        "resultsTablePreferences": NotRequired["ResultsTablePreferences | None"],
        "publicId": NotRequired["str | None"],
        "customDomain": NotRequired["str | None"],
        "isClosed": NotRequired["bool"],
        "messagingCredentialsId": NotRequired["str | None"],
        "riskLevel": NotRequired["float | None"],
        "$schema": NotRequired["Any"],
        "id": NotRequired["Any"],
        "createdAt": NotRequired["Any"],
        "workspaceId": NotRequired["Any"],
        "isArchived": NotRequired["Any"],
    },
)
"""A change to a bot in version 3. Absent properties stay as they are, given ones replace the whole property."""

BotChangeV4 = TypedDict(
    "BotChangeV4",
    {
        "name": NotRequired["str"],
        "icon": NotRequired["str | None"],
        "selectedThemeTemplateId": NotRequired["str | None"],
        "groups": NotRequired["list[LegacyGroup]"],
        "events": NotRequired["list[FlowEvent] | None"],
        "edges": NotRequired["list[Edge]"],
        "variables": NotRequired["list[Variable]"],
        "theme": NotRequired["Theme"],
        "settings": NotRequired["Settings"],
        "folderId": NotRequired["str | None"],
        "resultsTablePreferences": NotRequired["ResultsTablePreferences | None"],
        "publicId": NotRequired["str | None"],
        "customDomain": NotRequired["str | None"],
        "isClosed": NotRequired["bool"],
        "messagingCredentialsId": NotRequired["str | None"],
        "riskLevel": NotRequired["float | None"],
        "$schema": NotRequired["Any"],
        "id": NotRequired["Any"],
        "createdAt": NotRequired["Any"],
        "workspaceId": NotRequired["Any"],
        "isArchived": NotRequired["Any"],
    },
)
"""A change to a bot in version 4. Absent properties stay as they are, given ones replace the whole property."""

BotChangeV5 = TypedDict(
    "BotChangeV5",
    {
        "name": NotRequired["str"],
        "icon": NotRequired["str | None"],
        "selectedThemeTemplateId": NotRequired["str | None"],
        "groups": NotRequired["list[LegacyGroup]"],
        "events": NotRequired["list[FlowEvent] | None"],
        "edges": NotRequired["list[Edge]"],
        "variables": NotRequired["list[Variable]"],
        "theme": NotRequired["Theme"],
        "settings": NotRequired["Settings"],
        "folderId": NotRequired["str | None"],
        "resultsTablePreferences": NotRequired["ResultsTablePreferences | None"],
        "publicId": NotRequired["str | None"],
        "customDomain": NotRequired["str | None"],
        "isClosed": NotRequired["bool"],
        "messagingCredentialsId": NotRequired["str | None"],
        "riskLevel": NotRequired["float | None"],
        "$schema": NotRequired["Any"],
        "id": NotRequired["Any"],
        "createdAt": NotRequired["Any"],
        "workspaceId": NotRequired["Any"],
        "isArchived": NotRequired["Any"],
    },
)
"""A change to a bot in version 5. Absent properties stay as they are, given ones replace the whole property."""

BotChangeV6 = TypedDict(
    "BotChangeV6",
    {
        "name": NotRequired["str"],
        "icon": NotRequired["str | None"],
        "selectedThemeTemplateId": NotRequired["str | None"],
        "groups": NotRequired["list[Group]"],
        "events": NotRequired["list[FlowEvent]"],
        "edges": NotRequired["list[Edge]"],
        "variables": NotRequired["list[Variable]"],
        "theme": NotRequired["Theme"],
        "settings": NotRequired["Settings"],
        "folderId": NotRequired["str | None"],
        "resultsTablePreferences": NotRequired["ResultsTablePreferences | None"],
        "publicId": NotRequired["str | None"],
        "customDomain": NotRequired["str | None"],
        "isClosed": NotRequired["bool"],
        "messagingCredentialsId": NotRequired["str | None"],
        "riskLevel": NotRequired["float | None"],
        "$schema": NotRequired["Any"],
        "id": NotRequired["Any"],
        "createdAt": NotRequired["Any"],
        "workspaceId": NotRequired["Any"],
        "isArchived": NotRequired["Any"],
    },
)
"""A change to a bot in version 6. Absent properties stay as they are, given ones replace the whole property."""

BotChangeV61 = TypedDict(
    "BotChangeV61",
    {
        "name": NotRequired["str"],
        "icon": NotRequired["str | None"],
        "selectedThemeTemplateId": NotRequired["str | None"],
        "groups": NotRequired["list[Group]"],
        "events": NotRequired["list[FlowEvent]"],
        "edges": NotRequired["list[Edge]"],
        "variables": NotRequired["list[Variable]"],
        "theme": NotRequired["Theme"],
        "settings": NotRequired["Settings"],
        "folderId": NotRequired["str | None"],
        "resultsTablePreferences": NotRequired["ResultsTablePreferences | None"],
        "publicId": NotRequired["str | None"],
        "customDomain": NotRequired["str | None"],
        "isClosed": NotRequired["bool"],
        "messagingCredentialsId": NotRequired["str | None"],
        "riskLevel": NotRequired["float | None"],
        "$schema": NotRequired["Any"],
        "id": NotRequired["Any"],
        "createdAt": NotRequired["Any"],
        "workspaceId": NotRequired["Any"],
        "isArchived": NotRequired["Any"],
    },
)
"""A change to a bot in version 6.1. Absent properties stay as they are, given ones replace the whole property."""

Block: TypeAlias = StartBlock | TextBubble | ImageBubble | VideoBubble | EmbedBubble | AudioBubble | TextInput | NumberInput | EmailInput | UrlInput | PhoneNumberInput | DateInput | TimeInput | PaymentInput | RatingInput | FileInput | ChoiceInput | PictureChoiceInput | CardsInput | SetVariableBlock | RedirectBlock | CodeBlock | BotLinkBlock | WaitBlock | JumpBlock | ReturnBlock | ConditionBlock | AbTestBlock | WebhookListenerBlock | HandoffBlock | WaitUntilBlock | GoogleSheetsBlock | HttpRequestBlock | ZapierBlock | MakeComBlock | PabblyBlock | EmailBlock | ChatwootBlock | GoogleAnalyticsBlock | PixelBlock | ClassicOpenAiBlock | OpenAiBlock | AnthropicBlock | MistralBlock | GroqBlock | TogetherAiBlock | OpenRouterBlock | PerplexityBlock | DeepSeekBlock | DifyAiBlock | ChatNodeBlock | ElevenLabsBlock | CalComBlock | NocoDbBlock | SegmentBlock | PostHogBlock | QrCodeBlock | ZendeskBlock | BlinkBlock | GmailBlock | OpaqueBlock
"""A block of the flow in versions 6 and 6.1. The type decides its shape."""

Bot: TypeAlias = BotV3 | BotV4 | BotV5 | BotV6 | BotV61
"""A bot with its draft; the version decides about the schema of its flow."""

BotUpdate: TypeAlias = BotUpdateV3 | BotUpdateV4 | BotUpdateV5 | BotUpdateV6 | BotUpdateV61
"""A change to a bot. The version is required and decides about the shape: `6` and `6.1` are the current one, `3`, `4` and `5` the legacy one."""

BotUpdateCurrent: TypeAlias = BotUpdateV6 | BotUpdateV61
"""A change to a bot in a current version."""

BotUpdateLegacy: TypeAlias = BotUpdateV3 | BotUpdateV4 | BotUpdateV5
"""A change to a bot in a legacy version."""

ChatEvent: TypeAlias = ChatLookEvent | ChatMessageEvent | ChatActionEvent | ChatDeltaEvent | ChatAnswerEvent | ChatErrorEvent
"""Data of an event of a streamed chat, as JSON in one line."""

ChatTurn: TypeAlias = BotTurn | UserTurn | MemberTurn
"""A message in a chat."""

ChatwootEvent: TypeAlias = dict[str, Any]
"""An event as Chatwoot sends it to agent bots."""

ClientSideAction: TypeAlias = ScriptAction | SetVariableAction | ChatwootAction | ZendeskAction | CalendarAction | RedirectAction | WaitAction | HttpRequestAction | GoogleAnalyticsAction | PixelAction | StartPropertiesAction | ListenForWebhookAction
"""An action of the client."""

ComparisonOperator: TypeAlias = Literal["Equal to", "Not equal", "Contains", "Does not contain", "Greater than", "Greater or equal to", "Less than", "Less or equal to", "Is set", "Is empty", "Starts with", "Ends with", "Matches regex", "Does not match regex"]
"""Operator that compares two values. Order operators compare numbers, then dates, then lengths. Is set and Is empty ignore the right side."""

CredentialsCreate: TypeAlias = SmtpCredentialsCreate | GoogleSheetsCredentialsCreate | StripeCredentialsCreate | ChatwootCredentialsCreate | OpenAiCredentialsCreate | AnthropicCredentialsCreate | MistralCredentialsCreate | GroqCredentialsCreate | TogetherAiCredentialsCreate | OpenRouterCredentialsCreate | PerplexityCredentialsCreate | DeepSeekCredentialsCreate | DifyAiCredentialsCreate | ChatNodeCredentialsCreate | ElevenLabsCredentialsCreate | NocoDbCredentialsCreate | SegmentCredentialsCreate | PostHogCredentialsCreate | ZendeskCredentialsCreate | BlinkCredentialsCreate | GmailCredentialsCreate
"""New credentials; the type decides about their data."""

CredentialsUpdate: TypeAlias = SmtpCredentialsUpdate | GoogleSheetsCredentialsUpdate | StripeCredentialsUpdate | ChatwootCredentialsUpdate | OpenAiCredentialsUpdate | AnthropicCredentialsUpdate | MistralCredentialsUpdate | GroqCredentialsUpdate | TogetherAiCredentialsUpdate | OpenRouterCredentialsUpdate | PerplexityCredentialsUpdate | DeepSeekCredentialsUpdate | DifyAiCredentialsUpdate | ChatNodeCredentialsUpdate | ElevenLabsCredentialsUpdate | NocoDbCredentialsUpdate | SegmentCredentialsUpdate | PostHogCredentialsUpdate | ZendeskCredentialsUpdate | BlinkCredentialsUpdate | GmailCredentialsUpdate
"""A change of credentials. The type is the stored one; given data replace all stored data."""

DocumentVersion: TypeAlias = Literal["3", "4", "5", "6", "6.1"]
"""Version of the schema a flow is written in."""

EventType: TypeAlias = Literal["bot.created", "bot.updated", "bot.deleted", "bot.published", "bot.unpublished", "result.started", "result.answered", "result.completed", "chat.handoffRequested", "chat.taken", "chat.returned", "chat.messageReceived", "results.deleted"]
"""Type of an event. The list is open: later versions add types."""

ExportedBot: TypeAlias = ExportedBotV3 | ExportedBotV4 | ExportedBotV5 | ExportedBotV6 | ExportedBotV61
"""A bot as a document that import takes."""

FileVisibility: TypeAlias = Literal["Auto", "Public", "Private"]
"""Access to an uploaded file: Public for everybody with the address, Private for members only, Auto as the installation decides. Default Auto."""

FlowEvent: TypeAlias = StartEvent | CommandEvent | ReplyEvent | InvalidReplyEvent | IdleEvent | OpaqueEvent
"""An event that begins a branch of the flow. The type names its trigger."""

IssueCode: TypeAlias = str
"""Kind of the issue, for programs. The list is open: treat an unknown code as `custom`.

- `already_created`: a request with this idempotency key has created the record whose id `current` has; its response held a secret and cannot be repeated.
- `bot_closed`: the bot takes no new chats.
- `bound_token`: the token is bound to a workspace, and this is outside of it.
- `circular_move`: a folder would be inside itself.
- `concurrency_exceeded`: too many requests of the caller run at once.
- `conflict`: the record is in another state than the request expects; `current` has that state.
- `custom`: another rule of the contract is broken; the message says which.
- `daily_quota_exceeded`: the address, or the visitors of the bot together, reached the daily limit of storage.
- `disabled_user`: the user with this e-mail address is disabled.
- `disk_full`: the disk of the installation has too little room left for files.
- `expired`: the token has expired.
- `files_not_kept`: the installation stores no files.
- `in_progress`: a request with this idempotency key is still running.
- `incomplete`: the body ended early.
- `invalid_cursor`: the cursor was not made for this list and filter.
- `invalid_element`: an entry of a collection does not fit.
- `invalid_encoding`: the bytes are not UTF-8, or a percent escape is broken.
- `invalid_format`: the text does not have the required form.
- `invalid_json`: the body is not JSON.
- `invalid_key`: the name of a property cannot be stored.
- `invalid_number`: the number is too large to be stored exactly.
- `invalid_text`: the text has U+0000 or half of a surrogate pair in it.
- `invalid_type`: the value is missing, or of another type.
- `invalid_union`: the value fits none of the alternatives.
- `invalid_value`: the value is not one of those that are allowed.
- `last_admin`: the workspace would be left without an admin.
- `malformed`: the header or the request cannot be read.
- `missing`: a header that is needed was not sent.
- `missing_scope`: the token lacks a scope, which the message names.
- `no_encryption_key`: the installation has no key to encrypt credentials with; its operator has to set one.
- `no_role`: the caller has no role there that allows this, or there is no such record.
- `not_multiple_of`: the number is not one of the allowed steps.
- `not_published`: the bot is not published.
- `not_waiting`: the chat does not wait at this block.
- `origin_not_allowed`: the settings of the bot do not allow this origin, or only pages of the service may send this.
- `private_address`: the address is in a private network, or the installation allows no requests to it.
- `quota_exceeded`: the record would have more entries than it may.
- `rate_exceeded`: the caller sent too many requests in a window of time.
- `repeated`: a parameter was given more than once.
- `required`: the property is required together with another one.
- `reserved_host`: the host is one of the service, or above or below one; the domain of a bot needs another one.
- `result_deleted`: the result that this belongs to was deleted.
- `reused`: the idempotency key belongs to another request.
- `revoked`: the token was revoked.
- `role_too_low`: the role of the caller in the workspace does not allow this; the message names the one that does.
- `taken`: another record has this name.
- `too_big`: the value is longer or larger than allowed.
- `too_deep`: the body is nested too deeply.
- `too_large`: the body is over the limit of the operation.
- `too_many_files`: the chat has reached its limit of files or of their size.
- `too_many_keys`: an object has too many properties.
- `too_many_values`: the body has too many values.
- `too_small`: the value is shorter or smaller than allowed.
- `unexpected`: something was sent that this operation does not take.
- `unknown`: the token or the expectation is not known.
- `unknown_block`: the bot has no such block.
- `unknown_bot`: there is no such bot.
- `unknown_command`: the bot has no event for the command.
- `unknown_credentials`: there are no such credentials in the workspace.
- `unknown_delivery`: there is no such delivery.
- `unknown_device_code`: the code of the device was used, has expired, or never existed.
- `unknown_endpoint`: there is no such webhook endpoint in the workspace.
- `unknown_folder`: the folder does not exist in the workspace.
- `unknown_member`: the workspace has no such member.
- `unknown_method`: the path does not take this method; the message names those it takes.
- `unknown_public_id`: no published bot has this public id.
- `unknown_publication`: there is no such publication of the bot.
- `unknown_record`: there is no such record.
- `unknown_result`: there is no such result of the bot.
- `unknown_route`: there is no such path; the message names one that is near.
- `unknown_session`: there is no such chat session.
- `unknown_start`: the bot has no such group or event.
- `unknown_token`: the caller has no such token.
- `unknown_user`: no user has this e-mail address.
- `unknown_variable`: no bot of the chat has a variable of this name.
- `unknown_workspace`: the caller has no role in such a workspace.
- `unrecognized_keys`: the property or parameter is not known.
- `unsupported_media_type`: the body is not sent as the media type that the operation takes.
- `unsupported_version`: the bot is in a version that does not have this; update it to a newer one."""

LegacyBlock: TypeAlias = StartBlock | TextBubble | ImageBubble | VideoBubble | EmbedBubble | AudioBubble | TextInput | NumberInput | EmailInput | UrlInput | PhoneNumberInput | DateInput | TimeInput | PaymentInput | RatingInput | LegacyFileInput | LegacyChoiceInput | LegacyPictureChoiceInput | CardsInput | SetVariableBlock | RedirectBlock | CodeBlock | BotLinkBlock | WaitBlock | JumpBlock | ReturnBlock | LegacyConditionBlock | LegacyAbTestBlock | HandoffBlock | WaitUntilBlock | LegacyGoogleSheetsBlock | LegacyHttpRequestBlock | LegacyZapierBlock | LegacyMakeComBlock | LegacyPabblyBlock | EmailBlock | ChatwootBlock | GoogleAnalyticsBlock | PixelBlock | ClassicOpenAiBlock | OpaqueBlock
"""A block of the flow in versions 3, 4 and 5. The type decides its shape."""

LogicalOperator: TypeAlias = Literal["OR", "AND"]
"""Operator that joins comparisons: one must hold (OR) or all must hold (AND). Default AND."""

PlainMessage: TypeAlias = str
"""A plain text, short for a text message."""

StructuredMessage: TypeAlias = TextMessage | AudioMessage | CommandMessage
"""A message with its kind."""

Message: TypeAlias = PlainMessage | StructuredMessage
"""Message of the visitor: a plain text, or a message with its kind."""

MessageBubble: TypeAlias = TextMessageBubble | ImageMessageBubble | VideoMessageBubble | AudioMessageBubble | EmbedMessageBubble
"""A message of the bot."""

Publication: TypeAlias = PublicationV3 | PublicationV4 | PublicationV5 | PublicationV6 | PublicationV61
"""One copy of a bot that was published. It never changes."""

PublishedBot: TypeAlias = PublishedBotV3 | PublishedBotV4 | PublishedBotV5 | PublishedBotV6 | PublishedBotV61
"""The copy of a bot that chats run."""

SessionEvent: TypeAlias = SessionTurnEvent | SessionMessageEvent | SessionHandledEvent | SessionTypingEvent | SessionOverEvent
"""An event of a chat session."""

StartFrom: TypeAlias = StartFromGroup | StartFromEvent
"""Start position of a preview."""

TextContent: TypeAlias = RichTextContent | MarkdownContent
"""A text in the requested format."""

TokenScope: TypeAlias = Literal["read", "write", "results", "chat-admin"]
"""Scope of a token. `read`: everything that GET returns, except results and chats. `write`: create, change, delete, publish and preview. `results`: read, export and delete answers of visitors. `chat-admin`: steer the chats of others, as the call of a waiting webhook does. No scope includes another one."""

WebhookData: TypeAlias = dict[str, Any]
"""Any data, as the caller of the webhook sends it."""

BotChange: TypeAlias = BotChangeV3 | BotChangeV4 | BotChangeV5 | BotChangeV6 | BotChangeV61
"""Properties of a bot to write. Absent ones do not change."""

WebhookEvent: TypeAlias = BotCreatedEvent | BotUpdatedEvent | BotDeletedEvent | BotPublishedEvent | BotUnpublishedEvent | ResultStartedEvent | ResultAnsweredEvent | ResultCompletedEvent | ChatHandoffRequestedEvent | ChatTakenEvent | ChatReturnedEvent | ChatMessageReceivedEvent | ResultsDeletedEvent | EndpointTestEvent
"""An event that a webhook endpoint receives."""
