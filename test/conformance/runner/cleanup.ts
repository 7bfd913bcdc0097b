export type Defer = (undo: () => Promise<unknown>) => void

/** What is to be undone of each work under way, so that Ctrl-C reaches all of them. */
const scopes = new Set<() => Promise<void>>()

/** Runs `work` and then undoes what it deferred, last first: also when it failed, and on Ctrl-C. */
export async function withCleanup<Result>(work: (defer: Defer) => Promise<Result>): Promise<Result> {
  const undos: (() => Promise<unknown>)[] = []
  let cleaned: Promise<void> | undefined
  const cleanOnce = () => (cleaned ??= cleanUp(undos))

  if (scopes.size === 0) for (const signal of signals) process.on(signal, interrupt)
  scopes.add(cleanOnce)
  try {
    return await work((undo) => {
      undos.push(undo)
      // What is started while all is being stopped has to go as well, and nothing may follow it.
      if (cleaned) throw new Error('Interrupted.')
    })
  } finally {
    await cleanOnce()
    scopes.delete(cleanOnce)
    if (scopes.size === 0) for (const signal of signals) process.off(signal, interrupt)
  }
}

/** The exit codes that a shell expects of a program that a signal ended. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const
const signals = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const

function interrupt(signal: (typeof signals)[number]): void {
  process.stderr.write(`\n${signal}: stopping what was started…\n`)
  void Promise.all([...scopes].map((clean) => clean())).finally(() => process.exit(exitCodes[signal]))
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
