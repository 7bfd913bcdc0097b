import type { Dispatcher } from 'undici'
import type { Authorization } from './authorization.ts'
import { isChallenge } from './challenge.ts'

/** Sends a request, and once more with another token when the server refuses the first. */
export async function sendAuthorized(
  authorization: Authorization | null,
  send: () => Promise<Dispatcher.ResponseData>,
): Promise<Dispatcher.ResponseData> {
  const sent = authorization?.header() ?? null
  const response = await send()
  const { statusCode: status } = response
  const header = String(response.headers['www-authenticate'] ?? '')
  if (authorization === null || !isChallenge(status, header)) return response
  await response.body.dump()
  await authorization.renew({ status, header, sent })
  return send()
}
