export interface RememberOptions {
  readonly freshMs: number
  readonly failedMs: number
}

/**
 * Loads once for everybody who asks meanwhile, and keeps the result for `freshMs`.
 * A failure is kept too, for `failedMs`, so that requests do not hammer what is down.
 */
export function remember<Value>(load: () => Promise<Value>, options: RememberOptions): () => Promise<Value> {
  let kept: { readonly value: Promise<Value>; until: number } | undefined
  return () => {
    if (kept !== undefined && Date.now() < kept.until) return kept.value
    const loading = { value: load(), until: Number.POSITIVE_INFINITY }
    kept = loading
    loading.value.then(
      () => (loading.until = Date.now() + options.freshMs),
      () => (loading.until = Date.now() + options.failedMs),
    )
    return loading.value
  }
}
