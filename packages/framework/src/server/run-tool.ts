import type { CallToolResult } from '@modelcontextprotocol/server'
import type { ToolComponent } from '../component/component.ts'
import { failedResult } from '../component/to-result.ts'
import type { RequestContext } from '../host/request-context.ts'
import { McpError, ToolError } from '../protocol/errors.ts'
import { emit } from '../telemetry/events.ts'
import { typeOfThrown } from '../telemetry/thrown.ts'

/** Runs a tool when it is its turn, within its time. Errors become a result, so that the model can read them. */
export async function runTool(tool: ToolComponent, args: unknown, context: RequestContext): Promise<CallToolResult> {
  // An inner call spends the time of the call around it: neither may lengthen or cut the other's.
  if (tool.timeoutMs !== undefined && !context.isInner) context.deadline.restart(tool.timeoutMs)
  const semaphore = tool.isExclusive && !context.isWithin(tool.id) ? context.connection.exclusive(tool.id) : undefined
  const turn = semaphore?.acquire(context.signal)
  if (turn !== undefined) await turn
  const startedAt = performance.now()
  let failure: unknown
  let result: CallToolResult | undefined
  try {
    result = toClient(await tool.run(args, context), tool, context)
    return result
  } catch (error) {
    if (context.isSuspended) throw error
    failure = error
    if (context.isCancelled) throw error
    result = toErrorResult(error, context)
    return result
  } finally {
    semaphore?.release()
    if (!context.isSuspended) report(context, startedAt, failure, result?.isError === true)
  }
}

/** Structured results that are no objects have another form for legacy clients. */
function toClient(result: CallToolResult, tool: ToolComponent, context: RequestContext): CallToolResult {
  if (result.structuredContent === undefined) return result
  return context.source.server.projectCallToolResult(result, tool.descriptor.outputSchema)
}

function toErrorResult(error: unknown, context: RequestContext): CallToolResult {
  if (error instanceof McpError) throw error
  if (!(error instanceof ToolError)) {
    return { content: [{ type: 'text', text: context.host.mask(error).message }], isError: true }
  }
  return failedResult(error)
}

function report(context: RequestContext, startedAt: number, error: unknown, isError: boolean): void {
  emit('mcp.tool.call', () => ({
    ...context.operation(),
    ms: performance.now() - startedAt,
    isError: isError || error !== undefined,
    ...(error !== undefined && { failure: { type: typeOfThrown(error), error } }),
  }))
}
