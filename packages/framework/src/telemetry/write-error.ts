let isGuarded = false

/** Writes to standard error. A client that started us may have closed it, which must not end the process. */
export function writeError(text: string): void {
  if (!isGuarded) process.stderr.on('error', () => {})
  isGuarded = true
  process.stderr.write(text)
}
