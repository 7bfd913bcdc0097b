import { HubError } from '@herma/contract/plain'
import pg from 'pg'
import { readErrorCode } from './sql-state.ts'

export const databaseUser = 'herma'
export const databaseName = 'herma'

/** `passing` = it starts or stops just now; `unreachable` = nobody listens on its socket. */
export type Greeting = 'ready' | 'passing' | 'unreachable'

/** Says hello to a server that calls itself ready, and creates our database when it is new. */
export async function greet(socketDirectory: string, port: number): Promise<Greeting> {
  const client = new pg.Client({ host: socketDirectory, port, user: databaseUser, database: 'postgres' })
  // A server that stops between two queries says so outside of any query.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const found = await client.query('select 1 from pg_database where datname = $1', [databaseName])
    if (found.rowCount === 0) await client.query(`create database ${databaseName}`)
    return 'ready'
  } catch (cause) {
    const code = readErrorCode(cause)
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'unreachable'
    if (isPassing(cause, code)) return 'passing'
    throw new HubError(
      'STORE_UNAVAILABLE',
      `The embedded store in ${socketDirectory} does not accept us: ${(cause as Error).message}. ` +
        'See postgres.log in the state home.',
      { cause },
    )
  } finally {
    await client.end()
  }
}

/** Whether a new connection gets an answer in time. One that only starts or recovers is no answer. */
export async function answers(socketDirectory: string, port: number, limitMs: number): Promise<boolean> {
  const client = new pg.Client({
    host: socketDirectory,
    port,
    user: databaseUser,
    database: databaseName,
    connectionTimeoutMillis: limitMs,
    query_timeout: limitMs,
    application_name: 'herma watch',
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    // Nobody waits for the goodbye of a server that may hang by now.
    void client.end().catch(() => undefined)
    return true
  } catch (error) {
    client.connection.stream.destroy()
    // Somebody is there and has no place for us.
    return readErrorCode(error) === '53300'
  }
}

// 57P0x: it starts, stops or crashed. 53300: full. 42P04, 23505: somebody else creates the database in this moment.
// https://www.postgresql.org/docs/18/errcodes-appendix.html
const passingCodes = new Set(['57P01', '57P02', '57P03', '53300', '42P04', '23505', 'ECONNRESET', 'EPIPE'])

function isPassing(cause: unknown, code: string | undefined): boolean {
  if (code !== undefined) return passingCodes.has(code)
  // pg has no code for a server that hangs up.
  return cause instanceof Error && cause.message.startsWith('Connection terminated')
}
