import type { NamedValue } from '../connector/connector.ts'
import { findSecretWords, hidePlaceholders, isPath, type TextSpan, withoutOverlap } from './looks-secret.ts'
import { isSecretName } from './secret-name.ts'
import { secretNamesIn } from './secret-reference.ts'

/** The fields of a connector in which a secret may stand, and be referred to instead. */
export interface SecretPlaces {
  readonly name: string
  readonly baseUrl?: string | null | undefined
  readonly endpointPath?: string | null | undefined
  readonly args?: readonly string[] | undefined
  readonly headers?: readonly NamedValue[] | undefined
  readonly env?: readonly NamedValue[] | undefined
}

/** Where something looks like a secret. The value itself is not in here, so that it can be logged and shown. */
export interface SecretFinding extends TextSpan {
  readonly field: 'baseUrl' | 'endpointPath' | 'args' | 'headers' | 'env'
  /** In the lists. */
  readonly index: number | null
  /** For people: `args[1]`, `headers.Authorization`. */
  readonly label: string
  /** Whether the form of the value says so, and not only its name. */
  readonly isByForm: boolean
  /** In an address it is written with %, and without it when it is stored. */
  readonly isEncoded: boolean
  /** It is sealed in its connector and shown to nobody. */
  readonly isSealed: boolean
  /** What a named secret for it could be called. */
  readonly proposal: string
}

/**
 * Finds what looks like a secret, by its form or by the name beside it: in arguments, addresses, headers and variables.
 * It is a guess, which a person confirms; places of files, packages, hashes and placeholders are none.
 */
export function findSecrets(places: SecretPlaces): SecretFinding[] {
  const { name, baseUrl, endpointPath, args = [], headers = [], env = [] } = places
  return [
    ...findInAddress('baseUrl', baseUrl ?? '', name),
    ...findInAddress('endpointPath', endpointPath ?? '', name),
    ...args.flatMap((_, index) => findInArgument(args, index, name)),
    ...findInValues('headers', headers, name),
    ...findInValues('env', env, name),
  ]
}

interface Found extends TextSpan {
  readonly isByForm: boolean
  /** What it is: the name of an option, a header, a variable. */
  readonly what: string
}

function findInAddress(field: 'baseUrl' | 'endpointPath', text: string, connector: string): SecretFinding[] {
  return findInUrl(text, 0).map((found) => ({
    ...toFinding(found, connector),
    field,
    index: null,
    label: field,
    isEncoded: true,
    isSealed: false,
  }))
}

function findInArgument(args: readonly string[], index: number, connector: string): SecretFinding[] {
  const about = { field: 'args', index, label: `args[${index}]`, isEncoded: false, isSealed: false } as const
  return readArgument(args[index]!, args[index - 1]).map((found) => ({ ...toFinding(found, connector), ...about }))
}

/** `--token=…`, `--token …`, `TOKEN=…`, `Authorization: …`, or a text with a secret somewhere in it. */
function readArgument(argument: string, before = ''): Found[] {
  const [, option, assigned, header] =
    /^(?:--?([\w.-]+)=|([A-Za-z_]\w*)=|([A-Za-z][\w-]*):(?!\/\/)\s*)/.exec(argument) ?? []
  const named = option ?? assigned ?? header
  const [, behind] = /^--?([A-Za-z][\w.-]*)$/.exec(before) ?? []
  const start = named === undefined ? 0 : argument.length - argument.replace(/^[^=:]*[=:]\s*/, '').length
  const value = argument.slice(start)
  const what = named ?? (argument.startsWith('-') ? undefined : behind)
  if (what === undefined) return findInText(argument, 0, 'token')
  if (isHash(what, value)) return []
  return isSecretKind(what) ? findNamed(value, start, what) : findInText(value, start, what)
}

function findInValues(field: 'headers' | 'env', values: readonly NamedValue[], connector: string): SecretFinding[] {
  return values.flatMap(({ name, value = '', secret, personal }, index) => {
    if (personal === true) return []
    const isSealed = secret ?? isSecretName(name)
    const isWhole = isSealed || isSecretName(name)
    const founds = isWhole ? findNamed(value, 0, name) : isHash(name, value) ? [] : findInText(value, 0, name)
    const about = { field, index, label: `${field}.${name}`, isEncoded: false, isSealed } as const
    return founds.map((found) => ({ ...toFinding(found, connector), ...about }))
  })
}

