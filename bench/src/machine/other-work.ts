import { readFileSync } from 'node:fs'

/** A machine busier than this with other things gives figures that nobody should quote. */
export const OTHER_WORK_LIMIT = 0.1

/**
 * Watches how much of the machine others use. The returned function gives their share since now, from 0 to 1, with
 * what the hypervisor took away; ask when the processes that this one started have ended, or they count as others.
 */
export function watchOtherWork(): () => number {
  const before = readTicks()
  return () => {
    const after = readTicks()
    const others = after.busy - before.busy - (after.ours - before.ours)
    return Math.max(0, others) / Math.max(1, after.total - before.total)
  }
}

function readTicks(): { total: number; busy: number; ours: number } {
  const [line = ''] = readFileSync('/proc/stat', 'latin1').split('\n')
  // user nice system idle iowait irq softirq steal; the guest fields that follow are part of user and nice.
  const machine = line.trim().split(/\s+/).slice(1, 9).map(Number)
  const total = sum(machine)
  const idle = (machine[3] ?? 0) + (machine[4] ?? 0)
  const own = readFileSync('/proc/self/stat', 'latin1')
  const fields = own.slice(own.lastIndexOf(')') + 2).split(' ')
  // utime and stime, then those of the children that ended.
  return { total, busy: total - idle, ours: sum(fields.slice(11, 15).map(Number)) }
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
