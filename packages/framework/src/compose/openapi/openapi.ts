import { fromJsonSchema } from '@modelcontextprotocol/server'
import type { ComponentOf, Provider, ToolComponent } from '../../component/component.ts'
import type { Kind, ToolDefinition } from '../../component/define.ts'
import { makeTool } from '../../component/make-tool.ts'
import type { Context } from '../../context/context.ts'
import { ConfigError } from '../../protocol/errors.ts'
import type { Schema } from '../../schema/schema.ts'
import { toResult } from './openapi-answer.ts'
import { callApi, type ApiHeaders, type ApiSettings } from './openapi-call.ts'
import { OpenApiDocument } from './openapi-document.ts'
import { describeInput, type OperationInput } from './openapi-input.ts'
import { readOperations, type OpenApiOperation, describeOutput } from './openapi-operation.ts'
import { buildRequest } from './openapi-request.ts'

export type { ApiHeaders } from './openapi-call.ts'
export type { OpenApiOperation } from './openapi-operation.ts'

/** Which operations become tools, and how the API is called. */
export interface OpenApiOptions {
  /** Where the API is; the first of the document's `servers` unless said otherwise. */
  readonly baseUrl?: string | URL
  /** Leaves out the operations for which it is false. */
  include?(operation: OpenApiOperation): boolean
  /** Headers for each request, such as the credentials of the caller. They win over parameters of the same name. */
  headers?(context: Context): ApiHeaders | Promise<ApiHeaders>
  /** The name of an operation's tool; its `operationId`, or method and path, unless said otherwise. */
  name?(operation: OpenApiOperation): string
  /** 30 seconds unless said otherwise. */
  readonly timeoutMs?: number
  /** Longer answers are errors; 4 MB unless said otherwise. */
  readonly maxResponseBytes?: number
  readonly fetch?: typeof fetch
}

/**
 * An HTTP API as a provider: one tool for each operation of an OpenAPI 3.0 or 3.1 document.
 * Requests go to the origin of the base URL only, so a document or an answer cannot lead them elsewhere.
 */
export function openapi(document: object, options: OpenApiOptions = {}): Provider {
  const source = new OpenApiDocument(document)
  const settings: ApiSettings = {
    baseUrl: baseUrlOf(source, options.baseUrl),
    timeoutMs: options.timeoutMs ?? 30_000,
    maxResponseBytes: options.maxResponseBytes ?? 4 * 1024 * 1024,
    fetch: options.fetch ?? fetch,
    headers: options.headers,
  }
  const tools = new Map<string, ToolComponent>()
  for (const operation of readOperations(source)) {
    if (options.include?.(operation) === false) continue
    const name = uniqueName(options.name?.(operation) ?? operation.name, tools)
    tools.set(name, makeOperationTool(name, operation, { source, settings }))
  }
  return new OpenApiProvider(tools)
}

class OpenApiProvider implements Provider {
  readonly #tools: ReadonlyMap<string, ToolComponent>

  constructor(tools: ReadonlyMap<string, ToolComponent>) {
    this.#tools = tools
  }

  async list<K extends Kind>(kind: K): Promise<readonly ComponentOf<K>[]> {
    return (kind === 'tool' ? [...this.#tools.values()] : []) as unknown as ComponentOf<K>[]
  }

  async find<K extends 'tool' | 'prompt'>(kind: K, id: string): Promise<ComponentOf<K> | undefined> {
    return (kind === 'tool' ? this.#tools.get(id) : undefined) as ComponentOf<K> | undefined
  }

  async findResource(): Promise<undefined> {
    return undefined
  }
}

interface Api {
  readonly source: OpenApiDocument
  readonly settings: ApiSettings
}

function makeOperationTool(name: string, operation: OpenApiOperation, { source, settings }: Api): ToolComponent {
  const input = describeInput(operation, source)
  const output = describeOutput(operation, source)
  const outputSchema = output === undefined ? undefined : compile(output, `the answer of ${operation.label}`)
  const tool = makeTool(
    name,
    toDefinition(operation, input),
    async (args: Record<string, unknown>, context: Context) => {
      const answer = await callApi(buildRequest(operation, input, args), settings, context)
      return toResult(answer, outputSchema)
    },
  )
  // The answer is checked by toResult, which can say what is wrong with it without hiding what the API did.
  return output === undefined ? tool : { ...tool, descriptor: { ...tool.descriptor, outputSchema: output } }
}

function toDefinition(operation: OpenApiOperation, input: OperationInput): ToolDefinition<Schema> {
  const { method, summary, description, tags } = operation
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
  return {
    input: compile(input.schema, `the input of ${operation.label}`),
    description: [summary, description].filter((text) => text !== undefined).join('\n\n') || operation.label,
    annotations: {
      readOnlyHint: isRead,
      ...(!isRead && { destructiveHint: method === 'DELETE', idempotentHint: method === 'PUT' || method === 'DELETE' }),
      openWorldHint: true,
    },
    ...(summary !== undefined && { title: summary }),
    ...(tags.length > 0 && { tags }),
  }
}

function compile(schema: Record<string, unknown>, where: string): Schema {
  try {
    return fromJsonSchema(schema as never)
  } catch (error) {
    throw new ConfigError(`The schema of ${where} is not valid: ${(error as Error).message}.`, 'Mend the document.')
  }
}

function uniqueName(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  const name =
    wanted
      .replace(/[^A-Za-z0-9_.-]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .slice(0, 120) || 'operation'
  let unique = name
  for (let count = 2; taken.has(unique); count++) unique = `${name}_${count}`
  return unique
}

function baseUrlOf(source: OpenApiDocument, given: string | URL | undefined): URL {
  const written = given === undefined ? source.serverUrl() : String(given)
  if (written === undefined || !URL.canParse(written)) {
    const what = written === undefined ? 'The document names no server.' : `The server '${written}' is no whole URL.`
    throw new ConfigError(what, "Give the option baseUrl, for example 'https://api.example.com/v1'.")
  }
  const url = new URL(written)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new ConfigError(`'${url.protocol}' cannot be called.`, 'Use a baseUrl that begins with https: or http:.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigError('The base URL has credentials in it.', 'Send them with the option headers.')
  }
  return url
}
