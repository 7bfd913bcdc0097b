import type { IncomingMessage } from 'node:http'
import type { Problem } from '@herma/contract'

import { CliError, exitCodes } from '../terminal/exit-codes.ts'
import { readAnswer, sendRequest } from './send-request.ts'

const answerLimitBytes = 268_435_456
const silenceMs = 60_000

/** Gets what is no JSON of the API itself: a file. */
export async function requestText(url: URL): Promise<string> {
  const answer = await sendRequest(url, { method: 'GET', silenceMs })
  await refuseProblem(answer)
  return readAnswer(answer, answerLimitBytes)
}

/** Throws what the hub says is wrong, unless it answers well. */
export async function refuseProblem(answer: IncomingMessage): Promise<void> {
  const status = answer.statusCode ?? 0
  if (status === 200) return
  const text = await readAnswer(answer, answerLimitBytes)
  let error: Problem['error'] | undefined
  try {
    error = (JSON.parse(text) as Partial<Problem>).error
  } catch {
    // Told below like any other answer that is none of a hub.
  }
  if (error === undefined)
    throw new CliError(exitCodes.failed, `The hub answered with status ${status}, which says nothing more.`)
  throw new CliError(status === 404 ? exitCodes.notFound : exitCodes.failed, error.message, { code: error.code })
}
