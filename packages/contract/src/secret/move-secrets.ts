import type { NamedValue } from '../connector/connector.ts'
import { findSecrets, type SecretFinding, type SecretPlaces } from './find-secrets.ts'

/** A value that is to be stored under a name, and where it was. */
export interface MovedSecret {
  readonly name: string
  readonly value: string
  readonly from: readonly string[]
}

/**
 * The same connector with `{secret:NAME}` in place of everything that looks like a secret, and the values to be stored
 * before it. A value that stands in several places gets one name.
 */
export function moveSecrets<P extends SecretPlaces>(
  places: P,
  isTaken: (name: string) => boolean,
): { readonly connector: P; readonly secrets: readonly MovedSecret[] } {
  const secrets: { name: string; value: string; from: string[] }[] = []
  const nameOf = (finding: SecretFinding, value: string) => {
    const known = secrets.find((secret) => secret.value === value)
    if (known !== undefined) known.from.push(finding.label)
    const isFree = (name: string) => !isTaken(name) && secrets.every((secret) => secret.name !== name)
    const name = known?.name ?? freeName(finding.proposal, isFree)
    if (known === undefined) secrets.push({ name, value, from: [finding.label] })
    return name
  }
  const findings = findSecrets(places)
  const rewrite = (field: SecretFinding['field'], index: number | null, text: string) => {
    const own = findings.filter((finding) => finding.field === field && finding.index === index)
    // In their order for the names, from the end for the places.
    const named = own.map((finding) => ({ finding, name: nameOf(finding, valueAt(finding, text)) }))
    return named.toReversed().reduce((rest, { finding, name }) => putReference(finding, rest, name), text)
  }
  const rewriteAll = (field: 'headers' | 'env', values: readonly NamedValue[]) =>
    values.map((row, index) => (row.value === undefined ? row : { ...row, value: rewrite(field, index, row.value) }))
  const { baseUrl, endpointPath, args, headers, env } = places
  const connector = {
    ...places,
    ...(baseUrl == null ? {} : { baseUrl: rewrite('baseUrl', null, baseUrl) }),
    ...(endpointPath == null ? {} : { endpointPath: rewrite('endpointPath', null, endpointPath) }),
    ...(args === undefined ? {} : { args: args.map((argument, index) => rewrite('args', index, argument)) }),
    ...(headers === undefined ? {} : { headers: rewriteAll('headers', headers) }),
    ...(env === undefined ? {} : { env: rewriteAll('env', env) }),
  }
  return { connector, secrets }
}

/** The value that was found in a text, as it is stored. */
export function valueAt({ start, end, isEncoded }: SecretFinding, text: string): string {
  const written = text.slice(start, end)
  if (!isEncoded) return written
  try {
    return decodeURIComponent(written)
  } catch {
    // It is no encoded text, then.
    return written
  }
}

/** The text with a reference in place of what was found. */
export function putReference({ start, end }: SecretFinding, text: string, name: string): string {
  return `${text.slice(0, start)}{secret:${name}}${text.slice(end)}`
}

/** The proposed name, or the first of `NAME_2`, `NAME_3` … that is free. */
export function freeName(proposal: string, isFree: (name: string) => boolean): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? proposal : `${proposal}_${number}`
    if (isFree(name)) return name
  }
}
