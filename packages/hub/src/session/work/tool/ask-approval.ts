import { isObject, lacking, type WorkContext } from '../../../wire/index.ts'
import type { ToolCall, Turn } from '../../turn/types.ts'

const maxShown = 2000

/** Asks the client of a work context whether a tool may be called; undefined where it cannot be asked. */
export function approvalOf(workContext: WorkContext, session: string): Turn['approve'] {
  const { ask, caller } = workContext
  if (ask === null || lacking('elicitation/create', undefined, caller.capabilities) !== null) return undefined
  return async (call, signal) => {
    const answer = await ask({ method: 'elicitation/create', params: toQuestion(call, session) }, signal)
    const { action, content } = isObject(answer.result) ? answer.result : {}
    // A client that fails to ask has not got a yes.
    return action === 'accept' && isObject(content) && content['allow'] === true ? 'once' : 'refused'
  }
}

function toQuestion({ name, arguments: args }: ToolCall, session: string) {
  const text = JSON.stringify(args, null, 2)
  const shown = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
  return {
    mode: 'form',
    message: `The session '${session}' wants to use '${name}' with:\n${shown}`,
    requestedSchema: {
      type: 'object',
      properties: { allow: { type: 'boolean', title: `Allow '${name}' this once`, default: false } },
      required: ['allow'],
    },
  }
}
