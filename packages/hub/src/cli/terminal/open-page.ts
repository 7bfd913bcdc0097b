import { spawn } from 'node:child_process'

import type { Cli } from './cli.ts'

/** Opens a page in the browser of this machine. The address may come from a server: no shell reads it. */
export function openPage(cli: Cli, url: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', url]
        : ['xdg-open', url]
  const child = spawn(command, args, { stdio: 'ignore', detached: true })
  child.once('error', () => cli.terminal.note('No browser could be opened here. Open the address yourself.'))
  child.unref()
}
