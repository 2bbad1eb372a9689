/** Types of the credentials of the workspace, by their ids. */
export type KnownCredentials = ReadonlyMap<string, string>

/** What the service and the workspace of a bot have. */
export interface CheckedService {
  hasMail: boolean
  /** Whether files of visitors can be kept; absent where nobody knows. */
  hasFiles?: boolean
  /** Absent where nobody knows; then nothing is said of credentials. */
  credentials?: KnownCredentials
  /** Why this installation sends no request to an address; absent where nobody knows. */
  whyNeverSent?: (url: string) => string | undefined
}
