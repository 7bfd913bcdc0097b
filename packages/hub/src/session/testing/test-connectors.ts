import { ConnectorOptions, HubError, type ConnectorView, type NamedValueView } from '@herma/contract'
import type { BindableConnectors } from '../binding/binding-environment.ts'

type Fields = Partial<Pick<ConnectorView, 'transport' | 'enabled' | 'problem' | 'options'>> & {
  readonly headers?: NamedValueView[]
  readonly tools?: readonly string[]
}

/** Connectors as bindings see them, to be added, renamed and removed by a test. */
export class TestConnectors implements BindableConnectors {
  readonly #views = new Map<string, ConnectorView>()
  readonly #tools = new Map<string, readonly string[]>()

  /** Returns its id. */
  add(name: string, { tools = [], ...fields }: Fields = {}): string {
    const id = crypto.randomUUID()
    this.#tools.set(id, tools)
    this.#views.set(id, createView(id, name, fields))
    return id
  }

  change(id: string, fields: Partial<ConnectorView>): void {
    this.#views.set(id, { ...this.#views.get(id)!, ...fields })
  }

  remove(id: string): void {
    this.#views.delete(id)
  }

  byId(id: string): ConnectorView | undefined {
    return this.#views.get(id)
  }

  byName(name: string): ConnectorView {
    const found = [...this.#views.values()].find((view) => view.name === name)
    if (found === undefined) throw new HubError('CONNECTOR_NOT_FOUND', `No connector is named '${name}'.`)
    return found
  }

  toolsOf({ connector }: { connector: string }): readonly string[] {
    return this.#tools.get(this.byName(connector).id) ?? []
  }

  hasOwnDownstream(): boolean {
    return false
  }
}

function createView(id: string, name: string, fields: Omit<Fields, 'tools'>): ConnectorView {
  const at = new Date(0).toISOString()
  return {
    id,
    name,
    description: '',
    kind: 'client',
    enabled: true,
    transport: 'stream',
    baseUrl: 'https://mcp.example.com',
    endpointPath: null,
    headers: [],
    cmd: null,
    args: [],
    env: [],
    workingDir: null,
    oauth: null,
    isolation: null,
    touches: null,
    signIn: null,
    options: ConnectorOptions.parse({}),
    notes: '',
    createdAt: at,
    updatedAt: at,
    problem: null,
    warnings: [],
    lastTest: null,
    counts: { tools: 0, resources: 0, resourceTemplates: 0, prompts: 0 },
    health: {
      state: 'idle',
      era: null,
      revision: null,
      transport: null,
      serverInfo: null,
      processId: null,
      processes: [],
      inFlight: 0,
      callCount: 0,
      errorCount: 0,
      restartCount: 0,
      failedStarts: 0,
      latencyMs: null,
      lastError: null,
      lastHandshakeAt: null,
      retryAt: null,
      leftOut: [],
    },
    ...fields,
  }
}
