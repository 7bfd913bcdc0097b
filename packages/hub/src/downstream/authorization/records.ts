import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import type { RecordKind } from './store.ts'

/** Tokens with what the server does not say itself. */
export interface Tokens extends StoredOAuthTokens {
  /** In milliseconds since 1970; absent when the server did not say. */
  expiresAt?: number
}

/** A sign-in that waits for a person to come back from the authorization server. */
export interface PendingSignIn {
  readonly state: string
  readonly verifier: string
  readonly redirectUrl: string
  readonly scope?: string | undefined
  /** The authorization server that the person was sent to; the code goes to no other. */
  readonly discovery: OAuthDiscoveryState
  /** In milliseconds since 1970. */
  readonly expiresAt: number
}

interface RecordValues {
  client: StoredOAuthClientInformation & { redirect_uris?: string[]; client_secret_expires_at?: number }
  tokens: Tokens
  discovery: OAuthDiscoveryState
  'sign-in': PendingSignIn
  /** The issuer that a client of the connector's settings was first used with. */
  binding: { issuer: string }
}

interface RecordKeeper {
  save(kind: RecordKind, issuer: string, value: unknown): Promise<void>
  remove(kind: RecordKind, issuer: string): Promise<void>
  /** Every value that nobody may read is in `secrets`. */
  onChange(secrets: string[]): void
}

/** What signing in left, in memory: read at once, written through. */
export class Records {
  readonly #values = new Map<string, { kind: RecordKind; issuer: string; value: unknown }>()
  readonly #keeper: RecordKeeper
  /** A message about a call under way may still hold what was replaced. */
  #replaced: string[] = []
  #isRetired = false

  constructor(initial: readonly { kind: RecordKind; issuer: string; value: unknown }[], keeper: RecordKeeper) {
    this.#keeper = keeper
    for (const { kind, issuer, value } of initial) this.#values.set(`${kind} ${issuer}`, { kind, issuer, value })
    this.#tell()
  }

  get<K extends RecordKind>(kind: K, issuer = ''): RecordValues[K] | undefined {
    return this.#values.get(`${kind} ${issuer}`)?.value as RecordValues[K] | undefined
  }

  /** There are tokens of one issuer at a time. */
  get tokens(): Tokens | undefined {
    return [...this.#values.values()].find(({ kind }) => kind === 'tokens')?.value as Tokens | undefined
  }

  async set<K extends RecordKind>(kind: K, issuer: string, value: RecordValues[K]): Promise<void> {
    if (this.#isRetired) return
    this.#values.set(`${kind} ${issuer}`, { kind, issuer, value })
    this.#tell()
    await this.#keeper.save(kind, issuer, value)
  }

  async remove(kind: RecordKind, issuer = ''): Promise<void> {
    if (this.#isRetired || !this.#values.delete(`${kind} ${issuer}`)) return
    this.#tell()
    await this.#keeper.remove(kind, issuer)
  }

  async removeEvery(kind: RecordKind): Promise<void> {
    for (const record of this.#values.values()) if (record.kind === kind) await this.remove(kind, record.issuer)
  }

  /** Another one takes over: what still comes in is not kept. */
  retire(): void {
    this.#isRetired = true
  }

  #tell(): void {
    const secrets = [...this.#values.values()].flatMap(({ kind, value }) => secretsOf(kind, value))
    this.#keeper.onChange([...new Set([...secrets, ...this.#replaced])])
    this.#replaced = secrets
  }
}

function secretsOf(kind: RecordKind, value: unknown): string[] {
  const fields = value as Record<string, unknown>
  return secretFields[kind].flatMap((name) => (typeof fields[name] === 'string' ? [fields[name]] : []))
}

const secretFields: Record<RecordKind, readonly string[]> = {
  client: ['client_secret', 'registration_access_token'],
  tokens: ['access_token', 'refresh_token', 'id_token'],
  discovery: [],
  'sign-in': ['state', 'verifier'],
  binding: [],
}
