import type { Attributes, Context, Meter } from '@opentelemetry/api'
import { BoundedNames } from '../bounded-names.ts'
import type { Events } from '../events.ts'
import { transportAttributes } from './operation-attributes.ts'
import { errorTypeOf, hasMethod, hasTarget } from '../outcome.ts'

type Ended = Events['mcp.request.end'] | Events['mcp.client.request']
type Closed = Events['mcp.connection.closed']

/** Records how long requests, questions to clients and connections took. */
export interface OperationMetrics {
  served(event: Events['mcp.request.end'], within: Context | undefined): void
  asked(event: Events['mcp.client.request']): void
  closed(event: Closed): void
}

// Every kind of duration has these: https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/#metrics
const buckets = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
const mostMethods = 100
const mostTargets = 1000

/** The metrics of the semantic conventions for MCP, in seconds. */
export function operationMetrics(meter: Meter): OperationMetrics {
  const seconds = (name: string, description: string) =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: buckets } })
  const served = seconds('mcp.server.operation.duration', 'From receiving a request to sending its answer.')
  const asked = seconds('mcp.client.operation.duration', 'From asking a client to its answer.')
  const open = seconds('mcp.server.session.duration', 'From the opening of a connection to its end.')
  const methods = new BoundedNames(mostMethods)
  const targets = new BoundedNames(mostTargets)

  const attributesOf = (event: Ended): Attributes => ({
    'mcp.method.name': methods.of(event.method, hasMethod(event)),
    'mcp.protocol.version': event.version,
    'herma.server.name': event.server,
    ...transportAttributes(event.kind),
    ...targetOf(event, targets),
    ...errorAttributes(errorTypeOf(event)),
    ...(event.failure?.code !== undefined && { 'rpc.response.status_code': String(event.failure.code) }),
  })

  return {
    served: (event, within) => served.record(event.ms / 1000, attributesOf(event), within),
    asked: (event) => asked.record(event.ms / 1000, attributesOf(event)),
    closed: (event) =>
      open.record(event.ms / 1000, {
        ...(event.version !== undefined && { 'mcp.protocol.version': event.version }),
        'herma.server.name': event.server,
        ...transportAttributes(event.kind),
        ...errorAttributes(closingError(event)),
      }),
  }
}

function targetOf(event: Ended, names: BoundedNames): Attributes {
  const { method, target } = event
  if (target === undefined || (method !== 'tools/call' && method !== 'prompts/get')) return {}
  const name = names.of(target, hasTarget(event))
  if (method === 'prompts/get') return { 'gen_ai.prompt.name': name }
  return { 'gen_ai.tool.name': name, 'gen_ai.operation.name': 'execute_tool' }
}

function errorAttributes(type: string | undefined): Attributes {
  return type === undefined ? {} : { 'error.type': type }
}

/** Only a connection that broke ended with an error; idle, evicted and closed ones ended in order. */
function closingError({ reason }: Closed): string | undefined {
  if (typeof reason !== 'string') return String(reason.code)
  return reason === 'lost' ? 'lost' : undefined
}
