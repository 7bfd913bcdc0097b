import { HubError, type Transport } from '@herma/contract'
import {
  eraOf,
  isLegacyRevision,
  isObject,
  legacyRevisions,
  metaKeys,
  modernRevision,
  type Era,
  type Params,
} from '../../wire/index.ts'
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
  /** Over which transport it was said. */
  readonly transport?: Transport | undefined
}

/** How long an answer is waited for, and what ends that earlier. */
export interface RequestLimits {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

export interface HandshakeOptions {
  readonly name: string
  readonly wanted: 'auto' | Era
  /** What to ask first: what an earlier probe found, when that is recent, or what suits the transport. */
  readonly knownEra: Era | null
  readonly capabilities: Record<string, unknown>
  /** Limit of the whole handshake; an answer counts however late it comes within it. */
  readonly timeoutMs: number
  request(era: Era, method: string, params: Params, limits: RequestLimits): Promise<unknown>
  /** True when the server is gone, so that no second question can reach it. */
  isClosed(): boolean
  /** Sends `notifications/initialized`; a promise resolves when it cannot be overtaken any more. */
  initialized(revision: string): void | Promise<void>
}

/**
 * Finds the era of a server: `server/discover` first, and `initialize` on anything that is not a modern answer, as
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning asks. Where the older era is wanted if the
 * server speaks it, the other way round.
 */
export async function shakeHands(options: HandshakeOptions): Promise<Handshake> {
  if (options.wanted === 'legacy') return initialize(options)
  if (options.wanted === 'modern') return discover(options)
  return probe(options, options.knownEra ?? 'modern')
}

/** How long the first question is waited for alone; after that the other one is asked beside it. */
const aloneMs = 10_000

/**
 * Asks in one way, and in the other one when that is refused or not answered for a while. Neither has a share of the
 * time: a server that is slow to start finds both questions, and its first good answer counts.
 */
function probe(options: HandshakeOptions, first: Era): Promise<Handshake> {
  return new Promise((resolve, reject) => {
    const over = new AbortController()
    const until = performance.now() + options.timeoutMs
    const limits = () => ({ timeoutMs: Math.max(1, Math.ceil(until - performance.now())), signal: over.signal })
    const ask = (era: Era) => (era === 'modern' ? discover(options, limits()) : initialize(options, limits()))
    let open = 1
    let refusal: unknown = null
    const end = (settle: () => void) => {
      clearTimeout(timer)
      settle()
      over.abort()
    }
    const succeeded = (handshake: Handshake) => end(() => resolve(handshake))
    const askOther = () => {
      if (isAsked || over.signal.aborted) return
      isAsked = true
      open++
      const other = first === 'modern' ? 'legacy' : 'modern'
      ask(other).then(succeeded, (error: unknown) => failed(error, other))
    }
    const failed = (error: unknown, era: Era) => {
      // What a server says to the older question says more.
      if (era === 'legacy') refusal = error
      if (--open === 0) end(() => reject(refusal ?? error))
    }
    let isAsked = false
    // Some legacy servers end when anything comes between the older question and what follows it, so it waits longer.
    const mostMs = first === 'modern' ? aloneMs : options.timeoutMs
    const timer = setTimeout(askOther, Math.min(options.timeoutMs / 2, mostMs))
    ask(first).then(succeeded, (error: unknown) => {
      const isFinal = first === 'modern' && isModernError(error)
      if (!isFinal && !isUnreachable(error) && !options.isClosed()) askOther()
      failed(error, first)
    })
  })
}

async function discover(options: HandshakeOptions, limits: RequestLimits = options): Promise<Handshake> {
  const ask = () => options.request('modern', 'server/discover', {}, limits)
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

async function initialize(options: HandshakeOptions, limits: RequestLimits = options): Promise<Handshake> {
  const params = { protocolVersion: legacyRevisions[0], capabilities: options.capabilities, clientInfo: hubInfo }
  const result = await options.request('legacy', 'initialize', params, limits)
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
