/** The part of the flow that the panel shows. */
export type Selection =
  | { kind: 'group' | 'block' | 'edge' | 'event'; id: string }
  | { kind: 'variables' }
  | { kind: 'add'; groupId: string; index: number }
  | undefined
