import { cpus, release, totalmem } from 'node:os'

export interface Machine {
  cpu: string
  cores: number
  memoryGb: number
  kernel: string
  node: string
  date: string
}

/** What a reader needs to judge absolute figures. */
export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    kernel: `Linux ${release()}`,
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
  }
}
