import type { EventView } from '@herma/contract'

import { oneLine } from '../../clean-text.ts'

export const eventHeads = ['TIME', 'KIND', 'OUTCOME', 'MS', 'SERVER', 'CONNECTOR', 'WHAT', 'WHO', 'TRACE']

/** One event as cells of a table. */
export function describeEvent(event: EventView): string[] {
  return [
    event.at,
    event.kind,
    event.outcome ?? '-',
    event.ms === undefined ? '-' : formatMs(event.ms),
    event.server ?? '-',
    event.connector ?? '-',
    describeWhat(event),
    event.principal ?? '-',
    event.traceId ?? '-',
  ]
}

/** What was asked for, or what the event itself says. */
export function describeWhat({ method, target, data }: EventView): string {
  const asked = [method, target].filter((each) => each !== undefined).join(' ')
  const said = Object.keys(data).length === 0 ? '' : shorten(JSON.stringify(data))
  return oneLine([asked, said].filter((each) => each !== '').join(' ')) || '-'
}

export function formatMs(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : String(Math.round(ms))
}

const maxShown = 120

function shorten(text: string): string {
  return text.length <= maxShown ? text : `${text.slice(0, maxShown - 1)}…`
}
