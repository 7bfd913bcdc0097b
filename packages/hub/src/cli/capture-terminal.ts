import { PassThrough, Writable } from 'node:stream'

import { Terminal } from './terminal/terminal.ts'

interface CaptureOptions {
  input?: string
  /** In place of `input`: what somebody types, as it comes. */
  keys?: PassThrough
  env?: NodeJS.ProcessEnv
  isTTY?: boolean
}

/** A terminal for tests: it keeps what is written and reads what it is given. */
export function captureTerminal(options: CaptureOptions = {}) {
  // `seen` is both as they came, which is what somebody sees.
  const written = { out: '', error: '', seen: '' }
  const sink = (key: 'out' | 'error') =>
    Object.assign(
      new Writable({
        write(chunk, _encoding, done) {
          written[key] += String(chunk)
          written.seen += String(chunk)
          done()
        },
      }),
      { isTTY: options.isTTY ?? false, columns: 80 },
    ) as unknown as NodeJS.WriteStream & { fd: 1 | 2 }
  const stdin = Object.assign(options.keys ?? new PassThrough(), { isTTY: options.isTTY ?? false })
  if (options.keys === undefined) stdin.end(options.input ?? '')
  const terminal = new Terminal({
    stdout: sink('out') as NodeJS.Process['stdout'],
    stderr: sink('error') as NodeJS.Process['stderr'],
    stdin: stdin as unknown as NodeJS.Process['stdin'],
    env: options.env ?? {},
  })
  return { terminal, written }
}
