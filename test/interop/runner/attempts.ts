import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serverAttemptNames, type ServerAttemptName } from '../server/interop-server.ts'
import type { Answers, McpRequest, Outcome } from './client.ts'
import { onlyNames, onlyTheName, sampledText, withoutMore } from './trim-result.ts'

export interface Step {
  readonly request: McpRequest
  readonly expected: Outcome
  /** Leaves out of a result what may differ from client to client. */
  readonly trim?: (result: unknown) => unknown
}

export interface Attempt {
  readonly name: AttemptName
  /** Name of the server that it is about; absent: the hub as a whole. */
  readonly server?: string
  readonly steps: readonly Step[]
  /** True when its server cannot take two at once. */
  readonly isAlone?: boolean
  /** A look at the world, beside what the client shows. */
  readonly verify?: () => Promise<void>
}

/** What an attempt is made of. */
export interface AttemptMaterial {
  /** The folder that server-filesystem may touch. */
  readonly folder: string
  /** Different for each way, so that none meets what another one left. */
  readonly label: string
  readonly tools: readonly { readonly name: string; readonly description: string }[]
  readonly answers: Answers
}

/** What is tried with each client, whatever servers there are. */
export const hubAttemptNames = [
  'tools are listed',
  'text',
  'structured result',
  'image',
  'long call, progress',
  'error in a result',
  'unknown tool',
  'server over HTTP',
  'files are written',
  'memory keeps',
  'modern server',
  'resource',
  'prompt',
  'completion',
  'legacy server asks',
  'modern server asks',
  'legacy server samples',
] as const
/** What is tried with a connection that was there before. */
export const laterAttemptNames = ['goes on after a restart', 'goes on after a kill'] as const

type HubAttemptName = (typeof hubAttemptNames)[number]
export type LaterAttemptName = (typeof laterAttemptNames)[number]
export type AttemptName = HubAttemptName | LaterAttemptName | ServerAttemptName

export const attemptNames: readonly AttemptName[] = [...hubAttemptNames, ...laterAttemptNames, ...serverAttemptNames]

