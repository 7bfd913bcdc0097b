import { ConnectorOptions } from '@herma/contract'

export type OptionName = keyof ConnectorOptions

/** Options while they are edited: numbers as they are typed; a prefix of null is the connector's name. */
export type OptionTexts = { readonly [Name in OptionName]: string | boolean | null }

/** How one option is shown. Its description, its choices and its default are those of the contract. */
export interface OptionField {
  readonly name: OptionName
  readonly label: string
  readonly kind: 'choice' | 'switch' | 'number' | 'prefix'
  readonly description: string
  readonly choices: readonly string[]
  readonly unit: 'ms' | 'bytes' | null
}

const defaults = ConnectorOptions.parse({})

const labels: Readonly<Record<OptionName, string>> = {
  prefix: 'Prefix of its tools',
  listed: 'In the main catalog',
  pinning: 'When a tool changes',
  start: 'Start',
  isolation: 'Who shares it',
  credentials: 'Credentials',
  era: 'Protocol era',
  idleTimeoutMs: 'Stop when idle',
  maxRestarts: 'Restarts',
  handshakeTimeoutMs: 'Start time limit',
  installTimeoutMs: 'Install time limit',
  requestTimeoutMs: 'Silence limit of a call',
  maxRequestMs: 'Time limit of a call',
  maxConcurrency: 'Calls at once',
  maxMessageBytes: 'Largest message',
  listRefreshMs: 'Read its lists again',
  maxListEntries: 'Entries of one list',
  maxListBytes: 'Size of one list',
  maxDescriptorBytes: 'Largest tool or prompt',
  maxEventsPerMinute: 'Events a minute',
}

const groups: readonly (readonly [title: string, names: readonly OptionName[]])[] = [
  ['How clients see it', ['prefix', 'listed', 'pinning']],
  ['How it runs', ['start', 'idleTimeoutMs', 'isolation', 'credentials', 'era', 'maxRestarts', 'listRefreshMs']],
  [
    'Limits',
    [
      'handshakeTimeoutMs',
      'installTimeoutMs',
      'requestTimeoutMs',
      'maxRequestMs',
      'maxConcurrency',
      'maxMessageBytes',
      'maxListEntries',
      'maxListBytes',
      'maxDescriptorBytes',
      'maxEventsPerMinute',
    ],
  ],
]

/** Every option, in groups. */
export const optionGroups = groups.map(([title, names]) => ({ title, fields: names.map(describeOption) }))

export const defaultOptions: OptionTexts = toOptionTexts(defaults)

export function toOptionTexts(options: ConnectorOptions): OptionTexts {
  const entries = Object.keys(ConnectorOptions.shape).map((name) => {
    const value = options[name as OptionName]
    return [name, typeof value === 'number' ? String(value) : (value ?? null)]
  })
  return Object.fromEntries(entries) as OptionTexts
}

/** What is sent for an option; undefined = its default. */
export function readOption(name: OptionName, text: OptionTexts[OptionName]): unknown {
  if (text === null) return undefined
  const isNumber = typeof defaults[name] === 'number'
  return isNumber && /^\s*\d+\s*$/.test(String(text)) ? Number(text) : text
}

function describeOption(name: OptionName): OptionField {
  const type = ConnectorOptions.shape[name]
  const inner = 'unwrap' in type ? type.unwrap() : type
  const choices = 'options' in inner ? (inner.options as readonly string[]) : []
  const value = defaults[name]
  const kind =
    name === 'prefix' ? 'prefix' : choices.length > 0 ? 'choice' : typeof value === 'boolean' ? 'switch' : 'number'
  const unit = name.endsWith('Ms') ? 'ms' : name.endsWith('Bytes') ? 'bytes' : null
  return { name, label: labels[name], kind, description: type.description ?? '', choices, unit }
}
