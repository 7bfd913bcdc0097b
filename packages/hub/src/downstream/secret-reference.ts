import { type Connector, HubError } from '@herma/contract'

/** `{secret:NAME}` in headers, variables, arguments and the address of a connector. */
const reference = /\{secret:([A-Za-z][A-Za-z0-9_.-]{0,63})\}/g

/** The names of the secrets that a connector refers to. */
export function referencedSecrets(connector: Connector): Set<string> {
  const { headers, env, args, baseUrl = '', endpointPath = '' } = connector
  const texts = [...[...headers, ...env].map(({ value }) => value ?? ''), ...args, baseUrl, endpointPath]
  return new Set(texts.flatMap((text) => [...text.matchAll(reference)].map(([, name]) => name!)))
}

export function refersToSecret(text: string): boolean {
  return text.search(reference) !== -1
}

/** The value of a secret by its name. Throws when there is none. */
export type SecretLookup = (name: string) => string

/** The text with its secrets in place; nothing while one of them is missing. */
export function resolveSecrets(text: string, secretOf: SecretLookup = noSecrets): string[] {
  try {
    return [text.replace(reference, (_, name: string) => secretOf(name))]
  } catch {
    // Its connector fails with the reason when it is used.
    return []
  }
}

/** For what knows no secrets. */
export const noSecrets: SecretLookup = (name) => {
  throw new HubError('SECRET_NOT_FOUND', `No secret is named '${name}'. Store it with: herma secret set ${name}`)
}
