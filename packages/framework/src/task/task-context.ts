import type { JSONRPCRequest } from '@modelcontextprotocol/server'
import { RequestContext, type RequestSource } from '../host/request-context.ts'
import type { RunningTask } from './running-task.ts'

/**
 * The context of a call that goes on after its request was answered. The task's signal takes the place of the request's,
 * questions wait with the task, and progress becomes its status message; nothing can be sent to the client any more.
 */
export function taskContext(from: RequestContext, task: RunningTask): RequestContext {
  const { sdk } = from.source
  const mcpReq = {
    ...sdk.mcpReq,
    signal: task.signal,
    requestState: () => undefined,
    inputResponses: undefined,
    notify: async ({ method, params }: { method: string; params?: { message?: unknown } }) => {
      if (method === 'notifications/progress' && typeof params?.message === 'string') task.note(params.message)
    },
    log: async () => {},
  }
  const source: RequestSource = {
    ...from.source,
    sdk: { ...sdk, mcpReq } as unknown as RequestSource['sdk'],
    ask: (key, question) => task.ask(key, question),
  }
  const context = new RequestContext(from.host, withProgress(from.request, task.id), source)
  Object.assign(context.locals, from.locals)
  return context
}

/** Lets the handler report progress whether or not the client asked for it. */
function withProgress(request: JSONRPCRequest, progressToken: string): JSONRPCRequest {
  return { ...request, params: { ...request.params, _meta: { ...request.params?._meta, progressToken } } }
}
