import { setTimeout as delay } from 'node:timers/promises'
import type { Caller } from '../../wire/index.ts'
import { isObject } from '../../wire/index.ts'
import { errorResult, type OwnTool, type ToolContext, type ToolResult } from '../core/own-tool.ts'
import { codeOverview } from './code-overview.ts'
import { explainUnknown, summaryOf, type ModeCatalog, type ModeTool } from './mode-catalog.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import { maxCalls } from './sandbox/sandbox-asks.ts'
import type { SandboxOutcome } from './sandbox/sandbox-message.ts'
import { toolValue } from './tool-value.ts'
import { fullStub } from './typescript-stubs.ts'

export interface CodeModeOptions {
  /** The tools that the description tells of. */
  readonly overview: ModeCatalog
  /** How many tokens the description may spend on them. */
  readonly overviewTokens?: number
  /** What a caller may see, on every call anew. */
  scope(caller: Caller): ModeCatalog
  readonly sandbox: Sandbox
}

const defaultOverviewTokens = 2000
const defaultSeconds = 60
const maxSeconds = 300
const maxCodeLength = 256 * 1024

/**
 * The one tool that stands for a large catalog: it runs a script that calls the others. What it calls is authorised
 * and recorded like any call of the client itself.
 */
export function codeModeTool(options: CodeModeOptions): OwnTool {
  return {
    name: 'run_code',
    origin: 'code mode',
    tags: [],
    descriptor: {
      name: 'run_code',
      title: 'Run a script',
      description: describe(codeOverview(options.overview, options.overviewTokens ?? defaultOverviewTokens)),
      inputSchema: {
        type: 'object',
        properties: {
          code: { type: 'string', description: 'The body of an async function, in JavaScript without types.' },
          timeoutSeconds: { type: 'integer', minimum: 1, maximum: maxSeconds, default: defaultSeconds },
        },
        required: ['code'],
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    },
    run: async ({ code, timeoutSeconds = defaultSeconds }, context) => {
      if (typeof code !== 'string' || code.trim() === '' || code.length > maxCodeLength) {
        return errorResult(
          `'code' takes the body of an async function in JavaScript, up to ${maxCodeLength} characters.`,
        )
      }
      if (typeof timeoutSeconds !== 'number' || !(timeoutSeconds >= 1 && timeoutSeconds <= maxSeconds)) {
        return errorResult(`'timeoutSeconds' takes a number from 1 to ${maxSeconds}.`)
      }
      const host = new CodeHost(options.scope(context.caller), context)
      const outcome = await options.sandbox.run({
        code: scriptBody(code),
        timeoutMs: timeoutSeconds * 1000,
        signal: context.signal,
        answer: host.answer,
      })
      return toResult(outcome)
    },
  }
}

function describe(overview: string): string {
  return `Runs JavaScript that calls this server's tools, in a sandbox without files, network or timers. \
Combine many calls in one script and return only what you need: intermediate results cost no tokens.

In a script:
- await tools.name(args) or tools['name'](args): calls a tool. It resolves with the structured result, else with the \
text (parsed if it is JSON), and throws an Error when the tool fails. Promise.all works; at most ${maxCalls} calls.
- await searchTools('words', limit): [{ name, server, description }], the best first.
- await describeTool('name'): its TypeScript declaration, with the parameters explained.
- await sleep(milliseconds), console.log(...): what is logged comes back with the result.
- return value: a value that JSON can hold.

Example: const found = await searchTools('list issues'); return await describeTool(found[0].name)

${overview}`
}

/** Answers what a script asks for, on behalf of one caller. */
class CodeHost {
  readonly #catalog: ModeCatalog
  readonly #context: ToolContext
  #calls = 0

  constructor(catalog: ModeCatalog, context: ToolContext) {
    this.#catalog = catalog
    this.#context = context
  }

  readonly answer = async (
    kind: string,
    payload: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<unknown> => {
    switch (kind) {
      case 'call':
        return await this.#call(payload, signal)
      case 'search':
        return this.#search(payload)
      case 'describe':
        return fullStub(this.#find(payload['name']))
      case 'sleep':
        return await sleep(payload['milliseconds'], signal)
      default:
        throw new Error(`A script cannot ask for '${kind}'.`)
    }
  }

  async #call(payload: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
    const { name } = this.#find(payload['name'])
    const args = payload['arguments']
    if (!isObject(args)) throw new Error(`${name} takes one object, such as tools['${name}']({ … }).`)
    this.#context.progress(++this.#calls, undefined, name)
    return toolValue(name, await this.#context.callExposed(name, args, signal))
  }

  #search({ query, limit = 10 }: Readonly<Record<string, unknown>>): unknown {
    if (typeof query !== 'string' || !Number.isInteger(limit) || Number(limit) < 1) {
      throw new Error("searchTools takes words and a limit: searchTools('create issue', 10).")
    }
    return this.#catalog
      .search(query, Math.min(Number(limit), 100))
      .map((tool) => ({ name: tool.name, server: tool.server, description: summaryOf(tool) }))
  }

  #find(name: unknown): ModeTool {
    const tool = typeof name === 'string' ? this.#catalog.find(name) : undefined
    if (tool !== undefined) return tool
    throw new Error(explainUnknown(String(name), this.#catalog))
  }
}

async function sleep(milliseconds: unknown, signal: AbortSignal): Promise<void> {
  if (typeof milliseconds !== 'number' || !(milliseconds >= 0)) throw new Error('sleep takes milliseconds.')
  await delay(Math.min(milliseconds, maxSeconds * 1000), undefined, { signal })
}

// Many models hand over a function instead of its body.
function scriptBody(code: string): string {
  const trimmed = code.trim().replace(/;$/, '')
  return /^async\s*(?:function\b|\(\s*\)\s*=>)/.test(trimmed) ? `return await (${trimmed}\n)()` : code
}

function toResult(outcome: SandboxOutcome): ToolResult {
  const console = outcome.logs === '' ? [] : [{ type: 'text', text: `Console:\n${outcome.logs.trimEnd()}` }]
  if (outcome.status === 'failed') {
    return { content: [{ type: 'text', text: outcome.reason }, ...console], isError: true }
  }
  return { content: [{ type: 'text', text: toText(outcome.json) }, ...console] }
}

// A string is passed on as it is, so that its line breaks stay line breaks.
function toText(json: string | undefined): string {
  if (json === undefined) return 'The script returned nothing.'
  return json.startsWith('"') ? (JSON.parse(json) as string) : json
}
