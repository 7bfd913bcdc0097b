import type { ProviderKind, Session } from './session.ts'

/** The names under which the key of a provider is looked for when a session names none. */
export const usualKeySecrets: Readonly<Partial<Record<ProviderKind, string>>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GEMINI_API_KEY',
}

/** The name of the secret that is the key of a session's provider; null where there is none. */
export function keySecretOf({ provider, keySecret }: Pick<Session, 'provider' | 'keySecret'>): string | null {
  if (provider === 'openai-compatible') return keySecret
  const usual = usualKeySecrets[provider]
  return usual === undefined ? null : (keySecret ?? usual)
}
