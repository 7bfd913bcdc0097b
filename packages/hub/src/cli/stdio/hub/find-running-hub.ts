import { realpath } from 'node:fs/promises'
import type { HubStatus } from '@herma/contract'

import { resolveHomes } from '../../../platform/file/homes.ts'
import { findHub, type HubChoice } from '../../hub/find-hub.ts'
import { apiPath } from '../../hub/hub-client.ts'
import { readAnswer, sendRequest } from '../../hub/send-request.ts'
import { CliError } from '../../terminal/exit-codes.ts'

const silenceMs = 3000
const statusLimitBytes = 1_048_576

/** The address of a hub that answers, or null: there is none, or what is noted about it is out of date. */
export async function findRunningHub(choice: HubChoice, env: NodeJS.ProcessEnv): Promise<URL | null> {
  try {
    const url = await findHub(choice, env)
    // A hub elsewhere may well not tell its status to this key.
    if (choice.url !== undefined && (await isHubElsewhere(url))) return url
    const status = await readStatus(url)
    // After a crash the address in the state home may belong to something else by now.
    const isOurs = choice.url !== undefined || (await isSameFolder(status?.stateHome, resolveHomes(env).stateHome))
    return status !== null && isOurs ? url : null
  } catch (error) {
    // Nobody there, or a note that was cut short. Whoever starts a hub then meets and names what is really wrong.
    if (error instanceof CliError) return null
    throw error
  }
}

async function isSameFolder(one: string | undefined, other: string): Promise<boolean> {
  if (one === undefined || one === other) return one === other
  // Two spellings of one folder, through a link. A folder that is not there is not the same one.
  const [real, wanted] = await Promise.all([one, other].map((path) => realpath(path).catch(() => undefined)))
  return real !== undefined && real === wanted
}

async function isHubElsewhere(url: URL): Promise<boolean> {
  const answer = await sendRequest(new URL(apiPath('getStatus'), url), { method: 'GET', silenceMs })
  const text = await readAnswer(answer, statusLimitBytes)
  return [401, 403].includes(answer.statusCode ?? 0) && text.includes('"code":"')
}

async function readStatus(url: URL): Promise<Pick<HubStatus, 'stateHome'> | null> {
  const answer = await sendRequest(new URL(apiPath('getStatus'), url), { method: 'GET', silenceMs })
  const text = await readAnswer(answer, statusLimitBytes)
  if (answer.statusCode !== 200) return null
  try {
    const status = JSON.parse(text) as Partial<HubStatus> | null
    return typeof status?.stateHome === 'string' ? { stateHome: status.stateHome } : null
  } catch {
    // A page of another program.
    return null
  }
}
