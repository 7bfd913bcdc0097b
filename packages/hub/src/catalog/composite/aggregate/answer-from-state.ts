import type { StateOperation } from '@herma/contract'
import { isObject } from '../../../wire/index.ts'
import type { Arguments, ToolResult } from '../../core/own-tool.ts'
import type { StateData } from './state-file.ts'
import { textBlock } from './shape-result.ts'
import { readPath } from '../value/value-path.ts'

/** The answer of an operation that calls no server. */
export function answerFromState({ response }: StateOperation, data: StateData, args: Arguments): ToolResult {
  if (response === undefined) return { content: [textBlock('OK')] }
  const field = response.structuredField ?? 'result'
  const value = Object.hasOwn(data, response.key) ? (data[response.key] ?? '') : ''
  if (response.type === 'value') {
    const shown = typeof value === 'string' ? value : JSON.stringify(value)
    const text = (response.template ?? '{value}').replaceAll('{value}', () => shown)
    return { content: [textBlock(text)], structuredContent: { [field]: value } }
  }
  const entries: unknown[] = Array.isArray(value) ? value : []
  const commands = entries.slice(0, readCount(response.maxArgument, args))
  const lines = commands.map((entry, index) => `${index + 1}. ${entryText(entry)}`)
  const text = lines.length === 0 ? 'There is no history yet.' : ['The latest first:', ...lines].join('\n')
  return { content: [textBlock(text)], structuredContent: { [field]: { commands } } }
}

/** Before the call: arguments that the client left out and that are remembered. */
export function preloadArguments(
  { preloadArguments: rules }: StateOperation,
  data: StateData,
  args: Arguments,
): Arguments {
  const loaded = { ...args }
  for (const { argument, stateKey, onlyIfMissing } of rules ?? []) {
    const value = Object.hasOwn(data, stateKey) ? data[stateKey] : undefined
    const isGiven = Object.hasOwn(args, argument) && (args[argument] ?? '') !== ''
    if (value === undefined || value === null || (isGiven && onlyIfMissing !== false)) continue
    Object.defineProperty(loaded, argument, { value, writable: true, enumerable: true, configurable: true })
  }
  return loaded
}

function readCount(path: string | undefined, args: Arguments): number | undefined {
  const count = path === undefined ? Number.NaN : Math.trunc(Number(readPath(args, path)))
  return count > 0 ? count : undefined
}

function entryText(entry: unknown): string {
  if (!isObject(entry) || typeof entry['command'] !== 'string') return JSON.stringify(entry)
  return typeof entry['cwd'] === 'string' ? `[${entry['cwd']}] ${entry['command']}` : entry['command']
}
