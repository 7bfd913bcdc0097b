import type { ConnectorDraft as FoundConnector, ConnectorOAuth, ConnectorView, Transport } from '@herma/contract'
import { newRow, toValueRow, type ValueRow } from '../../../ui/list-editor/value-row.ts'
import { draftOfIsolation, emptyIsolation, type IsolationDraft } from './isolation-draft.ts'
import { defaultOptions, type OptionTexts, toOptionTexts } from './option-fields.ts'

/** The sign-in of a connector while it is edited. A secret that is undefined stays as it is stored. */
export interface OAuthDraft {
  readonly isOn: boolean
  readonly grant: ConnectorOAuth['grant']
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly hasClientSecret: boolean
  readonly clientMetadataUrl: string
  readonly scope: string
  readonly privateKey: string | undefined
  readonly hasPrivateKey: boolean
  readonly algorithm: string
}

/** A connector while it is edited: every field is there, whatever its transport needs. */
export interface ConnectorDraft {
  readonly name: string
  readonly description: string
  readonly kind: 'client' | 'server'
  readonly enabled: boolean
  readonly transport: Transport
  readonly baseUrl: string
  readonly endpointPath: string
  readonly headers: readonly ValueRow[]
  readonly cmd: string
  readonly args: readonly string[]
  readonly env: readonly ValueRow[]
  readonly workingDir: string
  readonly isolation: IsolationDraft
  readonly oauth: OAuthDraft
  readonly options: OptionTexts
  readonly notes: string
}

const noOAuth: OAuthDraft = {
  isOn: false,
  grant: 'authorization_code',
  clientId: '',
  clientSecret: undefined,
  hasClientSecret: false,
  clientMetadataUrl: '',
  scope: '',
  privateKey: undefined,
  hasPrivateKey: false,
  algorithm: '',
}

export const emptyDraft: ConnectorDraft = {
  name: '',
  description: '',
  kind: 'client',
  enabled: true,
  transport: 'stream',
  baseUrl: '',
  endpointPath: '',
  headers: [],
  cmd: '',
  args: [],
  env: [],
  workingDir: '',
  isolation: emptyIsolation,
  oauth: noOAuth,
  options: defaultOptions,
  notes: '',
}

export function draftOfView(view: ConnectorView): ConnectorDraft {
  const { name, description, kind, enabled, transport, args, notes } = view
  return {
    name,
    description,
    kind,
    enabled,
    transport,
    args,
    notes,
    baseUrl: view.baseUrl ?? '',
    endpointPath: view.endpointPath ?? '',
    headers: view.headers.map(toValueRow),
    cmd: view.cmd ?? '',
    env: view.env.map(toValueRow),
    workingDir: view.workingDir ?? '',
    isolation: draftOfIsolation(view.isolation),
    oauth: draftOfOAuth(view.oauth),
    options: toOptionTexts(view.options),
  }
}

function draftOfOAuth(oauth: ConnectorView['oauth']): OAuthDraft {
  if (oauth === null) return noOAuth
  return {
    isOn: true,
    grant: oauth.grant,
    clientId: oauth.clientId ?? '',
    clientSecret: undefined,
    hasClientSecret: oauth.hasClientSecret,
    clientMetadataUrl: oauth.clientMetadataUrl ?? '',
    scope: oauth.scope ?? '',
    privateKey: undefined,
    hasPrivateKey: oauth.hasPrivateKey,
    algorithm: oauth.algorithm ?? '',
  }
}

/** What was found in a text, over what is in the form. */
export function draftOfFound(found: FoundConnector, before: ConnectorDraft = emptyDraft): ConnectorDraft {
  const { name, description, enabled, transport, baseUrl = '', cmd = '', args, workingDir = '' } = found
  return {
    ...before,
    name,
    description,
    enabled,
    transport,
    baseUrl,
    cmd,
    args,
    workingDir,
    endpointPath: '',
    headers: found.headers.map(newRow),
    env: found.env.map(newRow),
  }
}

/** The same again under another name. What is stored as a secret has to be entered again. */
export function draftOfCopy(view: ConnectorView): ConnectorDraft {
  const draft = draftOfView(view)
  const forget = (row: ValueRow): ValueRow => (row.stored === true ? { name: row.name, value: '', secret: true } : row)
  return {
    ...draft,
    name: `${draft.name.slice(0, 35)}-copy`,
    headers: draft.headers.map(forget),
    env: draft.env.map(forget),
    oauth: { ...draft.oauth, hasClientSecret: false, hasPrivateKey: false },
  }
}
