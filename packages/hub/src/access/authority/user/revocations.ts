import type { Revocation } from '../store.ts'

export interface RevocationStore {
  loadRevocations(): Promise<Revocation[]>
  saveRevocation(revocation: Revocation): Promise<void>
}

/** What a verified token says about itself. */
export interface TokenFacts {
  readonly tokenId: string
  readonly userId: string
  readonly clientId: string
  /** Seconds since 1970, as in the token. */
  readonly issuedAt: number
}

/** Access tokens live no longer than this, so a revocation need not be remembered for longer. */
export const accessTokenMs = 10 * 60_000

/** Access tokens verify without asking anybody; what was revoked before it expires stands here, in memory. */
export class Revocations {
  readonly #store: RevocationStore
  #revocations = new Map<string, Revocation>()

  constructor(store: RevocationStore) {
    this.#store = store
  }

  async load(): Promise<void> {
    const stored = await this.#store.loadRevocations()
    this.#revocations = new Map(stored.map((revocation) => [revocation.subject, revocation]))
  }

  /** Refuses from now on every token of the subject that was issued so far. */
  async revoke(subject: string): Promise<void> {
    const now = Date.now()
    this.#forgetExpired(now)
    const revocation = { subject, issuedUntil: now, expiresAt: now + accessTokenMs }
    this.#revocations.set(subject, revocation)
    await this.#store.saveRevocation(revocation)
  }

  isRevoked({ tokenId, userId, clientId, issuedAt }: TokenFacts): boolean {
    return [subjectOfToken(tokenId), subjectOfGrant(userId, clientId), subjectOfUser(userId)].some((subject) => {
      const revocation = this.#revocations.get(subject)
      // A token carries whole seconds, so one of the same second counts as issued before.
      return revocation !== undefined && issuedAt * 1000 <= revocation.issuedUntil
    })
  }

  #forgetExpired(now: number): void {
    for (const [subject, { expiresAt }] of this.#revocations) {
      if (expiresAt <= now) this.#revocations.delete(subject)
    }
  }
}

export function subjectOfToken(tokenId: string): string {
  return `token:${tokenId}`
}

export function subjectOfGrant(userId: string, clientId: string): string {
  return `grant:${userId}:${clientId}`
}

export function subjectOfUser(userId: string): string {
  return `user:${userId}`
}
