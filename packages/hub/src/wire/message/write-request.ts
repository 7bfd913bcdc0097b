import type { Call } from './call.ts'
import { textAt, writeJson, type RawJson } from '../json/json-text.ts'
import { metaOf } from '@herma/framework/wire'
import { toIdValue, type Params, type RequestId } from './message.ts'

/** A request as a server gets it: the text of the client, but for the id and for what differs in its params. */
export function writeRequest(call: Pick<Call, 'method' | 'message'>, id: number, params: Params | undefined): string {
  if (call.message === null) return writeJson({ jsonrpc: '2.0', id, method: call.method, params })
  // As a copy they are looked through even where nothing differs: repeated keys that the hub reads must not pass.
  return writeJson({ ...call.message, id, params: params === undefined ? undefined : { ...params } })
}

/** Under which a client wants to hear of progress, as it wrote it. */
export function progressTokenFor(call: Pick<Call, 'params' | 'message'>): RequestId | RawJson | undefined {
  const token = metaOf(call.params)?.['progressToken']
  if (typeof token !== 'string' && typeof token !== 'number') return undefined
  return toIdValue(token, textAt(call.message, ['params', '_meta', 'progressToken']))
}
