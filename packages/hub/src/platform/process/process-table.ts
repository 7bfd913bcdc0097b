import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** Zero where the system does not tell. */
  readonly session: number
  /** Tells two processes apart that had the same id one after the other, across reboots too. */
  readonly startedAt: string
}

/** Every running process of this machine or container. A zombie has ended, so it is not listed. */
export function listProcesses(): ProcessEntry[] {
  if (process.platform !== 'linux') return listWithPs(['-A'])
  const entries: ProcessEntry[] = []
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const entry = readProcEntry(Number(name))
    if (entry) entries.push(entry)
  }
  return entries
}

/** The process with this id, or undefined when there is none or it is a zombie. */
export function findProcess(pid: number): ProcessEntry | undefined {
  return process.platform === 'linux' ? readProcEntry(pid) : listWithPs(['-p', String(pid)])[0]
}

/** The command line of a process as far as other users may see it, or undefined when it is gone. */
export function commandLineOf(pid: number): string[] | undefined {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1)
    return runPs(['-ww', '-o', 'command=', '-p', String(pid)])
      .trim()
      .split(' ')
  } catch {
    // Both ways fail only when the process ended meanwhile.
    return undefined
  }
}

/** Whether the environment with which a process was started holds this text; only Linux tells. */
export function hasInEnvironment(pid: number, text: string): boolean {
  if (process.platform !== 'linux') return false
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(text)
  } catch {
    // It ended meanwhile, or runs under another user.
    return false
  }
}

function readProcEntry(pid: number): ProcessEntry | undefined {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    // The process ended between the listing and the read.
    return undefined
  }
  // The command stands in parentheses and may itself hold spaces and parentheses.
  // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group, session] = fields
  if (state === 'Z' || state === 'X') return undefined
  const startedAt = `${readBootId()}-${fields[19]}`
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), startedAt }
}

let bootId: string | undefined

function readBootId(): string {
  // Start times count from the boot, so the same number means another process after a reboot.
  if (bootId === undefined) {
    try {
      bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    } catch {
      // Some sandboxes do not have it; their processes do not outlive a reboot of theirs.
      bootId = ''
    }
  }
  return bootId
}

function listWithPs(selection: string[]): ProcessEntry[] {
  const entries: ProcessEntry[] = []
  for (const line of runPs([...selection, '-o', 'pid=,ppid=,pgid=,stat=,lstart=']).split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line)
    if (!match || match[4]?.startsWith('Z')) continue
    const [, pid, parent, group, , startedAt = ''] = match
    entries.push({ pid: Number(pid), parent: Number(parent), group: Number(group), session: 0, startedAt })
  }
  return entries
}

function runPs(args: string[]): string {
  try {
    return execFileSync('ps', args, { encoding: 'utf8', env: { LC_ALL: 'C', PATH: process.env.PATH } })
  } catch (error) {
    // ps exits with 1 and prints nothing when no process matches.
    if ((error as { status?: number }).status === 1) return ''
    throw error
  }
}
