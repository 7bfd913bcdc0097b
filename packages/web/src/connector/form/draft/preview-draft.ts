import { ConnectorInput, quoteWord } from '@herma/contract'
import { toNamedValues, type ValueRow } from '../../../ui/list-editor/value-row.ts'
import type { ConnectorDraft } from './connector-draft.ts'
import { toInput } from './connector-input.ts'

/** Stands where a secret is. */
export const mask = '••••'

/** What will run or be asked, as text that can be copied, with secrets masked. */
export function previewRun(draft: ConnectorDraft): string {
  return draft.transport === 'stdio' ? previewCommand(draft) : previewRequest(draft)
}

function previewCommand({ cmd: given, args, env, workingDir, isolation }: ConnectorDraft): string {
  // An image has a program of its own.
  const cmd = given.trim() === '' && isolation.type === 'container' ? isolation.image : given
  const variables = named(env).map(({ name, shown }) => `${name}=${shown === mask ? mask : quoteWord(shown)}`)
  const words = [cmd.trim() === '' ? '(no program yet)' : quoteWord(cmd.trim()), ...args.map(quoteWord)]
  const folder = workingDir.trim() === '' ? [] : [`cd ${quoteWord(workingDir.trim())} &&`]
  return [...folder, ...variables, ...words].join(' ')
}

function previewRequest({ baseUrl, endpointPath, headers, transport }: ConnectorDraft): string {
  const method = transport === 'sse' ? 'GET' : 'POST'
  const lines = named(headers).map(({ name, shown }) => `${name}: ${shown}`)
  return [`${method} ${joinAddress(baseUrl.trim(), endpointPath.trim())}`, ...lines].join('\n')
}

/** The base URL with the endpoint path behind it, as the hub joins them. */
export function joinAddress(baseUrl: string, endpointPath: string): string {
  if (baseUrl === '') return '(no base URL yet)'
  if (endpointPath === '') return baseUrl
  return `${baseUrl.replace(/\/$/, '')}${endpointPath.startsWith('/') ? '' : '/'}${endpointPath}`
}

function named(rows: readonly ValueRow[]): { name: string; shown: string }[] {
  return rows
    .filter(({ name }) => name !== '')
    .map(({ name, value, secret, personal }) => {
      if (personal === true) return { name, shown: mask }
      return { name, shown: isHidden(secret, value) ? mask : (value ?? '') }
    })
}

/** A reference to a stored secret is no secret itself. */
function isHidden(secret: boolean, value: string | undefined): boolean {
  return secret && !/^(?:[A-Za-z]+ )?\{secret:[\w.-]+\}$/.test(value ?? '')
}

/** The whole connector with every default, secrets masked, to read and copy. */
export function effectiveJson(draft: ConnectorDraft): unknown {
  const input = toInput(draft)
  const { data } = ConnectorInput.safeParse(input)
  const shown: Record<string, unknown> = { ...(data ?? input) }
  for (const list of ['headers', 'env'] as const) {
    if (shown[list] === undefined) continue
    const rows = toNamedValues(draft[list]).map((row) => {
      const isStored = row.value === undefined && row.personal !== true
      return isStored || isHidden(row.secret === true, row.value) ? { ...row, value: mask } : row
    })
    if (rows.length > 0) shown[list] = rows
  }
  const { oauth } = draft
  if (shown['oauth'] !== undefined)
    shown['oauth'] = {
      ...(shown['oauth'] as object),
      ...((oauth.hasClientSecret || oauth.clientSecret) && { clientSecret: mask }),
      ...((oauth.hasPrivateKey || oauth.privateKey) && { privateKey: mask }),
    }
  return shown
}
