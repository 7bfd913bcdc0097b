import type { Ability, PathPolicy, PathVerdict, SessionHealth } from '@herma/contract'
import type { WorkContext, ToolResult } from '../wire/index.ts'

/** What a team has to know of a session. */
export interface MemberSession {
  readonly id: string
  readonly name: string
  readonly provider: string
  readonly model: string
  readonly isEnabled: boolean
  /** What it offers by itself. */
  readonly abilities: readonly Ability[]
  /** What it offers to a call that says where to work. */
  readonly abilitiesInPlace: readonly Ability[]
  readonly health: SessionHealth
}

/** A piece of work for one session. The server that it comes through has been entered already. */
export interface SessionWork {
  readonly ability: Ability
  /** Its arguments, checked. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly workContext: WorkContext
  readonly place: {
    /** Where to work when the call does not say it; null = where the session works. */
    readonly defaultCwd: string | null
    /** Holds in place of the session's own. */
    readonly policy?: PathPolicy | undefined
  }
}

/** The sessions as teams need them; hub.ts fills it. */
export interface TeamSessions {
  /** Undefined for a session that is gone. */
  facts(id: string): MemberSession | undefined
  byName(name: string): MemberSession | undefined
  /** Rejects when the work failed; settles only when nothing of it goes on. */
  run(sessionId: string, work: SessionWork): Promise<ToolResult>
  /** Whether work that failed has changed something already. */
  hadEffect(error: unknown): boolean
}

/** The names of served servers, of which a team has one. */
export interface TeamServers {
  /** Throws when the name is taken. */
  requireFree(name: string): void
  announce(name: string, kind: 'team'): void
  withdraw(name: string): Promise<void>
  /** What a team offers has changed. */
  renew(): void
}

/** What policies of paths mean. */
export interface TeamPaths {
  /** Throws when a glob cannot be read. */
  checkGlob(glob: string): void
  /** What a policy says about a path; its roots are relative to `base`. */
  explain(paths: PathPolicy, question: { base: string; path: string; cwd?: string | undefined }): Promise<PathVerdict>
}

/** A team as the gateway serves it. */
export interface TeamServer {
  readonly name: string
  readonly title: string
  readonly instructions: string
  readonly tools: readonly TeamServerTool[]
}

export interface TeamServerTool {
  readonly name: string
  readonly origin: string
  readonly descriptor: Readonly<Record<string, unknown>>
  readonly tags: readonly string[]
  run(args: Record<string, unknown>, context: { workContext(): WorkContext }): Promise<ToolResult>
}
