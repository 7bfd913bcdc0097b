type Json = Record<string, unknown>

/**
 * A result without what two equal ones may differ in: members that only the modern era has, and the time of day that
 * server-everything writes into its resources.
 */
export function plainResult(result: unknown): unknown {
  const { resultType, ttlMs, cacheScope, _meta, ...rest } = result as Json
  const meta = Object.entries((_meta ?? {}) as Json).filter(([key]) => key !== 'io.modelcontextprotocol/serverInfo')
  const kept = meta.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(meta) }
  return JSON.parse(JSON.stringify(kept), (key, value: unknown) => {
    if (typeof value !== 'string') return value
    return withoutTime(key === 'blob' ? Buffer.from(value, 'base64').toString('utf8') : value)
  })
}

/** What a request came to, so that errors can be compared as well. */
export async function outcomeOf(request: Promise<unknown>): Promise<{ result: unknown } | { error: unknown }> {
  try {
    return { result: plainResult(await request) }
  } catch (error) {
    const { code, message, data } = error as { code?: unknown; message: string; data?: unknown }
    // Only what the other side answered is an outcome; a failed assertion or a broken connection is not.
    if (typeof code !== 'number') throw error
    return { error: { code, message, data } }
  }
}

function withoutTime(text: string): string {
  return text.replace(/created at [\d:]+( [AP]M)?/, 'created')
}
