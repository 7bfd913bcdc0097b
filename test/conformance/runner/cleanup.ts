export type Defer = (undo: () => Promise<unknown>) => void

/** Runs `work` and then undoes what it deferred, last first: also when it failed, and on Ctrl-C. */
export async function withCleanup<Result>(work: (defer: Defer) => Promise<Result>): Promise<Result> {
  const undos: (() => Promise<unknown>)[] = []
  let cleaned: Promise<void> | undefined
  const cleanOnce = () => (cleaned ??= cleanUp(undos))

  const interrupt = (signal: NodeJS.Signals) => {
    process.stderr.write(`\n${signal}: stopping what was started…\n`)
    void cleanOnce().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143))
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  try {
    return await work((undo) => {
      undos.push(undo)
      // What is started while all is being stopped has to go as well, and nothing may follow it.
      if (cleaned) throw new Error('Interrupted.')
    })
  } finally {
    await cleanOnce()
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}

async function cleanUp(undos: (() => Promise<unknown>)[]): Promise<void> {
  for (let undo = undos.pop(); undo; undo = undos.pop()) {
    try {
      await undo()
    } catch (error) {
      // One thing that would not go must not keep the others.
      process.stderr.write(`Cleaning up: ${String(error)}\n`)
    }
  }
}
