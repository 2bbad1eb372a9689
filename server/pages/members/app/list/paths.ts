/** The address of a list within the app. */
export function listPath(workspaceId: string, folderId?: string): string {
  return `bots?${new URLSearchParams({ workspace: workspaceId, ...(folderId ? { folder: folderId } : {}) })}`
}
