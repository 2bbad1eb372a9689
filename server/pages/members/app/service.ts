/** Address of the service, with a slash at the end: the scripts lie two folders below it. */
export const service = new URL('../../', import.meta.url)
