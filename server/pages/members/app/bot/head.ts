/** The bot as its pages show it above the flow. */
export interface BotHead {
  id: string
  workspaceId: string
  name: string
  icon: string | null
  publicId: string | null
  folderId: string | null
  customDomain: string | null
  isClosed: boolean
  isPublished: boolean
  canWrite: boolean
}
