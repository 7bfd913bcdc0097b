import type { Step } from '../runner/attempts.ts'
import type { Answers, ServerError } from '../runner/client.ts'
import { exactInteger } from '../runner/exact-json.ts'
import type { ServerAttemptName } from './interop-server.ts'

/** As in Discord and others: more than 53 bits. */
const snowflake = '1189234567890123457'
const steps = 4
const sealed: ServerError = {
  code: -32099,
  message: 'The vault was not found.',
  data: { vault: exactInteger(snowflake) },
}

type Tool = 'echo' | 'count' | 'fail' | 'ask' | 'sample' | 'roots' | 'ask_either' | 'sample_either' | 'roots_either'

/** The attempts for those tools of server/README.md that a server has. */
export function attemptToolset(
  server: string,
  tools: readonly Tool[],
  { name, sampled, root }: Answers,
): Partial<Record<ServerAttemptName, readonly Step[]>> {
  const call = (tool: Tool, args: Record<string, unknown>, expected: Step['expected']): readonly Step[] => [
    {
      request: {
        method: 'tools/call',
        params: { name: `${server}__${tool}`, arguments: args },
        ...(expected.progress && { progress: true }),
      },
      expected,
      trim: onlyContent,
    },
  ]
  const all: Record<Tool, readonly [ServerAttemptName, readonly Step[]]> = {
    echo: [
      'exact numbers',
      call('echo', { id: exactInteger(snowflake), text: 'grüße 🙂' }, text(`${snowflake} grüße 🙂`)),
    ],
    count: ['progress', call('count', { steps }, { ...text(`Counted to ${steps}.`), progress: [1, 2, 3, 4] })],
    fail: ['error of a server', call('fail', {}, { error: sealed })],
    ask: ['asks', call('ask', {}, text(`Hello ${name}.`))],
    sample: ['samples', call('sample', {}, text(sampled))],
    roots: ['roots', call('roots', {}, text(root))],
    ask_either: ['asks in either era', call('ask_either', {}, text(`Hello ${name}.`))],
    sample_either: ['samples in either era', call('sample_either', {}, text(sampled))],
    roots_either: ['roots in either era', call('roots_either', {}, text(root))],
  }
  return Object.fromEntries(tools.map((tool) => all[tool]))
}

function text(line: string): Step['expected'] {
  return { result: { content: [{ type: 'text', text: line }] } }
}

/** Some SDKs repeat a text as structured content. */
function onlyContent(result: unknown): unknown {
  const { content } = result as { content: unknown }
  return { content }
}
