import type { ThreadPage, ThreadView } from '@herma/contract'

import { CliError, exitCodes } from '../../exit-codes.ts'
import type { HubClient } from '../../hub-client.ts'
import { sessionPath, threadPath } from '../session/session-path.ts'

export interface ThreadChoice {
  /** Id of a thread. */
  readonly thread?: string
  /** The newest one. */
  readonly continue?: boolean
}

/** The thread that somebody wants to go on with; null = a new one. */
export async function findThread(hub: HubClient, session: string, choice: ThreadChoice): Promise<string | null> {
  if (choice.thread !== undefined) {
    const { id } = await hub.send<ThreadView>('GET', threadPath(session, choice.thread))
    return id
  }
  if (choice.continue !== true) return null
  const { threads } = await hub.send<ThreadPage>('GET', sessionPath(session, '/threads?limit=1'))
  if (threads[0] !== undefined) return threads[0].id
  throw new CliError(exitCodes.notFound, `You have not talked to '${session}' yet. Begin without --continue.`)
}

export async function beginThread(hub: HubClient, session: string): Promise<string> {
  const { id } = await hub.send<ThreadView>('POST', sessionPath(session, '/threads'), {})
  return id
}
