import {
  effectiveValues,
  type BindingView,
  type ConnectorView,
  type NamedValue,
  type NamedValueView,
} from '@herma/contract'
import type { StoredSession } from '../store.ts'
import { allowedTools } from './allowed-tools.ts'
import type { BindableConnectors } from './binding-environment.ts'
import type { StoredBinding } from './store.ts'

interface ShownOptions {
  readonly session: StoredSession
  readonly connector: ConnectorView
  readonly connectors: BindableConnectors
}

/** A binding as it is shown: no secret value leaves the hub. */
export function toBindingView(binding: StoredBinding, { session, connector, connectors }: ShownOptions): BindingView {
  const place = { sessionId: session.id, connector: connector.name }
  const tools = allowedTools({
    connector: connector.name,
    allowedTools: binding.allowedTools,
    policy: session.tools,
    tools: connectors.toolsOf(place),
  })
  return {
    session: session.name,
    connector: connector.name,
    enabled: binding.enabled,
    headers: binding.headers.map(toValueView),
    env: binding.env.map(toValueView),
    options: binding.options,
    cwd: binding.cwd,
    allowedTools: binding.allowedTools,
    hasOwnDownstream: connectors.hasOwnDownstream(place),
    effective: effectiveValues(connector, session, binding),
    tools: tools.map(({ name }) => name),
    problem: problemOf(binding, connector),
    updatedAt: binding.updatedAt.toISOString(),
  }
}

function toValueView({ name, value, secret = false }: NamedValue): NamedValueView {
  return { name, secret, stored: secret && value !== undefined, ...(!secret && { value: value ?? '' }) }
}

function problemOf({ problem }: StoredBinding, connector: ConnectorView): string | null {
  if (problem !== null) return problem
  if (connector.problem !== null) return `'${connector.name}' cannot be used: ${connector.problem}`
  return connector.enabled ? null : `'${connector.name}' is disabled. Enable it: herma enable ${connector.name}`
}
