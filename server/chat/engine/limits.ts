/** Limits of one turn. Each limit that is hit adds an entry to the logs of the response. */
export interface Limits {
  /** Blocks run in one turn. A flow that goes round in circles ends here. */
  blocks: number
  /** Wall-clock time of one turn in milliseconds, waiting for other services included. */
  milliseconds: number
  /** The part of it in which the service itself works. */
  workMilliseconds: number
  /** CPU time that one piece of code may take, and all pieces of a turn together. */
  evaluationMilliseconds: number
  evaluationMillisecondsPerTurn: number
  /** Characters of one piece of code. Longer code is not run. */
  codeCharacters: number
  /**
   * Tokens of language models in one turn, as their vendors count them. Once reached, no further request is sent.
   */
  tokens: number
  /** Turns of timers without a message of the visitor between them. */
  timersInARow: number
  /** Requests, e-mails and calls of models in one turn. */
  outboundCalls: number
  /** Characters of one variable. A longer value is cut. */
  valueCharacters: number
  /** Characters of all variables of a bot. A value that would exceed it is not stored. */
  totalValueCharacters: number
  /** Characters of the response of one turn, and separately of the values it fills into texts. */
  outputCharacters: number
  /** Characters of a visitor's message. A longer one is cut. */
  messageCharacters: number
  /** Bots that are linked inside each other. A further link is skipped. */
  linkedBots: number
  /** Return points of a frame. The oldest is dropped. */
  returnPoints: number
}

export const defaultLimits: Limits = {
  blocks: 1_000,
  milliseconds: 120_000,
  workMilliseconds: 1_000,
  evaluationMilliseconds: 100,
  evaluationMillisecondsPerTurn: 1_000,
  codeCharacters: 100_000,
  tokens: 200_000,
  timersInARow: 200,
  outboundCalls: 20,
  valueCharacters: 262_144,
  totalValueCharacters: 1_000_000,
  outputCharacters: 2_000_000,
  messageCharacters: 262_144,
  linkedBots: 10,
  returnPoints: 20,
}
