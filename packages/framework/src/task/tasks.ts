import type { CallToolResult, Result } from '@modelcontextprotocol/server'
import type { ToolOutput } from '../component/define.ts'
import { toToolResult } from '../component/to-result.ts'
import type { Context } from '../context/context.ts'
import type { RequestContext } from '../host/request-context.ts'
import { ConfigError, errorCode, McpError } from '../protocol/errors.ts'
import type { Plugin } from '../server/app.ts'
import type { Host } from '../host/host.ts'
import { hostOf } from '../server/served.ts'
import { Toolkit } from '../server/toolkit.ts'
import { checkPositive } from '../store/check-positive.ts'
import { memoryStore } from '../store/memory-store.ts'
import type { Store } from '../store/store.ts'
import { tasksExtension } from './task.ts'
import { TaskRunner } from './task-runner.ts'
import { TaskStore } from './task-store.ts'

/** How tasks are kept; all of it has defaults. */
export interface TasksOptions {
  /** Where tasks are kept for other processes to see; in this one only unless said otherwise. */
  readonly store?: Store
  /** How long a task is kept from its start; it is cancelled when it still runs then. An hour unless said otherwise. */
  readonly ttlMs?: number
  /** How often clients are asked to look; a second unless said otherwise. */
  readonly pollIntervalMs?: number
  /** Running at once in this process; 1000 unless said otherwise. */
  readonly maxTasks?: number
}

/** The longest delay of a timer in Node.js. */
const maxTimerMs = 2_147_483_647

const runners = new WeakMap<Host, TaskRunner>()

/**
 * The tasks extension: tools with `task: 'allowed'` or `'required'` go on after their call was answered, and the client
 * polls. Only clients of 2026-07-28 that declare the extension get tasks; middleware that was added later runs inside.
 */
export function tasks(options: TasksOptions = {}): Plugin {
  const { store, ttlMs = 3_600_000, pollIntervalMs = 1000, maxTasks = 1000 } = options
  checkPositive('ttlMs', ttlMs)
  if (ttlMs > maxTimerMs) throw new RangeError(`ttlMs must be at most ${maxTimerMs}, not ${ttlMs}.`)
  checkPositive('pollIntervalMs', pollIntervalMs)
  checkPositive('maxTasks', maxTasks)
  return {
    name: 'tasks',
    install: (app) => {
      const host = hostOf(app)
      const toolkit: unknown = host.behaviour
      if (!(toolkit instanceof Toolkit)) throw new ConfigError('Tasks need tools.', 'Use them with server().')
      const taskStore = new TaskStore(store ?? memoryStore(), host.info.name)
      const runner = new TaskRunner(host, taskStore, { ttlMs, pollIntervalMs, maxTasks, isShared: store !== undefined })
      runners.set(host, runner)
      app.extension(tasksExtension)
      app.use('tools/call', async (request, next, context) => {
        const own = context as RequestContext
        const { name } = (request.params ?? {}) as { name?: string }
        const isCall = name !== undefined && isOutermost(own)
        const tool = isCall ? await toolkit.catalog.find('tool', name, own) : undefined
        if (tool === undefined || tool.task === 'never') return next()
        // A caller without the scopes is refused at once, not by a task.
        if (tool.definition.scopes !== undefined && !own.hasScope(...tool.definition.scopes)) return next()
        if (knowsTasks(own)) return runner.start(own, (inTask) => next(request, inTask))
        if (tool.task === 'required') requireTasks(own, `The tool '${tool.id}' runs as a task only.`)
        return next()
      })
      serveMethods(app, runner)
    },
  }
}

/**
 * Goes on as a task from inside a handler, for example after it asked something that must be known first.
 * Where tasks are not possible the job simply runs, so its questions and its result look the same to the client.
 */
export async function startTask<S>(
  context: Context<S>,
  job: (context: Context<S>) => ToolOutput<undefined> | Promise<ToolOutput<undefined>>,
): Promise<CallToolResult> {
  const own = context as unknown as RequestContext
  const runner = runners.get(own.host)
  if (runner === undefined) throw new ConfigError('There are no tasks here.', 'Add the plugin: app.plugin(tasks()).')
  const run = async (inTask: RequestContext) => toToolResult(await job(inTask as unknown as Context<S>)) as Result
  const result = isOutermost(own) && knowsTasks(own) ? runner.start(own, run) : run(own)
  // The result that names the task takes the place of the tool's result.
  return (await result) as CallToolResult
}

function serveMethods(app: Parameters<Plugin['install']>[0], runner: TaskRunner): void {
  const serve = (method: string, answer: (taskId: string, context: RequestContext) => Promise<object | void>) =>
    app.method(method, async ({ params }, context) => {
      const own = context as RequestContext
      if (own.era !== 'modern') throw new McpError(errorCode.methodNotFound, `Method not found: ${method}`)
      requireTasks(own, `${method} belongs to the extension '${tasksExtension}'.`)
      const taskId = params?.['taskId']
      if (typeof taskId !== 'string') {
        throw new McpError(errorCode.invalidParams, `Invalid params: ${method} needs 'taskId' as a string.`)
      }
      return { ...(await answer(taskId, own)) }
    })
  serve('tasks/get', (taskId, { principal }) => runner.get(taskId, principal?.id))
  serve('tasks/update', (taskId, context) => runner.answer(taskId, answersOf(context), context.principal?.id))
  serve('tasks/cancel', (taskId, { principal }) => runner.cancel(taskId, principal?.id))
}

/** The SDK lifts `inputResponses` out of the params of every modern request. */
function answersOf(context: RequestContext): Record<string, unknown> {
  const given = context.request.params?.['inputResponses']
  return (given as Record<string, unknown> | undefined) ?? context.retry().inputResponses
}

/** False for inner calls and for what runs in a task already: both are part of something that has its own answer. */
function isOutermost(context: RequestContext): boolean {
  return !context.isInner && context.source.ask === undefined
}

function knowsTasks(context: RequestContext): boolean {
  if (context.era !== 'modern') return false
  const { extensions } = context.clientSaid().capabilities
  return extensions !== undefined && Object.hasOwn(extensions, tasksExtension)
}

function requireTasks(context: RequestContext, why: string): void {
  if (knowsTasks(context)) return
  const requiredCapabilities = { extensions: { [tasksExtension]: {} } }
  throw new McpError(errorCode.missingCapability, `${why} This client did not declare it.`, { requiredCapabilities })
}
