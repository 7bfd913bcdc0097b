import type { Result, Server, ServerContext, StandardSchemaV1 } from '@modelcontextprotocol/server'
import type { Behaviour } from './behaviour.ts'

type Params = Record<string, unknown>

const anyParams: StandardSchemaV1<Params, Params> = {
  '~standard': { version: 1, vendor: 'herma', validate: (value) => ({ value: (value ?? {}) as Params }) },
}

/**
 * Names methods of extensions to the SDK. It lets unknown methods pass by itself, but stops those that an older revision
 * defined (`tasks/*`) unless they are registered with a schema.
 */
export function serveExtraMethods(
  server: Server,
  behaviour: Behaviour<never>,
  run: (request: { method: string; params?: object }, context: ServerContext) => Promise<Result>,
): void {
  for (const method of behaviour.extraMethods?.() ?? []) {
    server.setRequestHandler(method, { params: anyParams }, (params, context) => run({ method, params }, context))
  }
}
