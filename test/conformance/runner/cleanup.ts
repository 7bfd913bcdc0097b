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

const signals = ['SIGINT', 'SIGTERM'] as const

function interrupt(signal: NodeJS.Signals): void {
  process.stderr.write(`\n${signal}: stopping what was started…\n`)
  void Promise.all([...scopes].map((clean) => clean())).finally(() => process.exit(signal === 'SIGINT' ? 130 : 143))
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
