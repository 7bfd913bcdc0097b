import type { Events } from '../../platform/events.ts'
import type { HiddenState } from '../../platform/hidden-state/hidden-state.ts'
import type { ProcessWatchdog } from '../../platform/process/process-watchdog.ts'
import type { Log } from '../../platform/log.ts'
import type { Workspaces } from '../../workspace/index.ts'
import type { ToolPort } from '../ports.ts'
import type { SessionHealthRegistry } from '../health/session-health.ts'
import type { SessionSecrets } from '../session-secrets.ts'
import type { TurnQueue } from './turn-queue.ts'
import type { WorkFigures } from './work-figures.ts'

/** What a session needs of others to work. */
export interface WorkEnvironment {
  readonly tools: ToolPort
  /** The enabled bindings of a session. */
  bindingsOf(sessionId: string): readonly WorkBinding[]
  readonly secrets: Pick<SessionSecrets, 'valueOf' | 'resolve'>
  readonly workspaces: Pick<Workspaces, 'open' | 'stage'>
  /** How providers are reached. */
  readonly fetch: typeof globalThis.fetch
  readonly machine: WorkMachine
  readonly events: Events
  readonly health: Pick<SessionHealthRegistry, 'begin'>
  readonly turns: TurnQueue
  readonly figures: WorkFigures
}

/** A connector that a session may use. */
export interface WorkBinding {
  readonly connector: string
  /** Globs of names at the server; null = all. */
  readonly allowedTools: readonly string[] | null
}

/** Where programs run that work starts: tests, agent CLIs, git. */
export interface WorkMachine {
  readonly watchdog: ProcessWatchdog
  /** Absent where nothing is hidden, as in tests. */
  readonly hiddenState?: HiddenState | undefined
  readonly log: Log
  /** The hub's own environment. */
  readonly environment: NodeJS.ProcessEnv
  /** For reports and temporary files of test runs. */
  readonly testFolder: string
  /** For working copies. */
  readonly copyFolder: string
}
