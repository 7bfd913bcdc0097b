import { quoteWord } from '@herma/contract'
import type { ValueRow } from '../../../ui/list-editor/value-row.ts'
import { describeIsolation } from './isolation-draft.ts'
import type { ConnectorDraft, OAuthDraft } from './connector-draft.ts'
import { type OptionName, optionGroups } from './option-fields.ts'
import { mask } from './preview-draft.ts'

export interface DraftChange {
  /** What is different: 'Working directory', 'API_KEY'. */
  readonly field: string
  /** Null = it was not there. */
  readonly before: string | null
  /** Null = it will be gone. */
  readonly after: string | null
}

const labels = {
  name: 'Name',
  description: 'Description',
  kind: 'Kind',
  enabled: 'Enabled',
  transport: 'Transport',
  baseUrl: 'Base URL',
  endpointPath: 'Endpoint path',
  cmd: 'Program',
  workingDir: 'Working directory',
  notes: 'Notes',
} as const satisfies Partial<Record<keyof ConnectorDraft, string>>

/** What saving would change, in words. Of a secret only that it changes. */
export function listChanges(saved: ConnectorDraft, draft: ConnectorDraft): DraftChange[] {
  const plain = Object.entries(labels).map(([field, label]) => {
    const key = field as keyof typeof labels
    return change(label, String(saved[key]), String(draft[key]))
  })
  const args = change('Arguments', saved.args.map(quoteWord).join(' '), draft.args.map(quoteWord).join(' '))
  const options = optionGroups
    .flatMap(({ fields }) => fields)
    .map(({ name, label }) => change(label, optionText(saved, name), optionText(draft, name)))
  return [
    ...plain,
    args,
    change('Isolation', describeIsolation(saved.isolation), describeIsolation(draft.isolation)),
    ...rowChanges('header', saved.headers, draft.headers),
    ...rowChanges('variable', saved.env, draft.env),
    ...oauthChanges(saved.oauth, draft.oauth),
    ...options,
  ].filter((each) => each !== null)
}

function change(field: string, before: string, after: string): DraftChange | null {
  return before === after ? null : { field, before: before || null, after: after || null }
}

function optionText({ options }: ConnectorDraft, name: OptionName): string {
  const value = options[name]
  return value === null ? 'the name of the connector' : value === '' ? 'none' : String(value)
}

function rowChanges(noun: string, saved: readonly ValueRow[], draft: readonly ValueRow[]): DraftChange[] {
  const names = [...new Set([...saved, ...draft].map(({ name }) => name))].filter((name) => name !== '')
  return names.flatMap((name) => {
    const before = saved.find((row) => row.name === name)
    const after = draft.find((row) => row.name === name)
    if (JSON.stringify(before) === JSON.stringify(after)) return []
    const isReplaced = before?.secret === true && after?.secret === true && after.personal !== true
    return [
      {
        field: `${name} (${noun})`,
        before: before === undefined ? null : rowText(before),
        after: after === undefined ? null : isReplaced ? 'a new secret' : rowText(after),
      },
    ]
  })
}

function rowText({ value, secret, personal }: ValueRow): string {
  return personal === true ? 'given by each person' : secret ? mask : (value ?? '') || '(empty)'
}

function oauthChanges(saved: OAuthDraft, draft: OAuthDraft): (DraftChange | null)[] {
  const text = (
    { isOn, ...rest }: OAuthDraft,
    field: 'grant' | 'clientId' | 'clientMetadataUrl' | 'scope' | 'algorithm',
  ) => (isOn ? rest[field] : '')
  const secret = ({ isOn }: OAuthDraft, isThere: boolean) => (isOn && isThere ? mask : '')
  return [
    change('Sign-in', text(saved, 'grant'), text(draft, 'grant')),
    change('Client id', text(saved, 'clientId'), text(draft, 'clientId')),
    change('Client metadata URL', text(saved, 'clientMetadataUrl'), text(draft, 'clientMetadataUrl')),
    change('Scopes', text(saved, 'scope'), text(draft, 'scope')),
    change('Key algorithm', text(saved, 'algorithm'), text(draft, 'algorithm')),
    change(
      'Client secret',
      secret(saved, saved.hasClientSecret),
      draft.clientSecret ? 'a new secret' : secret(draft, draft.hasClientSecret),
    ),
    change(
      'Private key',
      secret(saved, saved.hasPrivateKey),
      draft.privateKey ? 'a new key' : secret(draft, draft.hasPrivateKey),
    ),
  ]
}
