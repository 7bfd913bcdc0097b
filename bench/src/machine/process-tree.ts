import { readFileSync, readdirSync, writeFileSync } from 'node:fs'

/** What a target's processes have used. Test servers that a target started are not the target. */
export interface ProcessSample {
  cpuMs: number
  rssMb: number
  peakRssMb: number
  /** Of a PostgreSQL that the target brings along; not part of the figures above, but for the CPU. */
  storeRssMb: number
  storePeakRssMb: number
}

/** Adds up the process and its descendants. A process that ends meanwhile is left out. */
export function sampleProcesses(processId: number): ProcessSample {
  const sample: ProcessSample = { cpuMs: 0, rssMb: 0, peakRssMb: 0, storeRssMb: 0, storePeakRssMb: 0 }
  for (const id of listTree(processId)) {
    const role = roleOf(id, processId)
    const status = read(id, 'status')
    const stat = read(id, 'stat')
    if (role === 'downstream' || status === null || stat === null) continue
    sample.cpuMs += cpuMsOf(stat)
    const rss = megabytes(status, 'VmRSS')
    const peak = megabytes(status, 'VmHWM')
    if (role === 'store') {
      sample.storeRssMb += rss
      sample.storePeakRssMb += peak
    } else {
      sample.rssMb += rss
      sample.peakRssMb += peak
    }
  }
  return sample
}

/** Memory of the target's PostgreSQL, with what its processes share counted once. */
export function storeProportionalMb(processId: number): number {
  const stores = listTree(processId).filter((id) => roleOf(id, processId) === 'store')
  return stores.reduce((sum, id) => sum + megabytes(read(id, 'smaps_rollup') ?? '', 'Pss'), 0)
}

/** Makes the peak memory of the tree count from now. */
export function resetPeaks(processId: number): void {
  for (const id of listTree(processId)) {
    try {
      writeFileSync(`/proc/${id}/clear_refs`, '5')
    } catch {
      // Ended meanwhile, or not ours to reset: the peak is then the one since its start.
    }
  }
}

/** The process and all of its descendants. */
export function listTree(processId: number): number[] {
  const children = new Map<number, number[]>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const stat = read(Number(entry), 'stat')
    if (stat === null) continue
    const parent = Number(fieldsOf(stat)[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)])
  }
  const tree = [processId]
  for (const id of tree) tree.push(...(children.get(id) ?? []))
  return tree
}

const TICK_MS = 10

/** A target's own command may name the test server that it has to start; only its children can be one. */
function roleOf(processId: number, root: number): 'target' | 'store' | 'downstream' {
  const command = read(processId, 'cmdline') ?? ''
  if (processId !== root && command.includes('bench-downstream')) return 'downstream'
  return /(^|\/)postgres(:|\0| |$)/.test(command) ? 'store' : 'target'
}

/** The fields after the command, which may itself hold spaces and brackets. */
const fieldsOf = (stat: string) => stat.slice(stat.lastIndexOf(')') + 2).split(' ')

function cpuMsOf(stat: string): number {
  const fields = fieldsOf(stat)
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

const megabytes = (status: string, key: string) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024

function read(processId: number, file: 'stat' | 'status' | 'cmdline' | 'smaps_rollup'): string | null {
  try {
    return readFileSync(`/proc/${processId}/${file}`, 'latin1')
  } catch {
    return null
  }
}
