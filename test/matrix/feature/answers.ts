import type { Answerer } from '../client/matrix-client.ts'
import type { Json } from '../wire-message.ts'

/** How a client answers unless a feature wants it otherwise; every answer carries the client's name. */
export function answersOf(name: string): Answerer {
  return ({ method, params }) => {
    if (method === 'roots/list') return { roots: rootsOf(name) }
    if (method === 'sampling/createMessage') {
      const text = saidBy(name, heard(params))
      return { role: 'assistant', content: { type: 'text', text }, model: 'test', stopReason: 'endTurn' }
    }
    throw new Error(`Nothing was prepared for ${method}.`)
  }
}

export function rootsOf(name: string): Json[] {
  return [{ uri: `file:///home/${name}`, name }]
}

export function saidBy(name: string, text: string): string {
  return `${name} heard ${text}`
}

/** The text of a sampling question. */
export function heard(params: Json): string {
  const [message] = params['messages'] as { content: { text: string } }[]
  return message!.content.text
}
