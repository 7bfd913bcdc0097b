import { fork, type ChildProcess } from 'node:child_process'
import { onOtherCores } from '../machine/cores.ts'
import { programPath } from '../paths.ts'
import type { LoadJob, LoadResult } from '../client/run-load.ts'

/** The load client's process, which all jobs of a run share so that its code is warm for every target alike. */
export class LoadClient {
  readonly #process: ChildProcess

  constructor() {
    const { command, args } = onOtherCores({ command: process.execPath, args: [] })
    this.#process = fork(programPath('bench-client'), { execPath: command, execArgv: args })
  }

  run(job: LoadJob): Promise<LoadResult> {
    return new Promise((resolve, reject) => {
      const settle = (answer: { result?: LoadResult; error?: string }) => {
        this.#process.off('exit', died)
        if (answer.result) resolve(answer.result)
        else reject(new Error(answer.error))
      }
      const died = (code: number | null) => {
        this.#process.off('message', settle)
        reject(new Error(`the load client ended with code ${code}`))
      }
      this.#process.once('message', settle)
      this.#process.once('exit', died)
      this.#process.send(job)
    })
  }

  async close(): Promise<void> {
    if (!this.#process.connected) return
    const exited = new Promise((resolve) => this.#process.once('exit', resolve))
    this.#process.disconnect()
    await exited
  }
}
