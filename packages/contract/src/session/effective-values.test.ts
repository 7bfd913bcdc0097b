import { expect, test } from 'vitest'
import { BindingInput, type EffectiveValue } from './binding.ts'
import { ConnectorOptions, type ConnectorView } from '../connector/connector.ts'
import { effectiveValues } from './effective-values.ts'
import { SessionInput } from './session.ts'

type Shown = Pick<ConnectorView, 'headers' | 'env' | 'options' | 'workingDir'>

function effectiveOf(
  connector: Partial<Shown>,
  session: Partial<SessionInput> = {},
  binding: Partial<BindingInput> = {},
): EffectiveValue[] {
  return effectiveValues(
    { headers: [], env: [], workingDir: null, options: ConnectorOptions.parse({}), ...connector },
    SessionInput.parse({ name: 's', provider: 'sampling', ...session }),
    BindingInput.parse({ session: 's', connector: 'c', ...binding }),
  )
}

test('every field is there with its value and who said so', () => {
  const connector: Partial<Shown> = {
    headers: [
      { name: 'Authorization', secret: true, stored: true },
      { name: 'X-Team', value: 'red', secret: false, stored: false },
      { name: 'X-Own', secret: false, stored: false, personal: true },
    ],
    env: [
      { name: 'MODE', value: 'slow', secret: false, stored: false },
      { name: 'mode', value: 'other', secret: false, stored: false },
    ],
    workingDir: '{cwd}/src',
    options: ConnectorOptions.parse({ requestTimeoutMs: 5000, maxRestarts: 1 }),
  }
  const session = { workingDir: '/work', tools: { allow: ['read_*'] } }
  const binding = {
    headers: [
      { name: 'x-team', value: 'blue' },
      { name: 'X-Token', value: 'canary', secret: true },
    ],
    env: [{ name: 'MODE', value: 'fast' }],
    options: { requestTimeoutMs: 9000 },
    allowedTools: ['read_*', 'list'],
  }
  const table = effectiveOf(connector, session, binding).map(
    ({ field, value, secret, source }) => `${field} = ${JSON.stringify(value)}${secret ? ' (secret)' : ''} ← ${source}`,
  )
  expect(table).toEqual([
    'headers.Authorization = null (secret) ← connector',
    'headers.X-Own = null (secret) ← connector',
    'headers.x-team = "blue" ← binding',
    'headers.X-Token = null (secret) ← binding',
    'env.mode = "other" ← connector',
    'env.MODE = "fast" ← binding',
    'workingDir = "/work/src" ← session',
    'options.listed = true ← default',
    'options.era = "auto" ← default',
    'options.start = "use" ← default',
    'options.isolation = "shared" ← default',
    'options.credentials = "shared" ← default',
    'options.pinning = "warn" ← default',
    'options.handshakeTimeoutMs = 30000 ← default',
    'options.installTimeoutMs = 300000 ← default',
    'options.requestTimeoutMs = 9000 ← binding',
    'options.maxRequestMs = 3600000 ← default',
    'options.idleTimeoutMs = 600000 ← default',
    'options.maxRestarts = 1 ← connector',
    'options.maxConcurrency = 256 ← default',
    'options.maxMessageBytes = 16777216 ← default',
    'options.maxListEntries = 10000 ← default',
    'options.maxListBytes = 16777216 ← default',
    'options.maxDescriptorBytes = 1048576 ← default',
    'options.maxEventsPerMinute = 1000 ← default',
    'options.listRefreshMs = 300000 ← default',
    'tools.allow = ["read_*"] ← session',
    'tools.deny = [] ← default',
    'allowedTools = ["read_*","list"] ← binding',
  ])
})

test.each<[string, string | null, string | null, string | null, string, EffectiveValue['source']]>([
  ['nobody says it', null, null, null, '{cwd}', 'default'],
  ['nor does a session alone', null, '/work', null, '{cwd}', 'default'],
  ['the connector does', '/srv', '/work', null, '/srv', 'connector'],
  ['the connector leaves it to the session', '{cwd}', '/work', null, '/work', 'session'],
  ['which has none', '{cwd}', null, null, '{cwd}', 'connector'],
  ['the binding has the last word', '/srv', '/work', '/other', '/other', 'binding'],
  ['and may begin where the session works', '/srv', '/work', '{cwd}/b', '/work/b', 'binding'],
])('the working directory when %s', (_name, ofConnector, ofSession, ofBinding, value, source) => {
  const values = effectiveOf({ workingDir: ofConnector }, { workingDir: ofSession }, { cwd: ofBinding })
  expect(values.find(({ field }) => field === 'workingDir')).toEqual({
    field: 'workingDir',
    value,
    secret: false,
    source,
  })
})
