import { serverTransports, type CellKind } from '../cell.ts'
import type { Feature } from '../feature/feature.ts'
import { revisions, type Revision } from '../revision.ts'
import type { CellResult } from '../run-cell.ts'
import { countVerdicts, findHoles, type FeatureHole } from './summary.ts'

/** docs/compatibility.md: the same run gives the same text. */
export function renderDocument(results: readonly CellResult[], features: readonly Feature[]): string {
  const kinds = results.map(({ kind }) => kind)
  const holes = findHoles(results, features)
  const passed = results.reduce((all, result) => all + countVerdicts(result).passed, 0)
  const explained = results.reduce((all, result) => all + countVerdicts(result).explained, 0)
  return `${[
    '# What crosses, and what cannot',
    '',
    '<!-- Written by `npm run matrix -- --write`; do not edit. -->',
    '',
    `Any client reaches any server through Herma. The ${revisions.length ** 2} pairs of revisions over all of their transports are`,
    `${results.length} cells, and each of them ran ${features.length} features: ${passed} runs had exactly the right result, none failed. The other`,
    `${explained} are explained below: the revision of one of the two ends does not have the feature.`,
    '',
    '## Features that cross, by revision',
    '',
    ...pairTable(results, features.length),
    '',
    '## Features',
    '',
    ...featureTable(features, holes, kinds),
    '',
    ...notes,
  ].join('\n')}\n`
}

function pairTable(results: readonly CellResult[], total: number): string[] {
  const cell = (client: Revision, server: Revision) => {
    const counts = results
      .filter(({ kind }) => kind.client === client && kind.server === server)
      .map((result) => countVerdicts(result).passed)
    const [least, most] = [Math.min(...counts), Math.max(...counts)]
    return least === most ? String(most) : `${least}–${most}`
  }
  return [
    `Of ${total}; a range where transports differ.`,
    '',
    ...table(
      ['client ↓ server →', ...revisions],
      revisions.map((client) => [`**${client}**`, ...revisions.map((server) => cell(client, server))]),
    ),
  ]
}

function featureTable(
  features: readonly Feature[],
  holes: readonly FeatureHole[],
  kinds: readonly CellKind[],
): string[] {
  const rows = features.map((feature) => {
    const own = holes.filter((hole) => hole.feature === feature)
    if (own.length === 0) return [feature.title, 'everywhere', '', '']
    const where = describeCells(
      own.flatMap(({ cells }) => cells),
      kinds,
    )
    const why = own.map(({ hole }) => `[${hole.reason}](${hole.link})`).join('; ')
    return [feature.title, where, why, feature.instead ?? '']
  })
  return table(['feature', 'crosses', 'because', 'elsewhere'], rows)
}

/** Where a feature crosses, told from the cells where it does not. */
function describeCells(cells: readonly CellKind[], kinds: readonly CellKind[]): string {
  const missing = new Set(cells)
  const crossing = kinds.filter((kind) => !missing.has(kind))
  const clients = revisions.filter((revision) => crossing.some(({ client }) => client === revision))
  const servers = revisions.filter((revision) => crossing.some(({ server }) => server === revision))
  const transports = serverTransports.filter((name) => crossing.some(({ serverTransport }) => serverTransport === name))
  const described = kinds.filter(
    (kind) =>
      clients.includes(kind.client) && servers.includes(kind.server) && transports.includes(kind.serverTransport),
  )
  if (described.length !== crossing.length) throw new Error('Where a feature crosses needs other words than these.')
  const isLimited =
    described.length < kinds.filter((kind) => clients.includes(kind.client) && servers.includes(kind.server)).length
  return [
    ...(clients.length < revisions.length ? [`clients ${span(clients)}`] : []),
    ...(servers.length < revisions.length ? [`servers ${span(servers)}`] : []),
    ...(isLimited ? [`servers over ${transports.join(' or ')}`] : []),
  ].join(', ')
}

/** As in "from 2025-06-18". */
function span(some: readonly Revision[]): string {
  if (some.length === 1) return `of ${some[0]}`
  if (some.at(-1) === revisions.at(-1)) return `from ${some[0]}`
  return some[0] === revisions[0] ? `until ${some.at(-1)}` : `from ${some[0]} until ${some.at(-1)}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)]
}

const notes = [
  '## Transports',
  '',
  '| transport | clients | servers |',
  '| --- | --- | --- |',
  '| Streamable HTTP | all revisions | all revisions |',
  '| stdio | all revisions, through `herma stdio` | all revisions |',
  '| HTTP+SSE | 2024-11-05, off by default | until 2025-11-25 |',
  '',
  '- Streamable HTTP [came with 2025-03-26](https://modelcontextprotocol.io/specification/2025-03-26/changelog). 2024-11-05',
  '  over it is what SDKs negotiate with older peers, so it is run as well.',
  '- HTTP+SSE [belongs to 2024-11-05](https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse).',
  '  Later revisions let servers keep it for older clients;',
  '  [2026-07-28 has no stream that a GET opens](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#backward-compatibility),',
  '  so no server of that revision is behind it.',
  '',
  '## How it crosses between the eras',
  '',
  '| what | until 2025-11-25 | 2026-07-28 |',
  '| --- | --- | --- |',
  '| handshake | `initialize` | `server/discover`, `_meta` in every request |',
  '| sampling, elicitation, roots | a request of the server | `input_required`, then the call again with `inputResponses` |',
  '| resource updates | `resources/subscribe` | `subscriptions/listen` |',
  '| list changes | without asking | `subscriptions/listen` |',
  '| cancelling | `notifications/cancelled` | the closed stream; over stdio `notifications/cancelled` |',
  '| log level | `logging/setLevel` | `_meta` of the request |',
  '| missing resource | -32002 | -32602 |',
  '',
  '`notifications/roots/list_changed` ended with 2025-11-25. Until then it reaches servers with `isolation=connection` only: it',
  'does not say whose roots changed, and a server that several clients share asks each of them anyway.',
  '',
  'The cells are in `test/matrix`: a server and a client on the wire for each revision, and one file for each kind of feature.',
]
