import type { Ability } from '@herma/contract'
import type { WorkContext, ToolResult } from '../../wire/index.ts'
import type { FileChange, PathPolicy, Workspace } from '../../workspace/index.ts'
import type { StoredSession } from '../store.ts'
import type { AgentTool, JsonSchema, ToolCall, Turn, TurnEvent, TurnMessage, TurnResult } from '../turn/types.ts'
import type { RoutedTool } from './choose-route.ts'

/** A piece of work for a session: a call of one of its abilities, or a message in a talk. */
export interface WorkRequest {
  readonly session: StoredSession
  readonly ability: Ability | 'chat'
  readonly input: WorkInput
  /** For the model; the last one is what the work is about. */
  readonly messages: readonly TurnMessage[]
  /** Behind those of the session. */
  readonly extraInstructions: string
  readonly workContext: WorkContext
  readonly place: WorkPlace
  /** `read` and `write` fail where there is no workspace. */
  readonly needs: 'none' | 'read' | 'write'
  /** Only files that match may be written; absent = all that the policy allows. */
  readonly writeGlobs?: readonly string[] | undefined
  /** The changes are shown and then dropped. */
  readonly isDryRun?: boolean | undefined
  /** Tools that the client runs itself. */
  readonly clientTools?: readonly AgentTool[] | undefined
  readonly responseSchema?: JsonSchema | undefined
  readonly thread?: string | null | undefined
  /** Lower than those of the session, or without effect. */
  readonly limits?: { readonly maxSteps?: number | undefined; readonly timeoutMs?: number | undefined } | undefined
  readonly settings?:
    | Pick<Turn, 'temperature' | 'topP' | 'maxOutputTokens' | 'stopSequences' | 'toolChoice'>
    | undefined
  /** Asks a person; absent = the client of the work context is asked, where it can be. */
  approve?(call: ToolCall, signal: AbortSignal): Promise<'once' | 'refused'>
  /** A tool that answers where no rule says otherwise. */
  readonly otherwise?: { readonly use: RoutedTool; readonly because: string } | undefined
  /** Does the work without a model, unless a route leads elsewhere. */
  own?(bench: Bench): Promise<OwnWork>
  /** The way is chosen, and the work begins. */
  onBegin?(route: string): void
  /** Must neither throw nor wait. */
  onEvent(event: WorkEvent): void
}

export interface WorkInput {
  /** The request as one text, for routes. */
  readonly text: string
  /** The arguments of the ability. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** Where a call wants to work. */
export interface WorkPlace {
  readonly cwd?: string | undefined
  readonly workspaceUri?: string | undefined
  /** Of a team, before the session's own; null = as the session has it. */
  readonly defaultCwd?: string | null | undefined
  /** Of a team, in place of the session's. */
  readonly policy?: PathPolicy | undefined
}

export type WorkEvent =
  | TurnEvent
  /** What will be committed next. */
  | { readonly type: 'diff'; readonly diff: string; readonly files: readonly string[] }

/** What work without a model is done with. */
export interface Bench {
  readonly workspace: Workspace
  readonly signal: AbortSignal
}

export interface OwnWork {
  readonly text: string
  readonly structured: unknown
}

export interface WorkResult extends TurnResult {
  readonly route: string
  readonly because: string
  /** Of a tool that answered in place of the model. */
  readonly toolResult: ToolResult | null
  readonly changes: readonly FileChange[]
  /** Null when nothing was changed. */
  readonly diff: string | null
  readonly committed: boolean
  /** Why changes are not on disk, in half a sentence. */
  readonly whyNotCommitted: string | null
  readonly filesRead: readonly string[]
}
