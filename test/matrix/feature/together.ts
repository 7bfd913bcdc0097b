import type { RawClient } from '../client/matrix-client.ts'
import type { Cell } from '../cell.ts'
import { answersOf, heard, saidBy } from './answers.ts'
import { errorOf, expectSame, expectTrue, textOf } from './expect.ts'
import { introduced, type Feature } from './feature.ts'

const meetingMs = 150

/** Several calls at once: an answer never reaches another call. */
export const togetherFeatures: readonly Feature[] = [
  {
    name: 'two-calls',
    title: 'Two calls of one client at once, both ask',
    async run(cell) {
      const { client, key } = cell
      meet([client], 2)
      const keys = [`${key}-a`, `${key}-b`]
      const said = await Promise.all(keys.map((one) => sample(cell, client, one)))
      expectSame(
        'the answers',
        said,
        keys.map((one) => `${one}: ${saidBy(client.name, one)}`),
      )
    },
  },
  {
    name: 'two-clients',
    title: 'Two clients at once, both ask',
    async run(cell) {
      const other = await cell.open('other')
      const clients = [cell.client, other]
      meet(clients, 2)
      const keyOf = (client: RawClient) => `${cell.key}-${client.name}`
      const said = await Promise.all(clients.map((client) => sample(cell, client, keyOf(client))))
      expectSame(
        'the answers',
        said,
        clients.map((one) => `${keyOf(one)}: ${saidBy(one.name, keyOf(one))}`),
      )
      for (const client of clients) {
        expectSame(
          `what ${client.name} was asked`,
          client.questions.map(({ params }) => heard(params)),
          [keyOf(client)],
        )
      }
    },
  },
  {
    name: 'request-state',
    title: '`requestState` is bound to its call and cannot be changed',
    needs: [introduced('requestState', '2026-07-28', ['client'])],
    async run(cell) {
      const { client, key, exposed } = cell
      const params = { name: exposed('sample'), arguments: { key } }
      const asked = await client.requestOnce('tools/call', params)
      expectSame('the first result', asked['resultType'], 'input_required')
      const state = String(asked['requestState'])
      const [id] = Object.keys(asked['inputRequests'] as object)
      const answer = await answersOf(client.name)({ method: 'sampling/createMessage', params: messages(key) })
      const inputResponses = { [id!]: answer }
      const changed =
        state.slice(0, state.length / 2) +
        flip(state[Math.floor(state.length / 2)]!) +
        state.slice(state.length / 2 + 1)
      await errorOf(client.requestOnce('tools/call', { ...params, inputResponses, requestState: changed }))
      const elsewhere = { name: exposed('roots'), arguments: {}, inputResponses, requestState: state }
      await errorOf(client.requestOnce('tools/call', elsewhere))
      const result = await client.requestOnce('tools/call', { ...params, inputResponses, requestState: state })
      expectSame('the answer', textOf(result), `${key}: ${saidBy(client.name, key)}`)
    },
  },
]

/** Lets the answers wait for each other for a moment, so that questions meet where the gateway lets them. */
function meet(clients: readonly RawClient[], count: number): void {
  let arrived = 0
  const waiting: (() => void)[] = []
  for (const client of clients) {
    const answer = answersOf(client.name)
    client.answerWith(async (question) => {
      arrived++
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
        if (arrived >= count) for (const go of waiting) go()
        // A gateway may let one call wait for the other; then they never meet, and need not.
        else setTimeout(resolve, meetingMs)
      })
      return answer(question)
    })
  }
}

async function sample(cell: Cell, client: RawClient, key: string): Promise<string> {
  return textOf(await client.request('tools/call', { name: cell.exposed('sample'), arguments: { key } }))
}

function messages(text: string) {
  return { messages: [{ role: 'user', content: { type: 'text', text } }] }
}

function flip(character: string): string {
  expectTrue('the requestState is empty', character !== undefined)
  return character === 'A' ? 'B' : 'A'
}
