import type { Defer } from '../../conformance/runner/cleanup.ts'
import type { AttemptName } from './attempts.ts'

export type Method = 'tools/list' | 'tools/call' | 'resources/read' | 'prompts/get' | 'completion/complete'

export interface McpRequest {
  readonly method: Method
  readonly params: Readonly<Record<string, unknown>>
  /** True when progress is waited for: some libraries hear of it after the result. */
  readonly progress?: boolean
}

/** An error that a server answered with; some clients show its code only. */
export interface ServerError {
  readonly code: number
  readonly message?: string
  readonly data?: unknown
}

/** What a request came to, as far as the client shows it. */
export interface Outcome {
  readonly result?: unknown
  readonly error?: ServerError
  /** How far each progress notification said that the call was. */
  readonly progress?: readonly number[]
}

/** A client that is connected to the hub, or starts anew for each request. */
export interface Session {
  request(request: McpRequest): Promise<Outcome>
  /** May be called more than once. */
  close(): Promise<unknown>
}

/** What a client says when a server asks it for a name, samples, or asks for its roots. */
export interface Answers {
  readonly name: string
  readonly sampled: string
  readonly root: string
}

/** How to reach the hub, for a program that must not touch what belongs to the person who runs this. */
export interface Place {
  /** URL of the facade. */
  readonly endpoint: string
  /** The command line that serves the facade over stdio. */
  readonly stdio: readonly [command: string, ...args: string[]]
  /** The whole environment of a client; its home is a folder that will be gone. */
  readonly env: Readonly<Record<string, string>>
  /** Where a client may leave files. */
  readonly folder: string
  /** Different for each way, so that an answer which reached the wrong call is seen. */
  readonly answers: Answers
  /** Undoes something at the end, whatever the end is. */
  readonly defer: Defer
}

/** Attempts that make no sense, with the reason. */
export type Impossible = Partial<Record<AttemptName, string>>

/** One way to connect a client: a transport, a protocol era, a configuration. */
export interface Way {
  readonly name: string
  readonly era: 'legacy' | 'modern'
  readonly cannot?: Impossible
  open(place: Place): Promise<Session>
}

export interface InteropClient {
  readonly name: string
  readonly version: string
  /** It starts a process for each request, which takes seconds: it makes the attempts of the hub, not of each server. */
  readonly isOneShot?: boolean
  readonly cannot: Impossible
  /** What it cannot do with one of the servers, hub or not. */
  cannotWith?(server: string): Impossible
  /** What it makes of a result, when it does not show it whole. */
  shows?(request: McpRequest, result: unknown): unknown
  readonly ways: readonly Way[]
}

/** A program for people that manages its own servers: it is asked to add the hub and how that is doing. */
export interface InteropAgent {
  readonly name: string
  readonly version: string
  readonly checks: readonly AgentCheck[]
}

/** Throws when it does not hold. The checks of an agent run one after the other in one home. */
export interface AgentCheck {
  readonly name: string
  run(place: Omit<Place, 'answers'>): Promise<void>
}
