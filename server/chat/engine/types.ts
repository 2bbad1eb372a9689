/**
 * Types of the engine.
 *
 * The engine knows neither the database nor HTTP. A caller loads a flow and a session state, calls `startFlow` or
 * `continueFlow`, and writes the outcome in one transaction. Everything that is not a pure function of these values
 * comes in through `Effects`.
 */

import type { Readable } from 'node:stream'
import type { components } from '../../../generated/openapi.ts'
import type { JsonObject } from '../../json/access.ts'
import type { OutboundRequest, OutboundResponse } from '../../outbound/client.ts'
import type { Mail } from '../../outbound/mail.ts'
import type { ModelRequest, ModelResponse } from '../../outbound/model-types.ts'
import type { EvaluateOutcome, EvaluateRequest } from '../../sandbox/types.ts'
import type { FoundUpload, Upload } from '../../uploads/uploads.ts'
import type { Limits } from './limits.ts'
import type { TurnMemory } from './memory-budget.ts'
import type { OpenPayment } from './payments/open-payment.ts'

/** Value of a variable. `null` is "no value". */
export type VariableValue = string | (string | null)[] | null

/** A bot document of the current version, parsed from JSON and not trusted: readers treat odd parts as absent. */
export interface Flow {
  /** Id of the bot that the document belongs to. */
  id: string
  version?: unknown
  name?: unknown
  groups?: unknown
  events?: unknown
  edges?: unknown
  variables?: unknown
  theme?: unknown
  settings?: unknown
}

interface LinkedFlow {
  flow: Flow
  /** Any text with which `Effects.loadFlow` finds the same document again in a later turn. */
  flowId: string
}

export type Message =
  | string
  | { type: 'text'; text: string; attachedFileUrls?: string[]; metadata?: { replyId?: string } }
  | { type: 'audio'; url: string }
  | { type: 'command'; command: string }
  /**
   * The call of a waiting `webhook` block: `{"data": ...}`. The contract has no such message, so no visitor can send
   * it.
   */
  | { type: 'webhook'; body: string }
  /** The timer of the chat is due. No visitor can send it either. */
  | { type: 'timer' }

export type TextFormat = 'richText' | 'markdown'

type Evaluate = (request: EvaluateRequest) => Promise<EvaluateOutcome>

/** An event for a client that streams a turn; the response of the turn contains all of it again. */
export type StreamEvent =
  | ({ type: 'look' } & BotAppearance)
  | { type: 'message'; message: Bubble }
  | { type: 'action'; action: ClientSideAction }
  /** More of the text that the bubble of the block `id` is going to show. */
  | { type: 'delta'; id: string; text: string }

/** Files that the visitor uploaded for the chat. */
interface Uploads {
  /** Bytes of a file, where the input does not say so itself. */
  maximumSize: number
  /** Those among some addresses, by these. */
  find(addresses: string[]): Promise<Map<string, FoundUpload>>
  /** The bytes of one of them; undefined where they are deleted. */
  read(upload: Upload): Promise<Readable | undefined>
  /** Stores a file that the service made, for a bot and its result. A text says why it could not. */
  store(
    file: { name: string; mediaType: string; bytes: Uint8Array },
    owner: { botId: string; resultId: string | null },
  ): Promise<{ upload: Upload; address: string } | string>
}

/** Everything a turn may do to the world, and everything it may learn from it. */
export interface Effects {
  now(): Date
  /** A number from 0 up to, but not including, 1. */
  random(): number
  newId(): string
  /** The path of an A/B test, where it is not left to chance. */
  pathOf?: (blockId: string) => 'a' | 'b' | undefined
  /** Learns which blocks run and which edges are taken. */
  visit?: (visited: { botId: string; blockId: string } | { botId: string; edgeId: string }) => void
  /** True if variables of the outcome include session variables, since the outcome is not stored. */
  showsSessionVariables?: boolean
  /**
   * Waits until the thread may continue a turn that has worked for a while. Without it, the turn continues in the
   * next round of the event loop.
   */
  yieldToOthers?: () => Promise<void>
  /**
   * Waits for a request that turns share, without a slot among the requests. Does nothing where another request runs the
   * turn. Absent where nothing is really sent.
   */
  shareRequest?: (work: () => Promise<void>) => Promise<void>
  /** True while this request runs the turn and may send. Absent if no other request can run it. */
  canCallOut?: () => Promise<boolean>
  /**
   * Reserves room for a row of a sheet in the queue. Returns the reason where there is none. Absent in a preview, which
   * has no queue.
   */
  reserveSheetRow?: (bytes: number) => Promise<string | undefined>
  /** Memory for the turn while it waits for others. Without it, memory is unlimited. */
  memory?: TurnMemory
  evaluate: Evaluate
  /** The one outbound client. It resolves with a failure instead of rejecting. */
  httpRequest(request: OutboundRequest): Promise<OutboundResponse>
  /**
   * Data of credentials of the bot's workspace, of that type; `null` where there are none. Rejects when they cannot be
   * decrypted.
   */
  findCredentials(id: string, type: string): Promise<JsonObject | null>
  /** It resolves with a failure instead of rejecting. */
  askModel(request: ModelRequest): Promise<ModelResponse>
  /**
   * The session, as the vendor of a payment knows it, the page that visitors come back to from there, and the page with
   * the form of the vendor, on hosts that serve chats alone.
   */
  checkout: { sessionId: string; returnUrl: string; formUrl?: string }
  /** Streams output to the client before the turn is written. */
  emit?: ((event: StreamEvent) => void) | undefined
  /** Sends by an account of the workspace. Rejects if its mail server rejects the mail, or takes longer than that. */
  sendEmailBy(account: JsonObject, mail: Mail, milliseconds: number): Promise<void>
  /**
   * `null` while the service has no mail server. Rejects if the mail server rejects the mail, or takes longer than
   * that.
   */
  sendEmail: ((mail: Mail, milliseconds: number) => Promise<void>) | null
  /** `null` while the service has no place for files. */
  uploads: Uploads | null
  /**
   * The flow a bot link leads to: the published copy in a live chat, the draft in a preview. `null` when it does not
   * exist, is not published, or belongs to another workspace.
   */
  findLinkedFlow(botId: string): Promise<LinkedFlow | null>
  /** The flow that an earlier `findLinkedFlow` of the same session gave. */
  loadFlow(flowId: string): Promise<Flow | null>
  /** Answers of that result from before this turn, oldest first. Read only for blocks that send them on. */
  earlierAnswers(resultId: string): Promise<Answer[]>
  /** The conversation from before this turn, oldest first. Only `Set variable` of type `Transcript` reads it. */
  earlierTranscript(): Promise<TranscriptEntry[]>
}

