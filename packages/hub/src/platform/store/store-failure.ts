import { HubError } from '@herma/contract'
import { readErrorCode, readRootMessage } from '../postgres/sql-state.ts'

/**
 * What is wrong with the store when a query failed for want of it; null when the query or its data are to blame, or when
 * it was no query at all. https://www.postgresql.org/docs/18/errcodes-appendix.html
 */
export function storeFailure(error: unknown): HubError | null {
  if (!isOfStore(error)) return null
  return new HubError('STORE_UNAVAILABLE', describeStoreFailure(error), { cause: error })
}

/** The cause with the next step, in one sentence each. */
export function describeStoreFailure(error: unknown): string {
  const code = readErrorCode(error) ?? ''
  const step =
    steps.find(({ codes }) => codes.test(code))?.step ?? 'Once PostgreSQL answers again, the hub goes on by itself.'
  return `The store cannot be used: ${oneSentence(readRootMessage(error))} ${step}`
}

const steps = [
  { codes: /^(53100|58030|ENOSPC)$/, step: 'Its disk is full or broken: free some space there.' },
  { codes: /^25006$/, step: 'It only reads: DATABASE_URL has to lead to a server that may be written.' },
  { codes: /^53300$/, step: 'Its connections are used up: raise max_connections, or stop what else uses it.' },
]

// Classes 08, 53, 57P and 58 are about the server, 25006 says that it only reads.
const ofServer = /^(08[0-9A-Z]{3}|53[0-9A-Z]{3}|57P0[1-5]|58[0-9A-Z]{3}|25006)$/
const ofSocket = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'])

const lost = new WeakSet<Error>()

/** Remembers that an error is one of a connection to the store, which its code does not tell. */
export function markLost<Failure extends Error | null | undefined>(error: Failure): Failure {
  if (error instanceof Error) lost.add(error)
  return error
}

function isOfStore(error: unknown): boolean {
  if (chainOf(error).some((each) => lost.has(each))) return true
  const code = readErrorCode(error)
  if (code !== undefined && ofServer.test(code)) return true
  const messages = chainOf(error).map(({ message }) => message)
  // What pg and its pool say has no code.
  if (messages.some((message) => /^Connection terminated|^timeout exceeded when trying to connect/.test(message)))
    return true
  // A socket may be of anything; a query stands in front of one of the store.
  const isQuery = messages.some((message) => message.startsWith('Failed query:'))
  return isQuery && code !== undefined && ofSocket.has(code)
}

function chainOf(error: unknown): Error[] {
  const chain: Error[] = []
  for (let current = error; current instanceof Error && chain.length < 5; current = current.cause) chain.push(current)
  return chain
}

function oneSentence(text: string): string {
  const line = text.split('\n', 1)[0]!.trim() || 'it does not answer'
  return /[.!?]$/.test(line) ? line : `${line}.`
}
