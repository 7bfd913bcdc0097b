import type { CellKind } from './cell.ts'
import type { RawClient } from './client/matrix-client.ts'
import { allCapabilities, openClient, type Endpoint } from './client/open-client.ts'
import type { Feature } from './feature/feature.ts'
import { features as allFeatures } from './features.ts'
import { runCell, type CellResult } from './run-cell.ts'
import { serverOf, type Stage } from './stage.ts'
import type { Json } from './wire-message.ts'

export interface MatrixOptions {
  readonly cells: readonly CellKind[]
  readonly features?: readonly Feature[]
  readonly limitMs?: number
  /** Other clients than our own. */
  openClient?(kind: CellKind, endpoint: Endpoint, client: { name: string; capabilities: Json }): Promise<RawClient>
  onCell?(result: CellResult): void
}

/** How many servers are busy at once; much of a cell is waiting. */
const width = 4
const defaultLimitMs = 10_000

/** Runs cells on a stage. Those of one server run one after another. Results come in the order of the cells. */
export async function runMatrix(stage: Stage, options: MatrixOptions): Promise<CellResult[]> {
  const { cells, features = allFeatures, limitMs = defaultLimitMs } = options
  const results = new Map<CellKind, CellResult>()
  const queues = stage.servers.map((server) => ({
    server,
    kinds: cells.filter((kind) => serverOf(stage.servers, kind) === server),
  }))
  const work = async () => {
    for (let queue = queues.shift(); queue !== undefined; queue = queues.shift()) {
      const { server, kinds } = queue
      for (const kind of kinds) {
        const open = (name: string, capabilities: Json = allCapabilities(kind.client)) => {
          const endpoint = stage.endpoint(kind)
          return options.openClient === undefined
            ? openClient({ name, capabilities, revision: kind.client, endpoint })
            : options.openClient(kind, endpoint, { name, capabilities })
        }
        const result = await runCell({ kind, server, open, features, prefix: stage.prefix(server), limitMs })
        results.set(kind, result)
        options.onCell?.(result)
      }
    }
  }
  await Promise.all(Array.from({ length: width }, work))
  return cells.flatMap((kind) => results.get(kind) ?? [])
}
