import type { EventView, TraceFormat } from '@herma/contract'
import { toClaude } from './to-claude.ts'
import { toCodex } from './to-codex.ts'
import { toGemini } from './to-gemini.ts'
import { toHar } from './to-har.ts'
import { toOpenAiChat, toOpenAiResponses } from './to-openai.ts'
import { toOtlp } from './to-otlp.ts'

export interface ExportedFile {
  readonly name: string
  readonly type: string
  readonly text: string
}

interface Translator {
  readonly extension: string
  readonly type: string
  /** `version` is that of the hub. */
  translate(events: readonly EventView[], version: string): unknown
}

const json = { extension: 'json', type: 'application/json' }
const lines = { extension: 'jsonl', type: 'application/x-ndjson' }

/** Every form in which events leave the hub; the canonical one is `json`. A list becomes one line per entry. */
const translators: Record<TraceFormat, Translator> = {
  json: { ...json, translate: (events) => ({ events }) },
  codex: { ...lines, translate: toCodex },
  claude: { ...lines, translate: toClaude },
  gemini: { ...json, translate: toGemini },
  openai: { ...json, translate: toOpenAiChat },
  'openai-responses': { ...json, translate: toOpenAiResponses },
  otlp: { ...json, translate: toOtlp },
  har: { extension: 'har', type: 'application/json', translate: toHar },
}

export function exportEvents(
  events: readonly EventView[],
  { format, name, version }: { format: TraceFormat; name: string; version: string },
): ExportedFile {
  const { extension, type, translate } = translators[format]
  const value = translate(events, version)
  const text = Array.isArray(value)
    ? value.map((line) => `${JSON.stringify(line)}\n`).join('')
    : `${JSON.stringify(value, null, 2)}\n`
  return { name: `${name}.${format === 'json' || format === 'har' ? '' : `${format}.`}${extension}`, type, text }
}
