import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import type { Context } from '../context/context.ts'
import { ConfigError, ToolError } from '../protocol/errors.ts'
import { describeIssues } from '../schema/describe-issues.ts'
import type { Schema } from '../schema/schema.ts'
import { toJsonSchema, toObjectSchema } from '../schema/to-json-schema.ts'
import { isObject } from '../wire/meta.ts'
import { findParamHeaders } from '../wire/param-headers.ts'
import { paramHeaderProblem } from '../wire/param-header-problem.ts'
import type { ToolComponent } from './component.ts'
import type { ToolDefinition } from './define.ts'
import { describeCommon } from './describe-common.ts'
import { requireHandler } from './require-handler.ts'
import { isToolResult, toStructuredResult, toToolResult } from './to-result.ts'

/** https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names */
const nameRule = /^[A-Za-z0-9_.\-/]{1,128}$/

type AnyDefinition = ToolDefinition<Schema | undefined, Schema | undefined>
type Handler = (args: never, context: never) => unknown

/** Makes a tool out of what its author wrote; mistakes are found here, before anything is served. */
export function makeTool(name: string, definition: AnyDefinition, handler: Handler): ToolComponent {
  const where = `tool '${name}'`
  if (!nameRule.test(name)) {
    throw new ConfigError(`'${name}' cannot name a tool.`, 'Use 1 to 128 letters, digits and . _ - / only.')
  }
  requireHandler(`Tool '${name}'`, definition, handler)
  if (definition.timeoutMs !== undefined && !(definition.timeoutMs >= 0)) {
    throw new ConfigError(`The timeoutMs of ${where} is ${definition.timeoutMs}.`, 'Give milliseconds; 0 means no end.')
  }
  const inputSchema = toObjectSchema(definition.input, where)
  const problem = paramHeaderProblem(inputSchema)
  if (problem !== undefined)
    throw new ConfigError(`The input of ${where} is not valid: ${problem}.`, 'Mend its x-mcp-header.')
  const run = definition.output === undefined ? runPlain : runStructured
  return {
    kind: 'tool',
    id: name,
    definition,
    descriptor: describe(name, definition, inputSchema),
    timeoutMs: definition.timeoutMs,
    isExclusive: definition.exclusive === true,
    task: definition.task ?? 'never',
    mirrored: findParamHeaders(inputSchema),
    run: (args, context) => run({ name, definition, handler }, args, context),
  }
}

interface Authored {
  readonly name: string
  readonly definition: AnyDefinition
  readonly handler: Handler
}

function describe(name: string, definition: AnyDefinition, inputSchema: Tool['inputSchema']): Tool {
  const { output, annotations } = definition
  return {
    name,
    ...describeCommon(definition),
    inputSchema,
    ...(output !== undefined && { outputSchema: toJsonSchema(output, 'output', `the output of tool '${name}'`) }),
    ...(annotations !== undefined && { annotations }),
  }
}

async function runPlain(tool: Authored, args: unknown, context: Context): Promise<CallToolResult> {
  const checked = await checkArguments(tool, args)
  return toToolResult(await tool.handler(checked as never, context as never))
}

async function runStructured(tool: Authored, args: unknown, context: Context): Promise<CallToolResult> {
  const checked = await checkArguments(tool, args)
  const output = await tool.handler(checked as never, context as never)
  if (isToolResult(output) && (output.isError === true || 'resultType' in output)) return output
  const isPair = isObject(output) && 'structured' in output && Array.isArray(output['content'])
  const value = isPair ? output['structured'] : output
  const result = await tool.definition.output!['~standard'].validate(value)
  if (result.issues !== undefined) {
    throw new Error(
      `The result of tool '${tool.name}' does not fit its output schema: ${describeIssues(result.issues)}`,
    )
  }
  return toStructuredResult(result.value, isPair ? (output['content'] as CallToolResult['content']) : undefined)
}

function checkArguments(tool: Authored, args: unknown): unknown {
  const { input } = tool.definition
  if (input === undefined) return args
  const checked = input['~standard'].validate(args)
  return checked instanceof Promise ? checked.then((result) => valueOf(tool, result)) : valueOf(tool, checked)
}

function valueOf(tool: Authored, checked: Awaited<ReturnType<Schema['~standard']['validate']>>): unknown {
  if (checked.issues === undefined) return checked.value
  throw new ToolError(`The arguments of '${tool.name}' are not valid. ${describeIssues(checked.issues)}`)
}
