import type { Cell, CellKind } from './cell.ts'
import type { RawClient } from './client/matrix-client.ts'
import { answersOf } from './feature/answers.ts'
import { findHole, type Feature, type Hole } from './feature/feature.ts'
import type { MatrixServer } from './server/start-servers.ts'
import type { Json } from './wire-message.ts'

export type Outcome =
  | { readonly verdict: 'passes' }
  | { readonly verdict: 'explained'; readonly hole: Hole }
  | { readonly verdict: 'FAILS'; readonly reason: string }

export interface CellResult {
  readonly kind: CellKind
  readonly outcomes: ReadonlyMap<string, Outcome>
}

export interface CellOptions {
  readonly kind: CellKind
  readonly server: MatrixServer
  /** A connected client of the cell's kind. */
  open(name: string, capabilities?: Json): Promise<RawClient>
  readonly features: readonly Feature[]
  /** In front of the server's names, as the client sees them. */
  readonly prefix: string
  /** After this long a feature has failed. */
  readonly limitMs: number
}

let lastKey = 0

/** Runs every feature of one cell, one after another. */
export async function runCell(options: CellOptions): Promise<CellResult> {
  const outcomes = new Map<string, Outcome>()
  let client: RawClient | null = null
  try {
    for (const feature of options.features) {
      try {
        client ??= await withLimit(options.limitMs, () => options.open('ada'))
      } catch (error) {
        outcomes.set(feature.name, { verdict: 'FAILS', reason: `could not connect: ${messageOf(error)}` })
        continue
      }
      const outcome = await runFeature(feature, client, options)
      outcomes.set(feature.name, outcome)
      if (outcome.verdict !== 'FAILS') continue
      // What a failure left behind must not spoil the next feature.
      await client.close().catch(() => {})
      client = null
    }
  } finally {
    await client?.close().catch(() => {
      // A client that cannot say goodbye is gone as well.
    })
  }
  return { kind: options.kind, outcomes }
}

async function runFeature(feature: Feature, client: RawClient, options: CellOptions): Promise<Outcome> {
  const { kind, server, prefix, limitMs } = options
  const hole = findHole(feature, kind)
  const run = hole === null ? feature.run : feature.otherwise
  const others: RawClient[] = []
  client.forget()
  client.answerWith(answersOf(client.name))
  const limit = new AbortController()
  const cell: Cell = {
    kind,
    client,
    server,
    signal: limit.signal,
    key: `${feature.name}-${++lastKey}`,
    exposed: (name) => prefix + name,
    uri: (path) => `matrix://${server.name}/${path}`,
    call: (tool, args = {}, requestOptions = {}) =>
      client.request('tools/call', { name: prefix + tool, arguments: args }, requestOptions),
    async open(name, capabilities) {
      const other = await options.open(name, capabilities)
      others.push(other)
      other.answerWith(answersOf(name))
      return other
    },
  }
  try {
    await withLimit(limitMs, () => run?.call(feature, cell) ?? Promise.resolve(), limit)
    return hole === null ? { verdict: 'passes' } : { verdict: 'explained', hole }
  } catch (error) {
    return { verdict: 'FAILS', reason: `${hole === null ? '' : 'instead: '}${messageOf(error)}` }
  } finally {
    await Promise.allSettled(others.map((other) => other.close()))
  }
}

async function withLimit<T>(limitMs: number, run: () => Promise<T>, limit = new AbortController()): Promise<T> {
  const late = new Error(`did not finish within ${limitMs} ms`)
  const timer = setTimeout(() => limit.abort(late), limitMs)
  try {
    const overdue = new Promise<never>((_resolve, reject) => {
      limit.signal.addEventListener('abort', () => reject(limit.signal.reason as Error), { once: true })
    })
    return await Promise.race([run(), overdue])
  } finally {
    clearTimeout(timer)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
