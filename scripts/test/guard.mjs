// Ends the processes of a test run and removes its folder, however the run ended: `node guard.mjs FOLDER`.
// It is a process of its own that waits for the end of its input, which the kernel closes also when the run is killed.
// What tests build once for all of them lies beside the hub's build, in folders that begin with the number of their run.
// A process is of the run when its environment, its command line or its working directory names the folder.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const folder = process.argv[2] ?? ''
if (folder === '') throw new Error('Name the folder of the run: node scripts/test/guard.mjs FOLDER')
// A terminal sends these to everyone in it; whoever is told to stop the run ends it, and then it is our turn.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
process.stdout.on('error', () => {})

let said = ''
try {
  for await (const text of process.stdin) said += text
} catch {
  // An input that breaks has ended too.
}

// After a run that came to its end, what stops by itself has a moment for it, and the rest is the fault of a test.
if (said === 'done') {
  await waitUntilGone(5000)
  const lines = findProcesses().map(({ pid, command }) => `  ${pid} ${command.slice(0, 160)}\n`)
  if (lines.length > 0) process.stdout.write(`LEFT BEHIND by the tests, ended now:\n${lines.join('')}`)
}
signalAll('SIGTERM')
await waitUntilGone(5000)
// Twice, for those that were started meanwhile.
for (const _ of [1, 2]) {
  signalAll('SIGKILL')
  await waitUntilGone(1000)
}
const bundles = fileURLToPath(new URL('../../packages/hub/.bundles', import.meta.url))
const stale = existsSync(bundles) ? readdirSync(bundles).filter((name) => !isAlive(Number.parseInt(name, 10))) : []
for (const path of [folder, ...stale.map((name) => join(bundles, name))])
  rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** @param {number} patienceMs */
async function waitUntilGone(patienceMs) {
  const deadline = Date.now() + patienceMs
  while (Date.now() < deadline && findProcesses().length > 0) await sleep(100)
}

/** @param {NodeJS.Signals} signal */
function signalAll(signal) {
  for (const { pid } of findProcesses()) {
    try {
      process.kill(pid, signal)
    } catch {
      // It ended meanwhile.
    }
  }
}

/** @returns {{ pid: number, command: string }[]} */
function findProcesses() {
  const all = process.platform === 'linux' ? readProc() : readPs()
  return all.filter(({ pid }) => pid !== process.pid && pid !== process.ppid)
}

function readProc() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
        const places = [readFileSync(`/proc/${name}/environ`, 'utf8'), command, readlinkSync(`/proc/${name}/cwd`)]
        // What has no command line has ended and waits for its parent.
        return command !== '' && places.some((text) => text.includes(folder)) ? [{ pid: Number(name), command }] : []
      } catch {
        // It ended meanwhile, or belongs to somebody else.
        return []
      }
    })
}

function readPs() {
  const { stdout } = spawnSync('ps', ['axeww', '-o', 'pid=,command='], { encoding: 'utf8', maxBuffer: 2 ** 26 })
  return (stdout ?? '').split('\n').flatMap((line) => {
    const [, pid, command] = /^\s*(\d+) (.*)$/.exec(line) ?? []
    return pid !== undefined && command?.includes(folder) ? [{ pid: Number(pid), command }] : []
  })
}
