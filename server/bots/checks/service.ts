/** Types of the credentials of the workspace, by their ids. */
export type KnownCredentials = ReadonlyMap<string, string>

/** Features of the service and the workspace of a bot. */
export interface CheckedService {
  hasMail: boolean
  /** True if files of visitors can be stored; absent if unknown. */
  hasFiles?: boolean
  /** Absent if unknown; then credentials are not checked. */
  credentials?: KnownCredentials
  /** True if the bot is served where trackers and code of authors run; absent if unknown. */
  hasChatHost?: boolean
  /** Returns why this installation never sends a request to an address; absent if unknown. */
  findPermanentRejection?: (url: string) => string | undefined
}
