import {
  metaKeys,
  metaOf,
  modernRevision,
  progressTokenOf,
  toRelayed,
  type Call,
  type Era,
  type Meta,
  type Params,
} from '../../wire/index.ts'

/**
 * The params of a call as a downstream of this era wants them. The call keeps its own, so that it can be sent again.
 * The progress token becomes the id that we give the request: tokens of different clients would clash.
 */
export function translateParams(call: Call, era: Era, id: number): Params | undefined {
  const meta = metaOf(call.params)
  // Nothing to change between two modern ends, and so nothing to copy.
  if (era === 'modern' && call.caller.era === 'modern' && progressTokenOf(meta) === undefined) return call.params
  if (era === 'modern') return { ...call.params, _meta: modernMeta(call, meta, id) }
  if (call.caller.era === 'modern' && call.params?.['inputResponses'] !== undefined) {
    // An answer to a question that a legacy server never asked.
    const { inputResponses: _, ...params } = call.params
    call.params = params
  }
  if (meta === undefined) return call.params
  const kept = call.caller.era === 'modern' ? withoutModernKeys(meta) : { ...meta }
  if (progressTokenOf(meta) !== undefined) kept['progressToken'] = id
  if (Object.keys(kept).length > 0) return { ...call.params, _meta: kept }
  const { _meta, ...rest } = call.params!
  return rest
}

function modernMeta(call: Call, meta: Meta | undefined, id: number): Meta {
  const own: Meta = { ...meta, [metaKeys.revision]: modernRevision }
  if (progressTokenOf(meta) !== undefined) own['progressToken'] = id
  if (call.caller.era === 'legacy') {
    if (call.caller.clientInfo !== undefined) own[metaKeys.clientInfo] = call.caller.clientInfo
    own[metaKeys.clientCapabilities] = toRelayed(call.caller.capabilities)
    if (call.caller.logLevel !== null) own[metaKeys.logLevel] = call.caller.logLevel
  }
  return own
}

function withoutModernKeys(meta: Meta): Meta {
  const kept = { ...meta }
  delete kept[metaKeys.revision]
  delete kept[metaKeys.clientInfo]
  delete kept[metaKeys.clientCapabilities]
  delete kept[metaKeys.logLevel]
  return kept
}
