import { knows } from '../revision.ts'
import { listKinds, type ListKind } from './world.ts'
import { logLevels } from '../wire-message.ts'
import { Refusal } from './request-context.ts'
import { text, textResult, type ServedTool } from './served-tool.ts'

/** Tools that take time, say more than an answer, or change what the server offers. */
export const runningTools: readonly ServedTool[] = [
  {
    name: 'steps',
    description: 'Reports progress.',
    properties: { count: { type: 'integer' } },
    call(args, context, world) {
      const total = Number(args['count'])
      for (let progress = 1; progress <= total; progress++) {
        context.progress({
          progress,
          total,
          ...(knows(world.revision, 'progressMessage') && { message: `step ${progress}` }),
        })
      }
      return textResult(`${total} steps`)
    },
  },
  {
    name: 'log',
    description: 'Logs once at every level.',
    properties: { key: text },
    call(args, context) {
      for (const level of logLevels) context.log(level, { key: args['key'], level })
      return textResult('logged')
    },
  },
  {
    name: 'wait',
    description: 'Waits until it is cancelled.',
    properties: { key: text },
    async call(args, { signal }, world) {
      const key = String(args['key'])
      world.note('waiting', key)
      await new Promise<void>((resolve) => {
        if (signal.aborted) return resolve()
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      world.note('cancelled', key)
      return textResult('cancelled')
    },
  },
  {
    name: 'ping',
    description: 'Pings its client.',
    call: async (_args, context) => textResult(JSON.stringify(await context.ping())),
  },
  {
    name: 'touch',
    description: 'Changes resources.',
    properties: { uris: { type: 'array', items: text } },
    call(args, _context, world) {
      for (const uri of args['uris'] as string[]) world.touch(uri)
      return textResult('touched')
    },
  },
  {
    name: 'change',
    description: 'Adds something to a list, or removes it.',
    properties: { kind: text, name: text, action: text },
    call(args, _context, world) {
      const kind = args['kind'] as ListKind
      if (!listKinds.includes(kind)) throw new Refusal(-32602, `There is no list '${kind}'.`)
      world.change(kind, String(args['name']), args['action'] === 'add')
      return textResult('changed')
    },
  },
]