const document = import.meta.resolve('@modelcontextprotocol/server-everything/dist/docs/startup.md')
const documentUri = 'demo://resource/static/document/startup.md'
const weather = { temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 }
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** The requests with what must come of them, written down and not computed by anything of ours. */
export async function prepareAttempts({ folder, label, tools, answers }: AttemptMaterial): Promise<Attempt[]> {
  const file = join(folder, `${label}.txt`)
  const missing = join(folder, 'missing.txt')
  const image = join(folder, 'dot.png')
  const note = 'one\ntwo\ngrüße 🙂\n'
  const entity = { name: label, entityType: 'client', observations: ['was here'] }
  const media = [{ type: 'image', data: pixel, mimeType: 'image/png' }]
  await writeFile(image, Buffer.from(pixel, 'base64'))
  const documentText = await readFile(fileURLToPath(document), 'utf8')

  const steps: Record<HubAttemptName, Step[]> = {
    'tools are listed': [
      { request: { method: 'tools/list', params: {} }, expected: { result: { tools } }, trim: onlyNames },
    ],
    text: [call('everything__echo', { message: 'grüße 🙂' }, texts('Echo: grüße 🙂'))],
    'structured result': [
      call(
        'everything__get-structured-content',
        { location: 'Chicago' },
        { ...texts(JSON.stringify(weather)), structuredContent: weather },
      ),
    ],
    image: [call('files__read_media_file', { path: image }, { content: media, structuredContent: { content: media } })],
    'long call, progress': [
      call(
        'everything__trigger-long-running-operation',
        { duration: 1, steps: 4 },
        texts('Long running operation completed. Duration: 1 seconds, Steps: 4.'),
        [1, 2, 3, 4],
      ),
    ],
    'error in a result': [
      call(
        'files__read_text_file',
        { path: missing },
        { ...texts(`ENOENT: no such file or directory, open '${missing}'`), isError: true },
      ),
    ],
    'unknown tool': [
      {
        request: { method: 'tools/call', params: { name: 'nobody__knows', arguments: {} } },
        expected: { error: { code: -32602 } },
      },
    ],
    'server over HTTP': [call('remote__get-sum', { a: 1.5, b: 2 }, texts('The sum of 1.5 and 2 is 3.5.'))],
    'files are written': [
      call('files__write_file', { path: file, content: note }, sameTwice(`Successfully wrote to ${file}`)),
      call('files__read_text_file', { path: file, head: 2 }, sameTwice('one\ntwo')),
    ],
    'memory keeps': [
      call('memory__create_entities', { entities: [entity] }, shownAndStructured([entity], { entities: [entity] })),
      call('memory__open_nodes', { names: [label] }, shownAndStructured({ entities: [entity], relations: [] })),
    ],
    'modern server': [call('modern__echo', { text: 'grüße 🙂' }, texts('grüße 🙂'))],
    resource: [
      {
        request: { method: 'resources/read', params: { uri: documentUri } },
        expected: { result: { contents: [{ uri: documentUri, mimeType: 'text/markdown', text: documentText }] } },
      },
    ],
    prompt: [
      {
        request: {
          method: 'prompts/get',
          params: { name: 'everything__args-prompt', arguments: { city: 'Bern', state: 'BE' } },
        },
        expected: {
          result: { messages: [{ role: 'user', content: { type: 'text', text: "What's weather in Bern, BE?" } }] },
        },
      },
    ],
    completion: [
      {
        request: {
          method: 'completion/complete',
          params: {
            ref: { type: 'ref/prompt', name: 'everything__completable-prompt' },
            argument: { name: 'department', value: 'S' },
          },
        },
        expected: { result: { completion: { values: ['Sales', 'Support'], total: 2, hasMore: false } } },
        trim: withoutMore,
      },
    ],
    'legacy server asks': [legacyQuestion(answers)],
    'modern server asks': [call('modern__ask', {}, texts(`Hello ${answers.name}, step 1.`))],
    'legacy server samples': [
      {
        ...call('everything__trigger-sampling-request', { prompt: 'Who?', maxTokens: 10 }, texts(answers.sampled)),
        trim: sampledText,
      },
    ],
  }
  const verify = async () => {
    const text = await readFile(file, 'utf8')
    if (text !== note) throw new Error(`${file} holds ${JSON.stringify(text)} and not ${JSON.stringify(note)}.`)
  }
  return hubAttemptNames.map((name) => ({
    name,
    steps: steps[name],
    // server-memory reads its file, changes it and writes it back, without looking whether somebody else does.
    isAlone: name === 'memory keeps',
    ...(name === 'files are written' && { verify }),
  }))
}

/** A connection that goes on takes calls, and answers the questions of a server where it could before. */
export function prepareLaterAttempt(name: LaterAttemptName, answers: Answers, canAnswer: boolean): Attempt {
  const echo = call('everything__echo', { message: name }, texts(`Echo: ${name}`))
  return { name, steps: canAnswer ? [echo, legacyQuestion(answers)] : [echo] }
}

function legacyQuestion(answers: Answers): Step {
  const shown = texts('✅ User provided the requested information!', `User inputs:\n- Name: ${answers.name}`)
  return { ...call('everything__trigger-elicitation-request', {}, shown), trim: onlyTheName }
}

function call(name: string, args: Record<string, unknown>, result: object, progress?: readonly number[]): Step {
  const request: McpRequest = { method: 'tools/call', params: { name, arguments: args } }
  if (progress === undefined) return { request, expected: { result } }
  return { request: { ...request, progress: true }, expected: { result, progress } }
}

function texts(...lines: string[]) {
  return { content: lines.map((text) => ({ type: 'text', text })) }
}

/** As server-filesystem answers. */
function sameTwice(text: string) {
  return { ...texts(text), structuredContent: { content: text } }
}

/** As server-memory answers. */
function shownAndStructured(shown: unknown, structuredContent: unknown = shown) {
  return { ...texts(JSON.stringify(shown, null, 2)), structuredContent }
}
