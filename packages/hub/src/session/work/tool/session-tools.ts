import { compileGlobs } from '@herma/contract'
import type { WorkContext, ToolResult } from '../../../wire/index.ts'
import type { ToolDescriptor } from '../../ports.ts'
import type { StoredSession } from '../../store.ts'
import type { AgentTool, ToolOutcome } from '../../turn/types.ts'
import { nameTools } from './name-tools.ts'
import type { WorkBinding, WorkEnvironment } from '../work-environment.ts'
import type { ToolRules } from './tool-policy.ts'

/** A tool of a server as a session uses it. */
export interface SessionTool extends AgentTool {
  /** Null for one of the catalog. */
  readonly connector: string | null
  /** By its name at the server. */
  readonly tool: string
  call(args: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>
}

export interface ToolsQuestion {
  readonly session: StoredSession
  readonly workContext: WorkContext
  readonly rules: ToolRules
  /** The talk that the work belongs to. */
  readonly thread?: string | null | undefined
  /** Names that others have already. */
  readonly taken: ReadonlySet<string>
  /** Told of a server whose tools cannot be had; the work goes on without them. */
  onProblem(text: string): void
}

interface Offer {
  readonly connector: string | null
  readonly descriptor: ToolDescriptor
}

/** More would fill the memory of every model. */
const maxTools = 500

/** The tools of servers that a session may use: those of its bindings, and the catalog where it is allowed. */
export async function listSessionTools(question: ToolsQuestion, outside: WorkEnvironment): Promise<SessionTool[]> {
  const { session, workContext, rules, thread, taken, onProblem } = question
  const bound = await Promise.all(
    outside.bindingsOf(session.id).map(async (binding) => {
      try {
        return await listBound({ session, thread }, binding, outside)
      } catch (error) {
        onProblem(`The tools of '${binding.connector}' are missing: ${(error as Error).message}`)
        return []
      }
    }),
  )
  const catalog = session.tools.catalog ? outside.tools.catalogTools(workContext) : []
  const offers = [...bound.flat(), ...catalog.map((descriptor) => ({ connector: null, descriptor }))]
  const names = nameTools(
    offers.map(({ connector, descriptor }) => ({ connector, tool: descriptor.name })),
    taken,
  )
  const tools = offers
    .map((offer, index) => toSessionTool(offer, names[index]!, { session, workContext, rules, thread, outside }))
    .filter((tool) => rules.mayUse(tool))
  if (tools.length > maxTools) onProblem(`Only ${maxTools} of ${tools.length} tools are offered. Allow fewer of them.`)
  return tools.slice(0, maxTools)
}

/** One tool of a bound connector; undefined when there is none, or it may not be used. */
export async function findSessionTool(
  wanted: { readonly connector: string; readonly tool: string },
  question: Omit<ToolsQuestion, 'taken' | 'onProblem'>,
  outside: WorkEnvironment,
): Promise<SessionTool | undefined> {
  const { session, workContext, rules, thread } = question
  const binding = outside.bindingsOf(session.id).find(({ connector }) => connector === wanted.connector)
  if (binding === undefined) return undefined
  const offer = (await listBound({ session, thread }, binding, outside)).find(
    ({ descriptor }) => descriptor.name === wanted.tool,
  )
  if (offer === undefined) return undefined
  const [name] = nameTools([wanted], new Set())
  const tool = toSessionTool(offer, name!, { session, workContext, rules, thread, outside })
  return rules.mayUse(tool) ? tool : undefined
}

async function listBound(
  { session, thread }: Pick<ToolsQuestion, 'session' | 'thread'>,
  binding: WorkBinding,
  { tools }: WorkEnvironment,
): Promise<Offer[]> {
  const { connector, allowedTools } = binding
  const isAllowed = allowedTools === null ? () => true : compileGlobs(allowedTools)
  const descriptors = await tools.boundTools({ sessionId: session.id, connector, thread })
  return descriptors.filter(({ name }) => isAllowed(name)).map((descriptor) => ({ connector, descriptor }))
}

interface ToolOptions extends Pick<ToolsQuestion, 'session' | 'workContext' | 'rules' | 'thread'> {
  readonly outside: WorkEnvironment
}

function toSessionTool(
  { connector, descriptor }: Offer,
  name: string,
  { session, workContext, rules, thread = null, outside }: ToolOptions,
): SessionTool {
  const { name: tool, title, description = title ?? '', inputSchema, annotations } = descriptor
  const isReadOnly = annotations?.readOnlyHint === true
  const call = (args: Record<string, unknown>, signal: AbortSignal) => {
    const wish = { tool, arguments: args, workContext, signal, thread }
    return connector === null
      ? outside.tools.callCatalog(wish)
      : outside.tools.callBound({ sessionId: session.id, connector }, wish)
  }
  return {
    name,
    connector,
    tool,
    description,
    inputSchema,
    isReadOnly,
    needsApproval: rules.needsApproval({ name, tool, connector, isReadOnly }),
    call,
    run: async (args, { signal }) => toOutcome(await call(args, signal)),
  }
}

function toOutcome({ content, structuredContent, isError }: ToolResult): ToolOutcome {
  return { text: textOfResult(content), structured: structuredContent, content, isError: isError === true }
}

/** The words of a result; what is no text is named. */
export function textOfResult(content: ToolResult['content']): string {
  return content
    .map((block) => {
      if (typeof block['text'] === 'string') return block['text']
      const resource = block['resource'] as { text?: unknown; uri?: unknown } | undefined
      if (typeof resource?.text === 'string') return resource.text
      const uri = block['uri'] ?? resource?.uri
      return typeof uri === 'string' ? `(${block.type}: ${uri})` : `(${block.type})`
    })
    .join('\n')
}
