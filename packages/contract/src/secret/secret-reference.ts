/** What the name of a secret looks like inside a reference: the same as SecretName, which has the words for people. */
export const secretNamePattern = '[A-Za-z][A-Za-z0-9_.-]{0,63}'

/** `{secret:NAME}` stands for the value of a secret. */
const reference = new RegExp(`\\{secret:(${secretNamePattern})\\}`, 'g')

/** The value of a secret by its name. Throws when there is none. */
export type SecretLookup = (name: string) => string

/** The names of the secrets that a text refers to. */
export function secretNamesIn(text: string): string[] {
  return [...text.matchAll(reference)].map(([, name]) => name!)
}

/** The text with its secrets in place. What a value holds is not looked at again. */
export function replaceSecrets(text: string, secretOf: SecretLookup): string {
  return text.replace(reference, (_, name: string) => secretOf(name))
}
