// The program of a sandbox thread. It is an entry of its own in the build, and imports nothing of the hub.
import { parentPort, workerData } from 'node:worker_threads'
import variantModule from '@jitl/quickjs-wasmfile-release-sync'
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSSyncVariant } from 'quickjs-emscripten-core'
import type { FromSandbox, SandboxData, SandboxLimits, SandboxOutcome, ToSandbox } from './sandbox-message.ts'
import { ScriptRun } from './script-run.ts'
import { webAssembly } from './web-assembly.ts'

const { wasm } = workerData as SandboxData
// The package's types describe its CommonJS form, in which this would be one level deeper.
const variant = variantModule as unknown as QuickJSSyncVariant
const pageBytes = 64 * 1024
let current: ScriptRun | undefined

parentPort!.on('message', (message: ToSandbox) => {
  if (message.type === 'run') void run(message.code, message.limits)
  else guard(() => current?.answer(message.id, message.json))
})
send({ type: 'ready' })

async function run(code: string, limits: SandboxLimits): Promise<void> {
  let script: ScriptRun
  try {
    script = new ScriptRun(await createQuickJs(limits.memoryMiB), limits, {
      ask: (id, kind, json) => send({ type: 'ask', id, kind, json }),
      done: (outcome) => finish(outcome, false),
    })
  } catch (error) {
    return finish({ status: 'failed', reason: `The sandbox did not start: ${String(error)}`, logs: '' }, true)
  }
  current = script
  guard(() => script.start(code))
}

// The limit of QuickJS itself does not bound all of its memory, so it gets one that cannot grow further. A fresh
// instance for each run costs about a millisecond.
async function createQuickJs(memoryMiB: number) {
  const pages = (memoryMiB * 2 ** 20) / pageBytes
  const wasmMemory = new webAssembly.Memory({ initial: 256, maximum: pages })
  return await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule: wasm, wasmMemory }))
}

// Out of memory in the wrong place breaks QuickJS itself. The run is over then, and this thread is given up.
function guard(step: () => void): void {
  try {
    step()
  } catch (error) {
    const reason = `The script broke its sandbox, most likely with too much memory (${String(error).slice(0, 200)}).`
    finish({ status: 'failed', reason, logs: '' }, true)
  }
}

function finish(outcome: SandboxOutcome, isSpent: boolean): void {
  current?.end()
  current = undefined
  send({ type: 'done', outcome, isSpent })
}

function send(message: FromSandbox): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread is no window.
  parentPort!.postMessage(message)
}
