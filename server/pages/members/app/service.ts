/** Address of the service, with a slash at the end: the scripts lie two folders below it. */
export const service = new URL('../../', import.meta.url)

const chatUrl = document.querySelector<HTMLMetaElement>('meta[name="chat-url"]')?.content

/** Address of the host that serves chats alone; that of the service where there is none. */
export const chatService = chatUrl === undefined ? service : new URL(`${chatUrl}/`)

/** True if members can connect accounts of Google by a consent page. */
export const hasGoogleConsent = document.querySelector('meta[name="google-consent"]') !== null
