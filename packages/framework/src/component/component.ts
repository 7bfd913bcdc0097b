import type {
  CallToolResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  Tool,
} from '@modelcontextprotocol/server'
import type { Context } from '../context/context.ts'
import type { ParamHeader } from '../wire/param-headers.ts'
import type { Common, Completer } from './define.ts'

/** A component as the server layer runs it: what clients see of it, and how to run it with arguments from the wire. */
export type Component = ToolComponent | ResourceComponent | TemplateComponent | PromptComponent

interface Base {
  /** Its name, URI or URI template: unique within its kind. */
  readonly id: string
  readonly definition: Common
}

/** A tool: what clients see of it, and how a call of it runs. */
export interface ToolComponent extends Base {
  readonly kind: 'tool'
  readonly descriptor: Tool
  readonly timeoutMs: number | undefined
  readonly isExclusive: boolean
  readonly task: 'never' | 'allowed' | 'required'
  readonly mirrored: readonly ParamHeader[]
  run(args: unknown, context: Context): Promise<CallToolResult>
}

/** A resource with a URI of its own. */
export interface ResourceComponent extends Base {
  readonly kind: 'resource'
  readonly descriptor: Resource
  run(uri: string, context: Context): Promise<ReadResourceResult>
}

/** Many resources whose URIs follow a template. */
export interface TemplateComponent extends Base {
  readonly kind: 'template'
  readonly descriptor: ResourceTemplateType
  readonly complete: Readonly<Record<string, Completer>>
  /** Whether the URI is one of this template's. */
  matches(uri: string): boolean
  run(uri: string, context: Context): Promise<ReadResourceResult>
  list(context: Context): Promise<readonly Resource[]>
}

/** A prompt: what clients see of it, and how its messages are made. */
export interface PromptComponent extends Base {
  readonly kind: 'prompt'
  readonly descriptor: Prompt
  readonly complete: Readonly<Record<string, Completer>>
  run(args: unknown, context: Context): Promise<GetPromptResult>
}

/** The components of one kind. */
export type ComponentOf<K extends Component['kind']> = Extract<Component, { kind: K }>

/** A source of components that are not written here: another server, an OpenAPI document, a mounted app. */
export interface Provider {
  list<K extends Component['kind']>(kind: K, context: Context): Promise<readonly ComponentOf<K>[]>
  /** By name for tools and prompts; by URI for resources, where a template may answer. */
  find<K extends 'tool' | 'prompt'>(kind: K, id: string, context: Context): Promise<ComponentOf<K> | undefined>
  findResource(uri: string, context: Context): Promise<ResourceComponent | TemplateComponent | undefined>
  start?(): Promise<void>
  stop?(): Promise<void>
  /** Returns the function that ends the subscription. */
  onChange?(changed: (kind: Component['kind']) => void): () => void
}
