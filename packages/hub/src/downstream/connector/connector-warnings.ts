import { secretNamesIn, type Connector, type NamedValue } from '@herma/contract'
import { isSecretName, looksSecret } from '../../secret/index.ts'

/**
 * What may let a secret be seen, with the way out. It is said, not refused: it is a guess, and the person may know better.
 * A warning names the field and never the value.
 */
export function connectorWarnings(connector: Connector): string[] {
  const { headers, env, args, baseUrl, endpointPath, notes, description } = connector
  return [
    ...warnOfArgs(args),
    ...warnOfUrl('baseUrl', baseUrl ?? ''),
    ...warnOfUrl('endpointPath', endpointPath ?? ''),
    ...warnOfValues('headers', headers),
    ...warnOfValues('env', env),
    ...Object.entries({ notes, description }).flatMap(([field, text]) =>
      looksSecret(text)
        ? [`${field}: this looks like it holds a secret, and is stored and shown in clear. Take it out.`]
        : [],
    ),
  ]
}

function warnOfArgs(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const field = `args[${index}]`
    if (refersToSecret(arg))
      return [
        `${field}: everybody on the machine can read it in the list of processes. Prefer an environment variable.`,
      ]
    const [, option, value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(arg) ?? []
    const before = /^--?([\w-]+)$/.exec(args[index - 1] ?? '')?.[1]
    const isNamed =
      option === undefined ? before !== undefined && isSecretName(before) : value !== undefined && isSecretName(option)
    return isNamed || looksSecret(arg) ? [`${field}: this looks like a secret in clear. ${fix}`] : []
  })
}

function warnOfUrl(field: string, text: string): string[] {
  if (text === '' || !hasSecret(text)) return []
  return [`${field}: this looks like it holds a secret in clear. ${fix}`]
}

function hasSecret(text: string): boolean {
  if (!URL.canParse(text, 'http://localhost')) return false
  const url = new URL(text, 'http://localhost')
  const isPlain = (value: string) => value !== '' && !refersToSecret(decode(value))
  if (isPlain(url.password)) return true
  for (const [name, value] of url.searchParams) if (isSecretName(name) && isPlain(value)) return true
  return looksSecret(text.replace(/^[a-z]+:\/\/[^/?#]*/i, ''))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // It is no encoded text, then.
    return text
  }
}

function warnOfValues(field: string, values: readonly NamedValue[]): string[] {
  return values.flatMap(({ name, value = '', secret }) => {
    if (secret ?? isSecretName(name)) return []
    const isSuspect = !refersToSecret(value) && (looksSecret(value) || (value !== '' && isSecretName(name)))
    return isSuspect ? [`${field}.${name}: this looks like a secret in clear. Mark it as secret, or ${lowerFix}`] : []
  })
}

function refersToSecret(text: string): boolean {
  return secretNamesIn(text).length > 0
}

const lowerFix = 'store it with: herma secret set NAME, and write {secret:NAME} in its place.'
const fix = `S${lowerFix.slice(1)}`
