import { LRUCache } from 'lru-cache'
import { createMemoryBudget, type MemoryBudget } from './chat/engine/memory-budget.ts'
import type { Effects, Flow } from './chat/engine/types.ts'
import type { Config } from './config.ts'
import { outboundClient } from './outbound/client.ts'
import { mailHostFinder } from './outbound/hosts.ts'
import { type AskModel, modelClient } from './outbound/language-models.ts'
import { accountMailer, accountTester, openMailer } from './outbound/mail.ts'
import { findPermanentRejection } from './outbound/never-sent.ts'
import type { Sandbox } from './sandbox/index.ts'

/** Tools of chats besides the database; one set for the whole process. */
export interface ChatTools {
  evaluate: Effects['evaluate']
  httpRequest: Effects['httpRequest']
  sendEmail: Effects['sendEmail']
  sendEmailBy: ReturnType<typeof accountMailer>
  testMailAccount: ReturnType<typeof accountTester>
  askModel: AskModel
  /**
   * Returns why a request to an address would never leave; undefined if it might, as far as is known without a
   * lookup.
   */
  findPermanentRejection: (url: string) => string | undefined
  /** Room in memory for turns that wait for others. */
  memory: MemoryBudget
  /** Parsed flows by the id of their publication. Publications never change, so neither do entries. */
  flows: LRUCache<string, Flow>
}

/** Characters of the documents; parsed they take several times as many bytes. */
const MAX_CACHED_FLOW_CHARACTERS = 16 * 1024 * 1024

/** `warm` resolves when code of bots can be run without waiting for its threads to start. */
export function openChatTools(
  config: Config,
  sandbox: Sandbox,
): {
  tools: ChatTools
  warm: () => Promise<void>
  close: () => Promise<void>
} {
  const outbound = { allowedHosts: config.OUTBOUND_ALLOWED_HOSTS }
  return {
    tools: {
      evaluate: sandbox.evaluate,
      httpRequest: outboundClient(outbound),
      sendEmail: config.SMTP_URL ? openMailer({ url: config.SMTP_URL, from: config.SMTP_FROM }) : null,
      sendEmailBy: accountMailer(mailHostFinder(outbound)),
      testMailAccount: accountTester(mailHostFinder(outbound)),
      askModel: modelClient(outbound),
      findPermanentRejection: (url) => findPermanentRejection(url, outbound),
      memory: createMemoryBudget(),
      flows: new LRUCache({ maxSize: MAX_CACHED_FLOW_CHARACTERS }),
    },
    warm: sandbox.warm,
    close: sandbox.close,
  }
}
