import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { isObject } from '../../wire/index.ts'
import type { ConnectionBeginning, NewCaller } from './connection.ts'

/** Encrypts and authenticates the ids of connections. */
export interface ConnectionSealer {
  sealBytes(plaintext: Buffer): string
  /** Null for what was not sealed here, was changed, or is too old. */
  openBytes(token: string): Buffer | null
}

/** What an id says. */
export interface ConnectionClaim {
  /** A short name for the connection that is no secret: who knows it cannot use the connection. */
  readonly id: string
  readonly issuedAtSeconds: number
  /** Null when it did not fit into the id, and is stored. */
  readonly caller: NewCaller | null
}

/** How long an id can be presented to a hub that does not have the connection in memory. */
export const connectionIdLifeMs = 30 * 24 * 60 * 60_000
/** Headers have room for 8 kB in most servers, and for 16 kB in all of them together in ours. */
const maxTokenLength = 1024
const nonceLength = 16
/** The first byte. Another form of what follows, another dictionary too, gets another number. */
const version = 1
/** Texts that most clients say, so that they take hardly any room; the likeliest last. */
const dictionary = Buffer.from(
  '{"name":"mcp","version":"1.0.0","title":"websiteUrl":"icons":[{"src":"https://","mimeType":"image/png","sizes":["any' +
    '"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}},' +
    '"experimental":{},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}},' +
    '"claude-code","Visual Studio Code","cursor-vscode","codex-mcp-client","gemini-cli-mcp-client","opencode",' +
    '"sampling":{"context":{},"tools":{}},"elicitation":{"form":{"applyDefaults":true},"url":{}},' +
    '"roots":{"listChanged":true}}],"user:,"key:,"client:,"2024-11-05","2025-03-26","2025-06-18","2025-11-25","facade","operator",{"name":"',
)

/**
 * The `Mcp-Session-Id` of a connection is what `initialize` said, sealed: a hub that was started again opens it and goes
 * on, and nothing has to be stored for it.
 */
export class ConnectionTokens {
  readonly #sealer: ConnectionSealer

  constructor(sealer: ConnectionSealer) {
    this.#sealer = sealer
  }

  /** `isWhole` says whether the caller is in the token; otherwise somebody has to store it. */
  issue(caller: NewCaller, now = Date.now()): Omit<ConnectionBeginning, 'isRestored'> & { token: string } {
    const { revision, server, principal, clientInfo, capabilities } = caller
    const issuedAtSeconds = Math.floor(now / 1000)
    const said = [issuedAtSeconds, revision, server, principal, clientInfo ?? null, capabilities]
    let token = this.#seal(said)
    const isWhole = token.length <= maxTokenLength
    if (!isWhole) token = this.#seal([issuedAtSeconds])
    return { token, id: nonceOf(token), issuedAtSeconds, isWhole }
  }

  open(token: string, now = Date.now()): ConnectionClaim | null {
    if (token.length > maxTokenLength) return null
    const bytes = this.#sealer.openBytes(token)
    if (bytes === null || bytes[0] !== version) return null
    const said = JSON.parse(inflateRawSync(bytes.subarray(1), { dictionary }).toString('utf8')) as unknown[]
    const [issuedAtSeconds, revision, server, principal, clientInfo, capabilities] = said
    if (typeof issuedAtSeconds !== 'number' || now - issuedAtSeconds * 1000 >= connectionIdLifeMs) return null
    const isWhole = said.length > 1 && isObject(capabilities)
    const caller = { revision, server, principal, clientInfo: clientInfo ?? undefined, capabilities } as NewCaller
    return { id: nonceOf(token), issuedAtSeconds, caller: isWhole ? caller : null }
  }

  #seal(said: readonly unknown[]): string {
    const deflated = deflateRawSync(Buffer.from(JSON.stringify(said)), { dictionary, level: 9, memLevel: 4 })
    return this.#sealer.sealBytes(Buffer.concat([Buffer.of(version), deflated]))
  }
}

/** The random part of a token; empty for a text that cannot be one. */
export function nonceOf(token: string): string {
  const start = token.indexOf('.', token.indexOf('.') + 1) + 1
  return start === 0 || token.length < start + nonceLength ? '' : token.slice(start, start + nonceLength)
}
