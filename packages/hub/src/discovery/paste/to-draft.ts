import type { ConnectorDraft, NamedValue } from '@herma/contract'
import { isSecretName, looksSecret } from '../../secret/index.ts'
import { isObject, placeholder, type ClientServer, type Fields } from '../client-config.ts'

/** What was read of a pasted text, with what should be said about it. */
export interface ReadDraft {
  readonly draft: ConnectorDraft
  readonly notes: readonly string[]
}

/** Where a draft begins: everything that is not said is empty. */
export function emptyDraft(name: string): ConnectorDraft {
  return { name, description: '', enabled: true, transport: 'stdio', headers: [], args: [], env: [] }
}

/** A server of a client's configuration as a draft: values that only the client has are left for the person. */
export function toDraft({ name, input, remarks }: ClientServer, inputs: readonly ClientInput[] = []): ReadDraft {
  const notes = remarks.map((remark) => `${name}: ${remark}`)
  const fill = (values: readonly NamedValue[] = []) =>
    values.map((value) => {
      const { row, note } = toRow(value, inputs)
      if (note !== null) notes.push(note)
      return row
    })
  const draft = {
    ...emptyDraft(input.name),
    description: input.description ?? '',
    enabled: input.enabled ?? true,
    transport: input.transport,
    ...(input.baseUrl === undefined ? {} : { baseUrl: input.baseUrl }),
    headers: fill(input.headers),
    ...(input.cmd === undefined ? {} : { cmd: input.cmd }),
    args: input.args ?? [],
    env: fill(input.env),
    ...(input.workingDir === undefined ? {} : { workingDir: input.workingDir }),
  }
  const unfilled = [draft.cmd, draft.baseUrl, draft.workingDir, ...draft.args].flatMap(
    (text) => placeholder.exec(text ?? '')?.[0] ?? [],
  )
  if (unfilled.length > 0)
    notes.push(`${name}: only the client knows ${[...new Set(unfilled)].join(', ')}. Write the value in its place.`)
  return { draft, notes }
}

/** A header or variable with the guess whether it is a secret. */
export function toNamedValue(name: string, value: string): NamedValue {
  return { name, value, secret: isSecretName(name) || looksSecret(value) }
}

/** What VS Code asks its user for. */
export interface ClientInput {
  readonly id: string
  readonly description: string
  readonly isPassword: boolean
}

export function readInputs(value: unknown): ClientInput[] {
  if (!Array.isArray(value)) return []
  return value.filter(isObject).map((input: Fields) => ({
    id: String(input['id'] ?? ''),
    description: String(input['description'] ?? ''),
    isPassword: input['password'] === true,
  }))
}

function toRow(
  { name, value = '' }: NamedValue,
  inputs: readonly ClientInput[],
): { row: NamedValue; note: string | null } {
  const [whole] = placeholder.exec(value) ?? []
  if (whole === undefined) return { row: toNamedValue(name, value), note: null }
  const asked = inputs.find(({ id }) => whole === `\${input:${id}}`)
  const form = value === whole ? '' : ` It has the form: ${value.replace(placeholder, '<value>')}.`
  const about = asked?.description ? ` (${asked.description})` : ''
  return {
    row: { name, secret: asked?.isPassword === true || isSecretName(name) },
    note: `${name} needs a value${about}: only the client has it.${form}`,
  }
}
