import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Calls back once when npm, which started this process, is gone: killed with SIGKILL it cannot pass the news on.
 * Between npm and us there may be a shell, which lives on.
 * @param {() => void} onGone
 */
export function watchParents(onGone) {
  if (process.env['npm_lifecycle_event'] === undefined) return
  const parent = process.ppid
  const { name, parent: grandparent } = describe(parent)
  const shell = /^(ba|da|z|k|a)?sh$/.test(name) ? parent : null
  const timer = setInterval(() => {
    const isGone = process.ppid !== parent || (shell !== null && describe(shell).parent !== grandparent)
    if (!isGone) return
    clearInterval(timer)
    onGone()
  }, 1000)
  timer.unref()
}

/**
 * @param {number} pid
 * @returns {{ name: string, parent: number }}
 */
function describe(pid) {
  const [name = '', parent = '0'] = process.platform === 'linux' ? readStat(pid) : readPs(pid)
  return { name, parent: Number(parent) }
}

/** @param {number} pid */
function readStat(pid) {
  try {
    const [, name = '', parent = '0'] = /\((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return [name, parent]
  } catch {
    return []
  }
}

/** @param {number} pid */
function readPs(pid) {
  const { stdout } = spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' })
  const [, parent, path = ''] = /^\s*(\d+) (.*)$/m.exec(stdout ?? '') ?? []
  return [path.replace(/^.*\//, ''), parent]
}
