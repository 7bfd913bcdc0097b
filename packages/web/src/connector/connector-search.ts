const states = ['problem', 'ready', 'idle', 'off'] as const
const tabs = ['settings', 'tools', 'credentials', 'logs'] as const

/** What the address of the list says. */
export interface ConnectorsSearch {
  readonly filter?: string
  readonly state?: (typeof states)[number]
}

export function readConnectorsSearch({ filter, state }: Record<string, unknown>): ConnectorsSearch {
  const known = states.find((each) => each === state)
  return {
    ...(typeof filter === 'string' && filter !== '' && { filter }),
    ...(known !== undefined && { state: known }),
  }
}

/** What the address of one connector says. */
export interface ConnectorSearch {
  readonly tab?: (typeof tabs)[number]
  /** It was just added: the page says what to do next. */
  readonly isNew?: true
}

export function readConnectorSearch({ tab, isNew }: Record<string, unknown>): ConnectorSearch {
  const known = tabs.find((each) => each === tab)
  return { ...(known !== undefined && { tab: known }), ...(isNew === true && { isNew }) }
}

/** What the form of a new connector begins with: a copy of another. */
export interface NewConnectorSearch {
  readonly copy?: string
}

export function readNewConnectorSearch({ copy }: Record<string, unknown>): NewConnectorSearch {
  return typeof copy === 'string' ? { copy } : {}
}
