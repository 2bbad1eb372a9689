declare module '@usebruno/converters' {
  /** It has no types of its own. */
  export function openApiToBruno(document: unknown): { name: string; items: [] }
}
