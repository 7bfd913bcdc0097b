import { setTimeout as sleep } from 'node:timers/promises'
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  fromJsonSchema,
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { textResult } from './content.ts'
import { fieldSchema } from './elicitation-schemas.ts'
import type { Job, TaskBoard } from './task-board.ts'

const extension = 'io.modelcontextprotocol/tasks'

type Call = { args: Record<string, unknown>; context: ServerContext; board: TaskBoard }
type Answer = CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>

/**
 * A server with the tasks extension (SEP-2663). The SDK has no runtime for it, so this stands on its low-level server
 * and answers `tools/call` itself.
 */
export function buildTasksServer(board: TaskBoard): Server {
  const server = new Server(
    { name: 'herma-conformance-tasks', version: '1.0.0' },
    { capabilities: { tools: {}, extensions: { [extension]: {} } } },
  )
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(tools).map((name) => ({
      name,
      description: `Tasks: ${name}.`,
      inputSchema: { type: 'object' },
    })),
  }))
  server.setRequestHandler('tools/call', ({ params }, context) => {
    const call = tools[params.name]
    if (!call)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${params.name} is unknown; see tools/list.`)
    return call({ args: params.arguments ?? {}, context, board })
  })
  onTask(server, 'tasks/get', ({ taskId }) => board.get(taskId))
  onTask(server, 'tasks/update', ({ taskId, inputResponses }, { mcpReq }) => {
    board.answer(taskId, inputResponses ?? mcpReq.inputResponses ?? {})
    return {}
  })
  onTask(server, 'tasks/cancel', ({ taskId }) => {
    board.cancel(taskId)
    return {}
  })
  return server
}

const tools: Record<string, (call: Call) => Answer> = {
  greet: ({ args }) => textResult(`Hello, ${String(args['name'])}!`),
  slow_compute: (call) => {
    const job: Job = async ({ signal }) => {
      await sleep(Number(call.args['seconds'] ?? 0) * 1000, undefined, { signal })
      return textResult('Computed.')
    }
    return hasTasks(call.context) ? asTask(call, job) : job({ signal: call.context.mcpReq.signal, ask: refuseToAsk })
  },
  failing_job: (call) =>
    asTask(call, async () => {
      await sleep(200)
      return { ...textResult('The job failed.'), isError: true }
    }),
  protocol_error_job: (call) =>
    asTask(call, async () => {
      await sleep(100)
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'The job broke.')
    }),
  confirm_delete: (call) =>
    asTask(call, async ({ ask }) => {
      const answers = await ask({ confirm: question('Really delete?', fieldSchema('confirm', { type: 'boolean' })) })
      return textResult(`Deleted: ${JSON.stringify(answers['confirm'])}`)
    }),
  multi_input: (call) =>
    asTask(call, async ({ ask }) => {
      const answers = await ask({ first: question('First?'), second: question('Second?') })
      return textResult(JSON.stringify(answers))
    }),
  test_tool_with_task: (call) => {
    needTasks(call.context)
    const answer = acceptedContent<{ name: string }>(call.context.mcpReq.inputResponses, 'user_name')
    if (!answer) return inputRequired({ inputRequests: { user_name: question('What is your name?') } })
    return asTask(call, async () => {
      await sleep(100)
      return textResult(`Hello, ${answer.name}!`)
    })
  },
}

function asTask({ context, board }: Call, job: Job): CallToolResult {
  needTasks(context)
  // The SDK's types know no task as the result of a call; on the wire it is what the extension asks for.
  return { resultType: 'task', ...board.start(job) } as unknown as CallToolResult
}

type TaskParams = { taskId: string; inputResponses?: Record<string, unknown> }
const taskParams = fromJsonSchema<TaskParams>({
  type: 'object',
  properties: { taskId: { type: 'string' } },
  required: ['taskId'],
})
const anyResult = fromJsonSchema<Record<string, unknown>>({ type: 'object' })

function onTask(
  server: Server,
  method: string,
  answer: (params: TaskParams, context: ServerContext) => Record<string, unknown>,
): void {
  server.setRequestHandler(method, { params: taskParams, result: anyResult }, (params, context) => {
    needTasks(context)
    return answer(params, context)
  })
}

function hasTasks({ mcpReq }: ServerContext): boolean {
  const envelope: Record<string, unknown> = mcpReq.envelope ?? {}
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY] as { extensions?: Record<string, unknown> } | undefined
  return declared?.extensions?.[extension] !== undefined
}

function needTasks(context: ServerContext): void {
  if (hasTasks(context)) return
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [extension]: {} } } })
}

function question(message: string, requestedSchema = fieldSchema('name')) {
  return inputRequired.elicit({ message, requestedSchema })
}

function refuseToAsk(): never {
  throw new ProtocolError(ProtocolErrorCode.InternalError, 'Only a task can ask the client.')
}