/** The name says that the value is a secret: all of it, or what stands behind the scheme of a header. */
function findNamed(value: string, offset: number, what: string): Found[] {
  const scheme = /^(?:bearer|basic|token|digest|apikey)\s+/i.exec(value)?.[0].length ?? 0
  if (secretNamesIn(value).length > 0 || isPath(value) || isNoSecret.test(value.slice(scheme).trim())) return []
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return findInText(value, offset, what)
  const isByForm = findSecretWords(value).length > 0
  return [{ start: offset + scheme, end: offset + value.length, isByForm, what }]
}

/** Switches, small numbers, and what documents write in the place of a value. */
const isNoSecret =
  /^(?:|true|false|yes|no|on|off|none|null|auto|env|stdin|-|\d{1,6}|<.*>|\$\{?\w+\}?|%\w+%|\{.*\}|x{3,}|\*+|\.{3}|\u2026|change-?me|your[-_ ].*)$/is

function findInText(text: string, offset: number, what: string): Found[] {
  const plain = hidePlaceholders(text)
  const addresses = [...plain.matchAll(/[a-z][a-z0-9+.-]*:\/\/[^\s"'`]+/gi)].flatMap((match) =>
    findInUrl(text.slice(match.index, match.index + match[0].length), offset + match.index),
  )
  const words = findSecretWords(text).map(({ start, end }) => ({
    start: offset + start,
    end: offset + end,
    isByForm: true,
    what,
  }))
  return withoutOverlap([...addresses, ...words])
}

/** A password before the host, a parameter of the query with the name of a secret, and words by their form. */
function findInUrl(text: string, offset: number): Found[] {
  const [, scheme = '', user = '', host = '', path = '', query = ''] =
    /^([a-z][a-z0-9+.-]*:\/\/)?(?:([^/?#@]*)@)?([^/?#]*)([^?#]*)(.*)$/is.exec(text) ?? []
  const found: Found[] = []
  const add = (start: number, value: string, what: string, isNamed: boolean) => {
    const words = findSecretWords(value)
    const isPlain = value !== '' && !refersToSecret(value) && !isNoSecret.test(value)
    if (isNamed && isPlain) found.push({ start, end: start + value.length, isByForm: words.length > 0, what })
    else
      for (const word of words) found.push({ start: start + word.start, end: start + word.end, isByForm: true, what })
  }
  const userAt = offset + scheme.length
  const colon = user.indexOf(':')
  if (colon !== -1) add(userAt + colon + 1, user.slice(colon + 1), 'password', true)
  add(userAt, colon === -1 ? user : user.slice(0, colon), 'token', false)
  const pathAt = offset + text.length - query.length - path.length
  // A path without a scheme has no host before it.
  const route = scheme === '' ? host + path : path
  for (const segment of route.matchAll(/[^/]+/g))
    if (!/\/(?:commit|tree|blob|raw)\/$/.test(route.slice(0, segment.index)))
      add(pathAt - (route.length - path.length) + segment.index, segment[0], 'token', false)
  for (const pair of query.matchAll(/([^?&#=]*)=([^&#]*)/g)) {
    const name = pair[1]!
    add(offset + text.length - query.length + pair.index + name.length + 1, pair[2]!, name, isSecretKind(name))
  }
  return found
}

function refersToSecret(text: string): boolean {
  try {
    return secretNamesIn(decodeURIComponent(text)).length > 0
  } catch {
    // It is no encoded text, then.
    return secretNamesIn(text).length > 0
  }
}

/** The name of an option or parameter: with keys of tables and of caches it is only an ordinary word. */
function isSecretKind(name: string): boolean {
  return isSecretName(name) && !/(?:public|primary|partition|sort|foreign|cache|group|index|row)[-_]?key$/i.test(name)
}

/** A commit, a checksum, an id: many digits that are no secret. */
function isHash(name: string, value: string): boolean {
  return (
    /^[0-9a-f]+$/i.test(value) && /(?:commit|sha\d*|rev(?:ision)?|ref|hash|digest|checksum|version|tag|id)$/i.test(name)
  )
}

function toFinding({ start, end, isByForm, what }: Found, connector: string) {
  return { start, end, isByForm, proposal: proposeName(connector, what) }
}

/** `DOCS_API_KEY` for the header X-API-Key of the connector docs. */
function proposeName(connector: string, what: string): string {
  const [owner, kind] = [toUpperWords(connector), toUpperWords(what.replace(/^x-/i, ''))]
  const named = /^(?:PROXY_)?AUTHORIZATION$|^$/.test(kind) ? 'TOKEN' : kind
  const whole = owner === '' || named === owner || named.startsWith(`${owner}_`) ? named : `${owner}_${named}`
  return (/^[A-Z]/.test(whole) ? whole : `SECRET_${whole}`).slice(0, 56).replace(/_+$/, '')
}

function toUpperWords(text: string): string {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
}
