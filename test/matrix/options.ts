import { parseArgs } from 'node:util'
import { allCells, clientTransports, directCells, serverTransports, type CellKind } from './cell.ts'
import { features, type Feature } from './features.ts'
import { revisions } from './revision.ts'

export const usage = `Usage: npm run matrix -- [options]

Runs every client revision against every server revision through the hub, over every transport.

  --client REVISION            only clients of this revision; every option may be given several times
  --server REVISION            only servers of this revision
  --client-transport NAME      only clients over ${clientTransports.join(', ')}
  --server-transport NAME      only servers over ${serverTransports.join(', ')}
  --feature NAME               only this feature; --list names them
  --list                       prints the features and ends
  --direct                     without the hub: each client against a server of its own revision
  --write                      writes docs/compatibility.md instead of comparing it
  --help                       prints this and ends
`

export interface RunOptions {
  readonly cells: readonly CellKind[]
  readonly features: readonly Feature[]
  readonly isDirect: boolean
  /** Only a whole run can say anything about the document. */
  readonly isWhole: boolean
  readonly writes: boolean
  /** What to print instead of running. */
  readonly print: string | null
}

/** Reads the command line; throws an error with a next step on anything that it does not know. */
export function parseOptions(args: readonly string[]): RunOptions {
  const many = { type: 'string', multiple: true } as const
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      client: many,
      server: many,
      'client-transport': many,
      'server-transport': many,
      feature: many,
      list: flag,
      direct: flag,
      write: flag,
      help: flag,
    },
  })
  const clients = choose('--client', values.client, revisions)
  const servers = choose('--server', values.server, revisions)
  const clientSides = choose('--client-transport', values['client-transport'], clientTransports)
  const serverSides = choose('--server-transport', values['server-transport'], serverTransports)
  const names = choose(
    '--feature',
    values.feature,
    features.map(({ name }) => name),
  )
  const cells = (values.direct ? directCells() : allCells()).filter(
    (kind) =>
      clients.includes(kind.client) &&
      servers.includes(kind.server) &&
      clientSides.includes(kind.clientTransport) &&
      serverSides.includes(kind.serverTransport),
  )
  if (cells.length === 0) throw new Error('No cell of the matrix is like that. HTTP+SSE ends before 2026-07-28.')
  const isNarrow = [
    values.client,
    values.server,
    values['client-transport'],
    values['server-transport'],
    values.feature,
  ]
  const isWhole = !values.direct && isNarrow.every((value) => value === undefined)
  if (values.write && !isWhole) throw new Error('--write needs the whole matrix. Leave the other options away.')
  const list = () => `${features.map(({ name, title }) => `${name.padEnd(20)} ${title}`).join('\n')}\n`
  return {
    cells,
    features: features.filter(({ name }) => names.includes(name)),
    isDirect: values.direct,
    isWhole,
    writes: values.write,
    print: values.help ? usage : values.list ? list() : null,
  }
}

function choose<T extends string>(option: string, given: string[] | undefined, known: readonly T[]): readonly T[] {
  if (given === undefined) return known
  const unknown = given.find((value) => !(known as readonly string[]).includes(value))
  if (unknown !== undefined) throw new Error(`${option} does not know '${unknown}'. It takes: ${known.join(', ')}`)
  return given as T[]
}
