import {
  formQuestion,
  rootsQuestion,
  samplingQuestion,
  toolSamplingQuestion,
  urlQuestion,
} from '../server/questions.ts'
import type { Cell } from '../cell.ts'
import { isModern } from '../revision.ts'
import { AnsweredError, type Json, type WireMessage } from '../wire-message.ts'
import { answersOf, rootsOf, saidBy } from './answers.ts'
import { errorOf, expectQuestion, expectSame, expectTrue, textOf } from './expect.ts'
import { introduced, removed, type Feature } from './feature.ts'
import { progressOf } from './running.ts'

const elicitation = introduced('Elicitation', '2025-06-18')

/** What a server asks while it works. */
export const askingFeatures: readonly Feature[] = [
  {
    name: 'sampling',
    title: 'Sampling',
    async run(cell) {
      const { client, key } = cell
      expectSame('the answer', textOf(await cell.call('sample', { key })), `${key}: ${saidBy(client.name, key)}`)
      expectSame('the number of questions', client.questions.length, 1)
      expectQuestion(client.questions[0], samplingQuestion(key))
    },
  },
  {
    name: 'sampling-tools',
    title: 'Sampling with tools',
    instead: 'refused; the client is not asked',
    needs: [introduced('Tools in sampling', '2025-11-25')],
    async run(cell) {
      const { client, key } = cell
      const use = { type: 'tool_use', id: `use-${key}`, name: 'weather', input: { city: 'Oslo' } }
      client.answerWith(({ params }) =>
        (params['messages'] as unknown[]).length === 1
          ? { role: 'assistant', content: [use], model: 'test', stopReason: 'toolUse' }
          : {
              role: 'assistant',
              content: { type: 'text', text: 'Sunny, it says.' },
              model: 'test',
              stopReason: 'endTurn',
            },
      )
      expectSame('the answer', textOf(await cell.call('sample_with_tools', { key })), `${key}: Sunny, it says.`)
      expectSame('the number of questions', client.questions.length, 2)
      expectQuestion(client.questions[0], toolSamplingQuestion(key, null))
      expectQuestion(client.questions[1], toolSamplingQuestion(key, use))
    },
    otherwise: (cell) => expectRefused(cell, 'sample_with_tools', '2025-11-25'),
  },
  {
    name: 'roots',
    title: 'Roots',
    async run(cell) {
      expectSame('the roots', JSON.parse(textOf(await cell.call('roots'))), rootsOf(cell.client.name))
      expectQuestion(cell.client.questions[0], rootsQuestion)
    },
  },
  {
    name: 'elicitation',
    title: 'Elicitation with a form: accept, decline, cancel',
    instead: 'refused; the client is not asked',
    needs: [elicitation],
    async run(cell) {
      const content = { name: 'Ada', mail: 'ada@example.com', age: 36, agree: true, color: 'green' }
      for (const answer of [{ action: 'accept', content }, { action: 'decline' }, { action: 'cancel' }]) {
        cell.client.answerWith(() => answer)
        expectSame(
          'the answer',
          JSON.parse(textOf(await cell.call('elicit', { key: cell.key, kind: 'plain' }))),
          answer,
        )
        expectQuestion(cell.client.questions.at(-1), formQuestion(cell.kind.server, 'plain', cell.key))
      }
    },
    otherwise: (cell) => expectRefused(cell, 'elicit', '2025-06-18', { kind: 'plain' }),
  },
  {
    name: 'elicitation-rich',
    title: 'Elicitation with defaults, titled and multiple choices',
    needs: [introduced('Defaults of every type, titled and multiple choices', '2025-11-25')],
    instead: 'titled choices become the `enumNames` of 2025-06-18',
    async run(cell) {
      const answer = {
        action: 'accept',
        content: { name: 'Ada', share: 0.5, color: 'green', size: 's', days: ['mo', 'tu'] },
      }
      cell.client.answerWith(() => answer)
      expectSame('the answer', JSON.parse(textOf(await cell.call('elicit', { key: cell.key, kind: 'rich' }))), answer)
      expectQuestion(cell.client.questions[0], formQuestion(cell.kind.server, 'rich', cell.key))
    },
    async otherwise(cell) {
      if (cell.kind.client !== '2025-06-18' || cell.kind.server < '2025-11-25') return
      cell.client.answerWith(() => ({ action: 'accept', content: { name: 'Ada', size: 's' } }))
      await cell.call('elicit', { key: cell.key, kind: 'rich' })
      const { properties } = cell.client.questions[0]!.params['requestedSchema'] as { properties: Record<string, Json> }
      const size = { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'], default: 'l' }
      expectSame('the titled choices', properties['size'], size)
    },
  },
  {
    name: 'elicitation-url',
    title: 'Elicitation by URL',
    instead: 'refused; the client is not asked',
    needs: [introduced('URL mode of elicitation', '2025-11-25')],
    async run(cell) {
      cell.client.answerWith(() => ({ action: 'accept' }))
      const said = textOf(await cell.call('elicit', { key: cell.key, kind: 'url' }))
      expectSame('the answer', JSON.parse(said), { action: 'accept' })
      const [asked] = cell.client.questions
      expectQuestion(asked, urlQuestion(cell.kind.server, cell.key))
      // 2025-11-25 requires an id, which 2026-07-28 has no more.
      const id = asked!.params['elicitationId']
      expectTrue('the elicitationId is missing', isModern(cell.kind.client) || (typeof id === 'string' && id !== ''))
    },
    otherwise: (cell) => expectRefused(cell, 'elicit', '2025-11-25', { kind: 'url' }),
  },
  {
    name: 'elicitation-complete',
    title: 'Notice that a page was dealt with (`notifications/elicitation/complete`)',
    needs: [introduced('The notice', '2025-11-25'), removed('The notice', '2026-07-28')],
    async run(cell) {
      cell.client.answerWith(() => ({ action: 'accept' }))
      await cell.call('elicit', { key: cell.key, kind: 'url' })
      const { elicitationId } = cell.client.questions[0]!.params
      const isOurs = ({ method, params }: WireMessage) =>
        method === 'notifications/elicitation/complete' && params?.['elicitationId'] === elicitationId
      await cell.client.inbox.first(isOurs, cell.signal)
    },
  },
  {
    name: 'url-required',
    title: 'A call that needs a page first (-32042): the error, or for modern clients the question',
    needs: [introduced('URL mode of elicitation', '2025-11-25'), removed('The error -32042', '2026-07-28', ['server'])],
    async run(cell) {
      const { client, key } = cell
      client.answerWith(() => ({ action: 'accept' }))
      if (!isModern(client.revision)) {
        const { code, data } = await errorOf(cell.call('sign', { key }))
        const elicitations = [urlQuestion(cell.kind.server, key).params]
        expectSame('the error', { code, data }, { code: -32042, data: { elicitations } })
      }
      expectSame('the answer', textOf(await cell.call('sign', { key })), `signed ${key}`)
      if (isModern(client.revision)) expectQuestion(client.questions[0], urlQuestion(cell.kind.server, key))
    },
  },
  {
    name: 'two-questions',
    title: 'Two questions in one call',
    async run(cell) {
      const { client, key } = cell
      const roots = JSON.stringify(rootsOf(client.name))
      const said = textOf(await cell.call('survey', { key }))
      expectSame('the answer', said, `${key}: ${saidBy(client.name, key)} ${roots}`)
      expectSame('the number of questions', client.questions.length, 2)
    },
  },
  {
    name: 'two-rounds',
    title: 'Two rounds of questions in one call, with progress between',
    async run(cell) {
      const { client, key } = cell
      const first = saidBy(client.name, key)
      const second = saidBy(client.name, `${first}?`)
      const progressToken = `token-${key}`
      const said = textOf(await cell.call('interview', { key }, { progressToken }))
      expectSame('the answer', said, `${key}: ${first}, ${second}`)
      const values = progressOf(cell, progressToken).map(({ progress }) => Number(progress))
      expectSame('the last progress', values.at(-1), 2)
      const isIncreasing = values.every((value, index) => index === 0 || value > values[index - 1]!)
      expectTrue(`progress must increase: ${values.join(', ')}`, isModern(client.revision) || isIncreasing)
    },
  },
  {
    name: 'questions-elsewhere',
    title: 'Questions while a prompt is made or a resource is read',
    async run({ client, exposed, uri }) {
      const { messages } = await client.request('prompts/get', { name: exposed('ask_first') })
      const content = { type: 'text', text: `prompt: ${saidBy(client.name, 'prompt')}` }
      expectSame('the prompt', messages, [{ role: 'user', content }])
      const { contents } = await client.request('resources/read', { uri: uri('asking') })
      const text = `resource: ${saidBy(client.name, 'resource')}`
      expectSame('the resource', contents, [{ uri: uri('asking'), mimeType: 'text/plain', text }])
    },
  },
  {
    name: 'unanswerable',
    title: 'A question that the client cannot answer is refused, and nobody waits',
    async run(cell) {
      const client = await cell.open('mute', {})
      client.answerWith(answersOf(client.name))
      await expectNoQuestion(
        cell,
        client.request('tools/call', { name: cell.exposed('sample'), arguments: { key: cell.key } }),
      )
      expectSame('questions to a client that declared nothing', client.questions, [])
    },
  },
]

/** The client's revision is too old for this question, so the server must be told no, and the client nothing. */
async function expectRefused(cell: Cell, tool: string, from: string, args: Json = {}): Promise<void> {
  if (cell.kind.server < from) return
  await expectNoQuestion(cell, cell.call(tool, { key: cell.key, ...args }))
  expectSame('questions that the client does not know', cell.client.questions, [])
}

async function expectNoQuestion(cell: Cell, call: Promise<Json>): Promise<void> {
  const refused = await call.then(
    (result) => result['isError'] === true,
    (error: unknown) => error instanceof AnsweredError,
  )
  expectTrue(`${cell.server.name} was answered though nobody could`, refused)
}
