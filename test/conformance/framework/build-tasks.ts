import { setTimeout as sleep } from 'node:timers/promises'
import {
  errorCode,
  jsonSchema,
  McpError,
  server,
  startTask,
  tasks,
  ToolError,
  type AnyApp,
  type Context,
} from '@herma/framework'
import { fieldSchema } from '../server/elicitation-schemas.ts'

type Fields = Record<string, unknown>

/** The tools that the scenarios of the tasks extension name. */
export function buildTasks(): AnyApp {
  const inTask = { task: 'required' } as const
  return server({ name: 'herma-framework-tasks', version: '1.0.0' })
    .plugin(tasks({ ttlMs: 300_000, pollIntervalMs: 100 }))
    .tool(
      'greet',
      { input: jsonSchema<{ name?: string }>({ type: 'object' }) },
      ({ name }) => `Hello, ${String(name)}!`,
    )
    .tool(
      'slow_compute',
      { task: 'allowed', input: jsonSchema<{ seconds?: number }>({ type: 'object' }) },
      async ({ seconds = 0 }, { signal }) => {
        await sleep(seconds * 1000, undefined, { signal })
        return 'Computed.'
      },
    )
    .tool('failing_job', inTask, async () => {
      await sleep(200)
      throw new ToolError('The job failed.')
    })
    .tool('protocol_error_job', inTask, async () => {
      await sleep(100)
      throw new McpError(errorCode.internal, 'The job broke.')
    })
    .tool('confirm_delete', inTask, async (_, context) => {
      const schema = jsonSchema<Fields>(fieldSchema('confirm', { type: 'boolean' }))
      const answer = await context.elicit('confirm', { message: 'Really delete?', schema })
      return `Deleted: ${JSON.stringify(answer)}`
    })
    .tool('multi_input', inTask, async (_, context) => {
      const answers = await Promise.all([ask(context, 'first', 'First?'), ask(context, 'second', 'Second?')])
      return JSON.stringify(answers)
    })
    .tool('test_tool_with_task', {}, async (_, context) => {
      const answer = await ask(context, 'user_name', 'What is your name?')
      return startTask(context, async () => {
        await sleep(100)
        return answer.action === 'accept' ? `Hello, ${String(answer.value['name'])}!` : 'Hello, stranger!'
      })
    })
}

function ask(context: Context, key: string, message: string) {
  return context.elicit(key, { message, schema: jsonSchema<Fields>(fieldSchema('name')) })
}
