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
  /** Who began it. Nobody else may finish it: an account of one person must not serve another. */
  readonly by?: string
}

/** Values of a principal's own, by name. */
export interface PersonalValues {
  readonly headers: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
}

interface RecordValues {
  client: StoredOAuthClientInformation & { redirect_uris?: string[]; client_secret_expires_at?: number }
  tokens: Tokens
  discovery: OAuthDiscoveryState
  'sign-in': PendingSignIn
  /** The issuer that a client of the connector's settings was first used with. */
  binding: { issuer: string }
  values: PersonalValues
}

type KeptRecord = { readonly kind: RecordKind; readonly issuer: string; readonly value: unknown }

interface OAuthRecords {
  /** What only one hub may do with them at a time is done under this lock; absent for those that are not stored. */
  readonly lockName?: string
  save(kind: RecordKind, issuer: string, value: unknown): Promise<void>
  remove(kind: RecordKind, issuer: string): Promise<void>
  /** What is stored now; null when that is older than what is here, or nothing is stored at all. */
  load(): Promise<readonly KeptRecord[] | null>
  /** Every value that nobody may read is in `secrets`. */
  onChange(secrets: string[]): void
}

/** What signing in left, in memory: read at once, written through. */
export class Records {
  readonly #values = new Map<string, KeptRecord>()
  readonly #records: OAuthRecords
  /** A message about a call under way may still hold what was replaced. */
  #replaced: string[] = []
  #isRetired = false
  #changes = 0

  constructor(initial: readonly KeptRecord[], records: OAuthRecords) {
    this.#records = records
    this.#fill(initial)
  }

  get<K extends RecordKind>(kind: K, issuer = ''): RecordValues[K] | undefined {
    return this.#values.get(`${kind} ${issuer}`)?.value as RecordValues[K] | undefined
  }

  /** There are tokens of one issuer at a time. */
  get tokens(): Tokens | undefined {
    return [...this.#values.values()].find(({ kind }) => kind === 'tokens')?.value as Tokens | undefined
  }

  get lockName(): string | null {
    return this.#records.lockName ?? null
  }

  get isEmpty(): boolean {
    return this.#values.size === 0
  }

  /** Takes over what another hub has stored meanwhile. */
  async reload(): Promise<void> {
    const changes = this.#changes
    const stored = await this.#records.load()
    // What was changed here while the store was asked is newer.
    if (stored === null || this.#isRetired || changes !== this.#changes) return
    if (isSame([...this.#values.values()], stored)) return
    this.#fill(stored)
  }

  async set<K extends RecordKind>(kind: K, issuer: string, value: RecordValues[K]): Promise<void> {
    if (this.#isRetired) return
    this.#changes++
    this.#values.set(`${kind} ${issuer}`, { kind, issuer, value })
    this.#tell()
    await this.#records.save(kind, issuer, value)
  }

  async remove(kind: RecordKind, issuer = ''): Promise<void> {
    if (this.#isRetired || !this.#values.delete(`${kind} ${issuer}`)) return
    this.#changes++
    this.#tell()
    await this.#records.remove(kind, issuer)
  }

  async removeEvery(kind: RecordKind): Promise<void> {
    for (const record of this.#values.values()) if (record.kind === kind) await this.remove(kind, record.issuer)
  }

  async clear(): Promise<void> {
    for (const { kind, issuer } of this.#values.values()) await this.remove(kind, issuer)
  }

  /** Another one takes over: what still comes in is not kept. */
  retire(): void {
    this.#isRetired = true
  }

  #fill(records: readonly KeptRecord[]): void {
    this.#values.clear()
    for (const { kind, issuer, value } of records) this.#values.set(`${kind} ${issuer}`, { kind, issuer, value })
    this.#tell()
  }

  #tell(): void {
    const secrets = [...this.#values.values()].flatMap(({ kind, value }) => secretsOf(kind, value))
    this.#records.onChange([...new Set([...secrets, ...this.#replaced])])
    this.#replaced = secrets
  }
}

function isSame(before: readonly KeptRecord[], after: readonly KeptRecord[]): boolean {
  const describe = (records: readonly KeptRecord[]) =>
    records.map(({ kind, issuer, value }) => JSON.stringify([kind, issuer, value])).toSorted()
  return JSON.stringify(describe(before)) === JSON.stringify(describe(after))
}

function secretsOf(kind: RecordKind, value: unknown): string[] {
  if (kind === 'values') {
    const { headers, env } = value as PersonalValues
    return [...Object.values(headers), ...Object.values(env)]
  }
  const fields = value as Record<string, unknown>
  return secretFields[kind].flatMap((name) => (typeof fields[name] === 'string' ? [fields[name]] : []))
}

const secretFields: Record<Exclude<RecordKind, 'values'>, readonly string[]> = {
  client: ['client_secret', 'registration_access_token'],
  tokens: ['access_token', 'refresh_token', 'id_token'],
  discovery: [],
  'sign-in': ['state', 'verifier'],
  binding: [],
}
