import { type FlowDocument, isAbsent, isRecord } from './document.ts'

/**
 * Version 6 to 6.1: other theme defaults.
 *
 * Both versions have the same shape. Properties that a theme omits have the defaults of the version, so the old
 * defaults are written down where the new ones differ, and the bot looks as before. "Absent" below is null as well.
 *
 * 1. A part of the chat that has no `border` took its roundness from `chat.roundness`, if that is set. It gets a
 *    `border` with that roundness, because a border that says anything ends this.
 * 2. Absent keys among these are written: the colours of the progress bar, the background colours of host bubbles,
 *    guest bubbles and buttons, the shadow of inputs, the border thickness of these four.
 * 3. An absent background becomes the white one. A background that is a colour without saying which becomes white;
 *    one that is an image or `None` stays.
 * 4. Inputs whose border has a thickness and no colour get a transparent one: version 6 has no colour there,
 *    version 6.1 has grey.
 *
 * Everything else stays, and the version becomes 6.1.
 */
export function from6To61(document: FlowDocument): FlowDocument {
  return { ...document, version: '6.1', theme: withOldDefaults(document.theme) }
}

const PARTS = ['container', 'hostBubbles', 'guestBubbles', 'buttons', 'inputs']

const ROUNDNESS = new Set<unknown>(['none', 'medium', 'large'])

const WHITE = '#FFFFFF'

/** Rule 2. */
const OLD_DEFAULTS = {
  general: {
    progressBar: { color: '#e0edff', backgroundColor: '#f1f1f1' },
  },
  chat: {
    hostBubbles: { backgroundColor: '#F7F8FF', border: { thickness: 0 } },
    guestBubbles: { backgroundColor: '#FF8E21', border: { thickness: 0 } },
    buttons: { backgroundColor: '#0042DA', border: { thickness: 0 } },
    inputs: { shadow: 'md', border: { thickness: 0 } },
  },
}

interface Defaults {
  [key: string]: string | number | Defaults
}

function withOldDefaults(theme: unknown): unknown {
  const rounded = fill(theme, roundnessOf(theme))
  const coloured = fill(rounded, { general: { background: backgroundOf(theme) } })
  return fill(fill(coloured, OLD_DEFAULTS), borderColourOf(theme))
}

/** Rule 1: the missing values. */
function roundnessOf(theme: unknown): Defaults {
  const roundeness = at(theme, 'chat', 'roundness')
  if (typeof roundeness !== 'string' || !ROUNDNESS.has(roundeness)) return {}
  const parts = PARTS.filter((part) => isAbsent(at(theme, 'chat', part, 'border')))
  return { chat: Object.fromEntries(parts.map((part) => [part, { border: { roundeness } }])) }
}

/** Rule 3: the missing values. */
function backgroundOf(theme: unknown): Defaults {
  const background = at(theme, 'general', 'background')
  if (isAbsent(background)) return { type: 'Color', content: WHITE }
  const type = at(background, 'type') ?? 'Color'
  return type === 'Color' ? { content: WHITE } : {}
}

/** Rule 4: the missing values. */
function borderColourOf(theme: unknown): Defaults {
  const thickness = at(theme, 'chat', 'inputs', 'border', 'thickness')
  return typeof thickness === 'number' && thickness > 0
    ? { chat: { inputs: { border: { color: 'transparent' } } } }
    : {}
}

function at(value: unknown, ...keys: string[]): unknown {
  return keys.reduce((inner, key) => (isRecord(inner) ? inner[key] : undefined), value)
}

/** The value with the defaults of its missing keys; the very same value if none is missing. */
function fill(value: unknown, defaults: Defaults): unknown {
  if (!isAbsent(value) && !isRecord(value)) return value
  const present = value ?? {}
  const missing: Record<string, unknown> = {}
  for (const [key, standard] of Object.entries(defaults)) {
    const before = present[key]
    const after = typeof standard === 'object' ? fill(before, standard) : (before ?? standard)
    if (after !== before) missing[key] = after
  }
  return isRecord(value) && Object.keys(missing).length === 0 ? value : { ...present, ...missing }
}
