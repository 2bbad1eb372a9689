/** Longest wait of a timer in seconds: a chat lives for 30 days at most. */
export const MAX_TIMER_SECONDS = 29 * 86_400

/**
 * Maximum sizes inside a bot document. They protect the service from exhaustion and are far above what editors
 * produce, so callers normally never reach them.
 */
export const limits = {
  groups: 5_000,
  blocksPerGroup: 500,
  itemsPerBlock: 1_000,
  edges: 20_000,
  variables: 5_000,
  events: 1_000,
  /** Every other list: comparisons, mappings, recipients and the like. */
  entries: 1_000,
  richTextLines: 10_000,
  id: 255,
  name: 255,
  phrase: 4_096,
  url: 2_048,
  headCode: 16_384,
  customCss: 65_536,
  /** Message bodies, code, prompts, and pictures, which may be data URLs. */
  prose: 262_144,
  coordinate: 10_000_000,
  pixels: 100_000,
} as const
