import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { SandboxData } from './sandbox-message.ts'
import { webAssembly } from './web-assembly.ts'

/** Starts a thread with the program of the sandbox. It has no environment, and its memory outside QuickJS is bounded. */
export async function startSandboxProgram(): Promise<Worker> {
  // Compiled once for all threads.
  const wasm = await (compiled ??= compileQuickJs())
  return new Worker(isSource ? sourceProgram : new URL('./sandbox-worker.js', import.meta.url), {
    eval: isSource,
    workerData: { wasm } satisfies SandboxData,
    execArgv: [],
    env: {},
    // Nobody reads what QuickJS prints when it breaks; the outcome says it. Reading it would keep the hub from ending.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 },
  })
}

// The build makes a file of it, beside the hub's own. From source a thread has to be told how to read TypeScript,
// whoever runs the hub: tsx hands that on to no thread, and vitest has no way of its own.
const isSource = import.meta.url.endsWith('.ts')
const sourceProgram = `
require('node:module').register('tsx/esm', ${JSON.stringify(import.meta.url)}, { data: {} })
import(${JSON.stringify(new URL('./sandbox-worker.ts', import.meta.url).href)})
`

let compiled: Promise<WebAssembly.Module> | undefined

async function compileQuickJs(): Promise<WebAssembly.Module> {
  const file = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
  return await webAssembly.compile(await readFile(file))
}
