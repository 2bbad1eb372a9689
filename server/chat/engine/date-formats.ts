/** The formats that date and time inputs of a flow write their variables in. */

import { filledText } from '../../json/access.ts'
import type { FlowIndex } from './flow-index.ts'

const known = new WeakMap<FlowIndex, Map<unknown, string[]>>()

export function dateFormatsOf(flow: FlowIndex, variableId: string | undefined): string[] {
  const formats = known.get(flow) ?? readFormats(flow)
  known.set(flow, formats)
  return formats.get(variableId) ?? []
}

function readFormats(flow: FlowIndex): Map<unknown, string[]> {
  const formats = new Map<unknown, string[]>()
  for (const { blocks } of flow.groups.values()) {
    for (const { type, options } of blocks) {
      if (type !== 'date input' && type !== 'time input') continue
      const usual = type === 'time input' ? 'HH:mm' : usualDateFormat(options.hasTime)
      const format = filledText(options.format) ?? usual
      formats.set(options.variableId, [...(formats.get(options.variableId) ?? []), format])
    }
  }
  return formats
}

export function usualDateFormat(hasTime: unknown): string {
  return hasTime === true ? 'dd/MM/yyyy HH:mm' : 'dd/MM/yyyy'
}
