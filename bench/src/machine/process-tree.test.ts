import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { listTree, sampleProcesses } from './process-tree.ts'

test('counts a target with its children, but not the test servers that it started', async () => {
  const idle = `process.send('up'); setInterval(() => {}, 1000)`
  const program = `const { fork } = require('node:child_process')
    const children = ['helper', 'bench-downstream.js'].map((title) =>
      fork('-e', [${JSON.stringify(idle)}, title], { execArgv: [] }))
    Promise.all(children.map((child) => new Promise((resolve) => child.once('message', resolve))))
      .then(() => process.stdout.write('started'))`
  const target = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const targetId = target.pid as number
  try {
    await once(target.stdout, 'data')
    const [root, ...children] = listTree(targetId)
    expect(root).toBe(targetId)
    expect(children).toHaveLength(2)
    const helper = children.find((id) => readFileSync(`/proc/${id}/cmdline`, 'latin1').includes('helper')) as number
    const wanted = rssMbOf(targetId) + rssMbOf(helper)
    const { rssMb, peakRssMb, storeRssMb, cpuMs } = sampleProcesses(targetId)
    // The third process is as large as the others, so a quarter more or less is neither with it nor without one.
    expect(rssMb).toBeGreaterThan(0.75 * wanted)
    expect(rssMb).toBeLessThan(1.25 * wanted)
    expect(peakRssMb).toBeGreaterThanOrEqual(rssMb)
    expect(cpuMs).toBeGreaterThan(0)
    expect(storeRssMb).toBe(0)
  } finally {
    const exited = once(target, 'exit')
    for (const id of listTree(targetId).toReversed()) process.kill(id, 'SIGKILL')
    await exited
  }
})

test('a process that is gone counts nothing', () => {
  expect(sampleProcesses(2 ** 22 + 1)).toEqual({ cpuMs: 0, rssMb: 0, peakRssMb: 0, storeRssMb: 0, storePeakRssMb: 0 })
})

function rssMbOf(processId: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${processId}/status`, 'latin1'))?.[1]) / 1024
}
