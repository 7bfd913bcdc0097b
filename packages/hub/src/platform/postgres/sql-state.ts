/** The SQLSTATE or system error code of a failed query, looked up through the wrappers around it. */
export function readErrorCode(error: unknown): string | undefined {
  for (let depth = 0, current = error; depth < 5 && current instanceof Error; depth++, current = current.cause) {
    const { code } = current as { code?: unknown }
    if (typeof code === 'string') return code
  }
  return undefined
}

/**
 * True when the same statement would fail again: the data or the statement is wrong, not the store.
 * https://www.postgresql.org/docs/18/errcodes-appendix.html
 */
export function isPermanentFailure(error: unknown): boolean {
  const code = readErrorCode(error)
  return code !== undefined && /^(?:0A|22|23|42|54)[0-9A-Z]{3}$/.test(code)
}

/** What the store said, without the statement and its parameters that the query builder puts in front. */
export function readRootMessage(error: unknown): string {
  let root = error
  for (let depth = 0; depth < 5 && root instanceof Error && root.cause instanceof Error; depth++) root = root.cause
  return root instanceof Error ? root.message : String(root)
}
