export interface Sweeper {
  /** To be called when there is something that will expire. */
  wake(): void
}

const intervalMs = 60_000

/**
 * Runs `sweep` once a minute for as long as it returns that something is left. One timer serves any number of entries,
 * and it never keeps the process alive.
 */
export function createSweeper(sweep: () => number): Sweeper {
  let timer: NodeJS.Timeout | undefined
  const wake = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      if (sweep() > 0) wake()
    }, intervalMs).unref()
  }
  return { wake }
}
