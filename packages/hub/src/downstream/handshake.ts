import { HubError } from '@herma/contract'
import {
  eraOf,
  isLegacyRevision,
  isObject,
  legacyRevisions,
  metaKeys,
  modernRevision,
  type Era,
  type Params,
} from '../wire/index.ts'
import { AnsweredError, hubInfo } from './request-call.ts'

/** What a server said of itself. */
export interface Handshake {
  readonly era: Era
  readonly revision: string
  readonly capabilities: Record<string, unknown>
  readonly serverInfo: Record<string, unknown> | null
  readonly instructions: string | null
  /** The whole result, as it came. */
  readonly result: unknown
}

export interface HandshakeOptions {
  readonly name: string
  readonly wanted: 'auto' | Era
  /** What an earlier probe found, when that is recent; saves the probe of a legacy server. */
  readonly knownEra: Era | null
  readonly capabilities: Record<string, unknown>
  readonly timeoutMs: number
  request(era: Era, method: string, params: Params, timeoutMs: number): Promise<unknown>
  /** True when the server is gone, so that no second question can reach it. */
  isClosed(): boolean
  /** Sends `notifications/initialized`; a promise resolves when it cannot be overtaken any more. */
  initialized(revision: string): void | Promise<void>
}

/**
 * Finds the era of a server: `server/discover` first, and `initialize` on anything that is not a modern answer, as
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning asks.
 */
export async function shakeHands(options: HandshakeOptions): Promise<Handshake> {
  if (options.wanted === 'legacy') return initialize(options)
  if (options.wanted === 'modern') return discover(options)
  if (options.knownEra === 'legacy') {
    return initialize(options).catch((error: unknown) => {
      if (!(error instanceof AnsweredError)) throw error
      // A server that refuses the older way may only know the newer one; if not, the first refusal says more.
      return discover(options).catch(() => Promise.reject(error))
    })
  }
  // A server that does not answer the probe is asked in the older way within the same limit.
  const until = performance.now() + options.timeoutMs
  try {
    return await discover({ ...options, timeoutMs: Math.min(options.timeoutMs / 2, 10_000) })
  } catch (error) {
    if (isModernError(error) || isUnreachable(error) || options.isClosed()) throw error
    return initialize({ ...options, timeoutMs: Math.ceil(until - performance.now()) })
  }
}

async function discover(options: HandshakeOptions): Promise<Handshake> {
  const ask = () => options.request('modern', 'server/discover', {}, options.timeoutMs)
  // A server that refuses our revision and then names it is asked once more, as the specification wants.
  const result = await ask().catch((error: unknown) => {
    if (supportedBy(error)?.includes(modernRevision) !== true) throw error
    return ask()
  })
  const versions = isObject(result) && Array.isArray(result['supportedVersions']) ? result['supportedVersions'] : []
  if (!isObject(result) || !versions.includes(modernRevision)) {
    throw new HubError(
      'DOWNSTREAM_FAILED',
      `'${options.name}' answered server/discover without the revision ${modernRevision}.`,
    )
  }
  const meta = isObject(result['_meta']) ? result['_meta'] : {}
  return toHandshake('modern', modernRevision, result, meta[metaKeys.serverInfo] ?? result['serverInfo'])
}

async function initialize(options: HandshakeOptions): Promise<Handshake> {
  const params = { protocolVersion: legacyRevisions[0], capabilities: options.capabilities, clientInfo: hubInfo }
  const result = await options.request('legacy', 'initialize', params, options.timeoutMs)
  const revision = isObject(result) ? result['protocolVersion'] : undefined
  if (!isObject(result) || !isLegacyRevision(revision)) {
    const said = typeof revision === 'string' ? `revision ${revision}` : 'no protocol revision'
    throw new HubError(
      'DOWNSTREAM_FAILED',
      `'${options.name}' answered initialize with ${said}; Herma speaks ${legacyRevisions.join(', ')}.`,
    )
  }
  await options.initialized(revision)
  return toHandshake(eraOf(revision), revision, result, result['serverInfo'])
}

function toHandshake(era: Era, revision: string, result: Record<string, unknown>, serverInfo: unknown): Handshake {
  return {
    era,
    revision,
    capabilities: isObject(result['capabilities']) ? result['capabilities'] : {},
    serverInfo: isObject(serverInfo) ? serverInfo : null,
    instructions: typeof result['instructions'] === 'string' ? result['instructions'] : null,
    result,
  }
}

/** The revisions that a server named when it refused ours. */
function supportedBy(error: unknown): unknown[] | undefined {
  const data = error instanceof AnsweredError && error.error.code === -32022 ? error.error.data : undefined
  return isObject(data) && Array.isArray(data['supported']) ? data['supported'] : undefined
}

/** Errors that only a modern server gives: header mismatch, missing capability, unsupported revision. */
function isModernError(error: unknown): boolean {
  if (!(error instanceof AnsweredError) || error.error.code > -32020 || error.error.code < -32022) return false
  // A server that names only legacy revisions asks for the older handshake.
  const data = error.error.data
  const supported = isObject(data) && Array.isArray(data['supported']) ? data['supported'] : [modernRevision]
  return !supported.every(isLegacyRevision)
}

// Nobody is there, or nobody who talks to us: a second kind of question would not be heard either.
function isUnreachable(error: unknown): boolean {
  return error instanceof HubError && (error.code === 'DOWNSTREAM_UNAVAILABLE' || error.code === 'SIGN_IN_REQUIRED')
}