/** A row of a sheet that a turn could not write. */
export interface SheetRow {
  id: string
  kind: 'insert' | 'update'
  blockId: string
  credentialsId: string
  spreadsheetId: string
  sheetId: string
  cells: { column: string; value: string }[]
  /** Options of an update that find its rows. */
  filter: JsonObject | null
  /** True if a request with it has no response: it may have been written. */
  isSent: boolean
}

export interface TurnOptions {
  textBubbleContentFormat?: TextFormat
  limits?: Partial<Limits>
  /** True if the turn runs without the visitor, as a timer does. */
  isWithoutVisitor?: boolean
}

export interface StartOptions extends TurnOptions {
  /** The result that the answers go to, or `null` in a preview, which stores nothing. */
  resultId: string | null
  message?: Message | null
  /** By variable name. Unknown names are ignored, `null` empties. */
  prefilledVariables?: JsonObject
  /** Variables of a remembered user's earlier visit, as an outcome gave them. */
  rememberedVariables?: ResultVariable[]
  isStreamEnabled?: boolean
  /** True if the chat goes through another service. */
  isBridged?: boolean
  /** Creates the session without running the flow. The first `continueChat` runs it. */
  isOnlyRegistering?: boolean
  startFrom?: { type: 'group'; groupId: string } | { type: 'event'; eventId: string }
  /** Value of the request header, from which `Device type` is read. */
  userAgent?: string
  /** Value of the request header, for the sentences of the service. */
  acceptLanguage?: string
  /** Shows the progress whatever the theme says. */
  isProgressBarEnabled?: boolean
}

/** A position in a flow. Without `blockId` it is the beginning of the group. */
export interface Position {
  groupId: string
  blockId?: string
}

/**
 * Target when a branch ends (`isAutomatic`) or when a `Return` block runs: run that block again (an input is shown
 * again), go on after it, or process the reply that it got before the branch was taken.
 */
export type ReturnPoint =
  | { kind: 'again' | 'after'; isAutomatic: boolean; position: Position }
  | { kind: 'answer'; isAutomatic: boolean; position: Position; message: Message | null }

/** One bot in a session: the started one, and on top of it those entered through bot links. */
export interface Frame {
  botId: string
  /** See `LinkedFlow`; `null` for the bot that the session was started with. */
  flowId: string | null
  /** Pairs, not an object: variable ids are free text, `__proto__` included. */
  values: [variableId: string, value: VariableValue][]
  returns: ReturnPoint[]
  /** The result that the answers given in this frame go to; `null` in a preview. */
  resultId: string | null
  /** Answers given in this frame and in the merged ones above it. */
  answerCount: number
  /** A merged frame gives its answers and variables to the frame below. */
  isMerged: boolean
  /** The bot link block in the frame below, after which that one goes on. */
  linkPosition: Position | null
  /** Variables of ended merged bots that this bot has no variable of that name for. */
  merged: ResultVariable[]
}

