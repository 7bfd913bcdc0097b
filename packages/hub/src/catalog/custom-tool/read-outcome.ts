import type { CustomTool } from '@herma/contract'
import type { Log } from '../../platform/log.ts'
import { isNestedTooDeep, isObject, maxNesting } from '../../wire/index.ts'
import { errorResult, type ToolResult } from '../core/own-tool.ts'
import { findSchemaProblems } from './find-schema-problems.ts'
import { isContent } from './is-content.ts'
import type { CommandEnd, CommandOutcome } from './run-command.ts'

export interface OutcomeOptions {
  readonly tool: CustomTool & { readonly origin: string }
  readonly log: Log
  redact(text: string): string
}

/** What is told of the output of a command that failed. */
const maxQuotedLength = 16 * 1024

/** Makes the result of a tool from what its command wrote and how it ended. */
export function readOutcome(outcome: CommandOutcome, { tool, log, redact }: OutcomeOptions): ToolResult {
  const { end, stdout, stderr } = outcome
  const complaint = stderr.toText(redact).trim()
  // Masked before it is cut: half a secret would not be known for one.
  const quoteOutput = () => redact(stdout.toString('utf8')).trim().slice(-maxQuotedLength)
  if (end.how !== 'exited' || end.code !== 0) {
    // A flood was cut off somewhere, and it says nothing.
    const quoted = end.how === 'flooded' ? complaint : complaint || quoteOutput()
    return errorResult(`'${tool.name}' ${redact(describeEnd(end, tool))}${quote(quoted)}`)
  }
  if (complaint !== '') log.debug('a custom tool wrote to standard error', { tool: tool.name, text: complaint })
  if (tool.outputSchema === undefined) return readPlain(stdout)
  const result = readStructured(stdout, tool.outputSchema)
  if (typeof result !== 'string') return result
  const reason = `'${tool.name}' ran, but its output does not fit its outputSchema: ${result}. Correct the command.`
  return errorResult(reason + quote(quoteOutput()))
}

function quote(text: string): string {
  return text === '' ? '' : ` It wrote:\n${text}`
}

function describeEnd(end: CommandEnd, tool: OutcomeOptions['tool']): string {
  switch (end.how) {
    case 'exited':
      return `exited with code ${end.code}.`
    case 'killed':
      return `was ended by ${end.signal}.`
    case 'timed-out':
      return `was stopped after ${tool.timeout} s. Give it less to do, or raise "timeout" in ${tool.origin}.`
    case 'flooded':
      return (
        `was stopped: it wrote more than ${tool.maxOutputBytes} bytes to standard output. ` +
        `Let it write less, or raise "maxOutputBytes" in ${tool.origin}.`
      )
    case 'cancelled':
      return 'was stopped: the call was cancelled.'
    case 'not-started':
      return `did not start: ${end.error.message}.`
  }
}

function readPlain(stdout: Buffer): ToolResult {
  const text = stdout.toString('utf8')
  return readToolResult(stdout, text) ?? { content: [{ type: 'text', text: text.trimEnd() }] }
}

const resultFields = new Set(['content', 'structuredContent', 'isError', '_meta'])

/** A command may write a whole result, with pictures for example. Anything that is not exactly one is text. */
function readToolResult(stdout: Buffer, text: string): ToolResult | undefined {
  if (!text.trimStart().startsWith('{') || isNestedTooDeep(stdout)) return undefined
  const value = parse(text)
  if (!isObject(value) || !Object.keys(value).every((name) => resultFields.has(name))) return undefined
  const { content, isError = false, _meta = {} } = value
  if (!isContent(content) || typeof isError !== 'boolean' || !isObject(_meta)) return undefined
  return { ...value, content }
}

/** The result, or what is wrong with the output. */
function readStructured(stdout: Buffer, schema: Record<string, unknown>): ToolResult | string {
  if (isNestedTooDeep(stdout)) return `it is nested deeper than ${maxNesting} levels`
  const text = stdout.toString('utf8').trim()
  if (text === '') return 'it wrote nothing'
  const value = parse(text)
  if (value === undefined) return 'it is not one JSON value'
  const problems = findSchemaProblems(schema, value)
  return problems.length > 0 ? problems.join('; ') : { content: [{ type: 'text', text }], structuredContent: value }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // No JSON value is undefined.
    return undefined
  }
}
