import { keySecretOf, type Session } from '@herma/contract'

/** What sessions and bindings need of the stored secrets. */
export interface SessionSecrets {
  has(name: string): boolean
  /** Undefined when none of that name is stored. */
  valueOf(name: string): string | undefined
  /** The names of the secrets that a text refers to as `{secret:NAME}`. */
  namesIn(text: string): readonly string[]
  /** A text with its references replaced. Throws when a secret is missing. */
  resolve(text: string): string
  /** Guesses from the name of a header or variable whether its value is a secret. */
  isSecretName(name: string): boolean
}

/** The names of all secrets that a session uses: its key, and those that its command gets. */
export function secretsOf(session: Session, secrets: Pick<SessionSecrets, 'namesIn'>): Set<string> {
  const key = keySecretOf(session)
  const given = session.provider === 'command' ? Object.values(session.command?.env ?? {}) : []
  return new Set([...(key === null ? [] : [key]), ...given.flatMap((text) => secrets.namesIn(text))])
}

/** Which secrets of a session are not stored, and the next step; null when all are. */
export function missingSecrets(session: Session, secrets: SessionSecrets): string | null {
  const missing = [...secretsOf(session, secrets)].filter((name) => !secrets.has(name))
  if (missing.length === 0) return null
  const names = missing.map((name) => `'${name}'`).join(', ')
  return `No secret is named ${names}. Store it with: herma secret set ${missing[0]}`
}