/** The whole state of a session between two requests. JSON; it refers to flows and never contains them. */
export interface SessionState {
  format: 1
  resultId: string | null
  userId: string
  device: Device
  isProgressBarEnabled: boolean
  /** True if the client wants to see bubbles while a turn runs. */
  isStreamEnabled?: boolean
  /** True if the chat goes through another service, see `chat/sessions/bridged.ts`. */
  isBridged?: boolean
  /** The language of the visitor that the service has, unless it is English. */
  language?: string
  /** The format of texts that the client last requested, unless it is rich text. */
  textFormat?: 'markdown'
  /** First the bot that the session was started with, last the one that is running. Never empty. */
  frames: Frame[]
  /** The block of the last frame that waits for a reply. `null` while the session is only registered. */
  waiting: Position | null
  /** Start of the flow once a registered session is continued. */
  startFrom?: StartOptions['startFrom'] | BehindBlock
  /** The timer that was set for the position where the chat waits. */
  timer?: { id: string; kind: TimerKind; afterMs?: number }
  /** Number of turns of timers since the visitor's last message. */
  turnsWithoutVisitor?: number
  /** The input at which the visitor has not answered, and the number of times that the branch for that has run. */
  idle?: Position & { times: number }
  /** The last payment that was requested, until it is made. */
  payment?: OpenPayment
  /** Number of requested payments. */
  paymentCount?: number
  /** State that only a preview carries itself, since it has no result. */
  preview?: { answers: Answer[]; transcript: TranscriptEntry[] }
}

/** The chat goes on behind this block of the running bot. */
interface BehindBlock {
  type: 'behind'
  position: Position
}

type TimerKind = 'idle' | 'wait' | 'handoff'

/** A timer to set: so many milliseconds after the turn is written, or at a time. */
export interface TimerToSet {
  id: string
  kind: TimerKind
  afterMs?: number
  at?: string
}

export type Device = 'desktop' | 'tablet' | 'mobile'

type Schemas = components['schemas']

/** Types of values for the client are those of the contract. */
export type VisitorEntry = Schemas['UserTurn']
export type Bubble = Schemas['MessageBubble']

/** An input block as the client shows it: placeholders filled in, hidden items left out. */
export type InputToShow = Schemas['ChatInput']

/** Code for the client. Each argument is the value of the parameter with that name. */
export type Script = Schemas['ClientScript']

export type ClientSideAction = Schemas['ClientSideAction']

export type StartProps = Schemas['StartProperties']

export type DynamicTheme = Schemas['DynamicTheme']

export type LogEntry = Schemas['ChatLog'] & {
  status: 'error' | 'success' | 'info'
  /** Stored with the result, and shown in previews, but hidden from the visitor of a live chat. */
  isInternal: boolean
}

export interface Answer {
  blockId: string
  /** The bot of the block where its result is that of another bot, into which it is merged. */
  botId?: string
  content: string
  attachedFileUrls?: string[]
}

export interface ResultVariable {
  id: string
  name: string
  value: Exclude<VariableValue, null>
  isSessionVariable?: boolean
}

export interface TranscriptEntry {
  role: 'bot' | 'user' | 'member'
  type: 'text' | 'image' | 'video' | 'audio'
  text?: string
  image?: string
  video?: string
  audio?: string
}

/** Data of a bot that was linked without merging: a result of its own. */
export interface LinkedResult {
  resultId: string
  botId: string
  /** True if this turn creates the result. A result that was deleted since is not created again. */
  isNew: boolean
  /** New answers of this turn. */
  answers: Answer[]
  /** All of them, replacing the stored ones. */
  variables: ResultVariable[]
  hasStarted: boolean
  isCompleted: boolean
}

export interface TurnOutcome {
  rejection?: undefined
  /** State for the next turn. `null`: the chat is over. */
  state: SessionState | null
  messages: Bubble[]
  input?: InputToShow
  clientSideActions?: ClientSideAction[]
  logs: LogEntry[]
  dynamicTheme?: DynamicTheme
  /** 0 to 100, only with the progress bar on. */
  progress?: number
  /** The message as the input understood it, if that differs from the text that was sent. */
  lastMessageNewFormat?: string
  /** Absent while the bot handles the chat. */
  handledBy?: 'waiting' | 'member'
  /** True if this turn hands the chat to the members. */
  isHandedOff?: true
  /** The timer of the chat from this turn on. */
  timer?: TimerToSet
  /** New answers of this turn, to append to the result. */
  answers: Answer[]
  /** All variables of the result, replacing the stored ones. */
  variables: ResultVariable[]
  /** New lines of the conversation, to append. */
  transcript: TranscriptEntry[]
  /** Messages of the visitor in this turn, as a client shows them. */
  said: VisitorEntry[]
  /** Both only ever go from false to true in a result. */
  hasStarted: boolean
  isCompleted: boolean
  linkedResults: LinkedResult[]
  /** Files of answers, which stay as long as the result. */
  uploads: Upload[]
  /** Rows of sheets to write later. */
  sheetRows: SheetRow[]
  /** True if requests, e-mails or calls of models went out, which must not be repeated. */
  hasCalledOut: boolean
}

/** The request cannot be served. Nothing happened and nothing is to be stored. */
export interface TurnRejection {
  rejection: { code: 'UNKNOWN_COMMAND' | 'UNKNOWN_START' | 'NOT_WAITING'; message: string }
}

export type TurnResult = TurnOutcome | TurnRejection

/** Theme and settings of the bot in the response that starts a chat, with placeholders filled in. */
export type BotAppearance = Pick<Schemas['ChatBot'], 'theme' | 'settings'>

export type StartResult = (TurnOutcome & { bot: BotAppearance }) | TurnRejection
