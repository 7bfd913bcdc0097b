import type { ConnectorInput } from '@herma/contract'
import type { Defer } from '../../conformance/runner/cleanup.ts'
import type { Answers, Impossible, Way } from '../runner/client.ts'
import type { Step } from '../runner/attempts.ts'

/** What can be tried with a server; one of other people has a call of its own. */
export const serverAttemptNames = [
  'a call',
  'exact numbers',
  'progress',
  'error of a server',
  'asks',
  'samples',
  'roots',
  'asks in either era',
  'samples in either era',
  'roots in either era',
] as const
export type ServerAttemptName = (typeof serverAttemptNames)[number]

/** What a server may need of the run. */
export interface ServerPlace {
  /** A folder that will be gone. */
  readonly folder: string
  readonly defer: Defer
}

/** A server that stands behind the hub. */
export interface InteropServer {
  /** Name of its connector. */
  readonly name: string
  readonly title: string
  readonly version: string
  readonly transport: 'stdio' | 'HTTP'
  readonly eras: 'legacy' | 'both'
  /** Starts what has to run before the hub can reach it. */
  connect(place: ServerPlace): Promise<Omit<ConnectorInput, 'name'>>
  attempts(answers: Answers): Partial<Record<ServerAttemptName, readonly Step[]>>
  /** What is impossible with it for clients of an era, with or without a hub. */
  cannot?(era: Way['era']): Impossible
}
