import type { Binding, EffectiveValue } from './binding.ts'
import { ConnectorOptions, type ConnectorView, type NamedValue, type NamedValueView } from '../connector/connector.ts'
import { ToolPolicy, type Session } from './session.ts'

type ShownConnector = Pick<ConnectorView, 'headers' | 'env' | 'options' | 'workingDir'>
type ShownSession = Pick<Session, 'workingDir' | 'tools'>
type Overrides = Pick<Binding, 'headers' | 'env' | 'options' | 'cwd' | 'allowedTools'>

/**
 * Every value that is in effect for a session at a connector, and who said so. Values of secrets are left out. A page
 * shows with it what a change will do.
 */
export function effectiveValues(
  connector: ShownConnector,
  session: ShownSession,
  overrides: Overrides,
): EffectiveValue[] {
  return [
    ...namedValues('headers', connector.headers, overrides.headers),
    ...namedValues('env', connector.env, overrides.env),
    workingDirOf(connector, session, overrides),
    ...optionValues(connector.options, overrides.options),
    policyValue('tools.allow', session.tools.allow, policyDefaults.allow),
    policyValue('tools.deny', session.tools.deny, policyDefaults.deny),
    overrides.allowedTools === null
      ? plain('allowedTools', ['*'], 'default')
      : plain('allowedTools', overrides.allowedTools, 'binding'),
  ]
}

const policyDefaults = ToolPolicy.parse({})
const optionDefaults: Record<string, unknown> = ConnectorOptions.parse({})

function plain(field: string, value: unknown, source: EffectiveValue['source']): EffectiveValue {
  return { field, value, secret: false, source }
}

function namedValues(
  place: 'headers' | 'env',
  ofConnector: readonly NamedValueView[],
  ofBinding: readonly NamedValue[],
): EffectiveValue[] {
  // Names of headers are the same in whatever case.
  const key = (name: string) => (place === 'headers' ? name.toLowerCase() : name)
  const overridden = new Set(ofBinding.map(({ name }) => key(name)))
  const show = (name: string, secret: boolean, value: unknown, source: EffectiveValue['source']): EffectiveValue => ({
    field: `${place}.${name}`,
    value: secret ? null : (value ?? null),
    secret,
    source,
  })
  const kept = ofConnector.filter(({ name }) => !overridden.has(key(name)))
  return [
    ...kept.map(({ name, value, secret, personal }) => show(name, secret || personal === true, value, 'connector')),
    ...ofBinding.map(({ name, value, secret }) => show(name, secret === true, value, 'binding')),
  ]
}

/** `{cwd}` is the working directory of the session, where it has one. */
function workingDirOf({ workingDir }: ShownConnector, session: ShownSession, { cwd }: Overrides): EffectiveValue {
  const said = cwd ?? workingDir
  if (said === null) return plain('workingDir', '{cwd}', 'default')
  const isOfSession = said.includes('{cwd}') && session.workingDir !== null
  const value = isOfSession ? said.replaceAll('{cwd}', session.workingDir!) : said
  return plain('workingDir', value, cwd !== null ? 'binding' : isOfSession ? 'session' : 'connector')
}

function optionValues(ofConnector: ConnectorOptions, ofBinding: Overrides['options']): EffectiveValue[] {
  const given: Record<string, unknown> = ofBinding
  return Object.entries(ofConnector).map(([name, value]) => {
    const field = `options.${name}`
    if (given[name] !== undefined) return plain(field, given[name], 'binding')
    return plain(field, value, value === optionDefaults[name] ? 'default' : 'connector')
  })
}

function policyValue(field: string, value: readonly string[], usual: readonly string[]): EffectiveValue {
  return plain(field, value, isSame(value, usual) ? 'default' : 'session')
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((text, index) => text === right[index])
}
