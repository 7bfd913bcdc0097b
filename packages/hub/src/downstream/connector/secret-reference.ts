import { type Connector, HubError, replaceSecrets, type SecretLookup, secretNamesIn } from '@herma/contract'

/** The names of the secrets that the headers, variables, arguments and the address of a connector refer to. */
export function referencedSecrets(connector: Connector): Set<string> {
  const { headers, env, args, baseUrl = '', endpointPath = '' } = connector
  const values = [...headers, ...env].map(({ value }) => value ?? '')
  return new Set([...values, ...args, baseUrl, endpointPath].flatMap(secretNamesIn))
}

/** The text with its secrets in place; nothing while one of them is missing. */
export function resolveSecrets(text: string, secretOf: SecretLookup = noSecrets): string[] {
  try {
    return [replaceSecrets(text, secretOf)]
  } catch {
    // Its connector fails with the reason when it is used.
    return []
  }
}

/** For what knows no secrets. */
export const noSecrets: SecretLookup = (name) => {
  throw new HubError('SECRET_NOT_FOUND', `No secret is named '${name}'. Store it with: herma secret set ${name}`)
}
