import type { Terminal } from './terminal.ts'

const patienceMs = 1000

/** Says on standard error what is being waited for, once it has taken longer than a second. */
export async function showProgress<Result>(
  terminal: Terminal,
  what: string | (() => string),
  work: Promise<Result>,
): Promise<Result> {
  const startedAt = Date.now()
  let isShown = false
  const show = () => {
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    const text = typeof what === 'string' ? what : what()
    const isRewritten = terminal.rewrite(`${text} … ${seconds} s`)
    // A log file gets the line once; only a terminal can show the seconds pass.
    if (!isRewritten && !isShown) terminal.note(`${text} …`)
    isShown = true
  }
  const timer = setInterval(show, patienceMs)
  try {
    return await work
  } finally {
    clearInterval(timer)
    if (isShown) terminal.rewrite('')
  }
}
