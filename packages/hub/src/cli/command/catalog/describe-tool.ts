import type { FieldView, ToolDetail } from '@herma/contract'

import { makeVisible } from '../../../catalog/pin/index.ts'
import { oneLine } from '../../clean-text.ts'
import { formatFields, formatTable } from '../../format-table.ts'
import type { Terminal } from '../../terminal.ts'
import { describeFindings } from './describe-findings.ts'
import { describeState } from './describe-state.ts'

/** Everything about one tool; of each field what its server says, what was put in its place, and what clients see. */
export function describeTool(tool: ToolDetail, terminal: Terminal): string {
  const { schema, findings } = tool
  const facts: [string, string][] = [
    ['Name', tool.name ?? '(clients do not see it)'],
    ['Server', tool.connector],
    ['Tool', oneLine(tool.originalName)],
    ['State', oneLine(describeState(tool))],
    ['Tags', tool.tags.join(', ')],
    ['Tokens', String(tool.tokens)],
    ['Schema', schema.state],
    ...tool.adaptations.map(({ kind, clients, changes }): [string, string] => [
      'Adapted',
      [
        `${reasons[kind]}: ${clients.length === 0 ? 'all clients' : clients.join(' ')}`,
        ...changes.map(describeChange),
      ].join('\n'),
    ]),
  ]
  // Tags stand above; a field of their own is only worth it when somebody chose them.
  const fields = tool.fields.filter(({ field, origin }) => field !== 'tags' || origin !== null)
  const table = formatTable(fields.flatMap(describeField), terminal.columns)
  return [
    formatFields(facts.filter(([, value]) => value !== '')),
    ...(table === '' ? [] : ['', table]),
    ...(findings.length === 0 ? [] : ['', describeFindings(findings, terminal)]),
  ].join('\n')
}

const reasons = {
  legal: 'no revision of MCP allows it as the server wrote it',
  output: 'the server was seen to answer something else',
  plain: 'made with a library that refuses the list otherwise',
  strict: 'take simple schemas only',
} as const

const describeChange = ({ path, what }: { path: string; what: string }) => oneLine(`${path}: ${what}`)

const stateWords = {
  kept: 'kept',
  conflicting: 'conflicting: the server has changed it since (to keep the override: herma catalog accept)',
  obsolete: 'obsolete: the server says the same now',
} as const

function describeField({ field, original, override, exposed, origin, state, base }: FieldView): string[][] {
  const rows: [string, unknown][] = [['original', original]]
  if (origin !== null) rows.push([`override in ${origin}`, override])
  if (toText(exposed) !== toText(original)) rows.push(['exposed', exposed])
  if (state !== null) rows.push(['state', stateWords[state]])
  if (state === 'conflicting') rows.push(['original then', base])
  const shown = rows.filter(([what, value]) => value !== null || (what === 'original' && rows.length > 1))
  return shown.map(([what, value], index) => [index === 0 ? field : '', what, toText(value)])
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return makeVisible(typeof value === 'string' ? value : JSON.stringify(value))
}
