import { writeFile } from 'node:fs/promises'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { count } from '../../format-quantity.ts'

export function renderCommand(cli: Cli): Command {
  return new Command('render')
    .description('print the catalog as configuration and approvals want it, as JSON')
    .option('--output <file>', 'write it to a file')
    .action(async ({ output }: { output?: string }) => {
      const hub = await connectHub(cli)
      const intended = await hub.send<{ tools: unknown[] }>('GET', '/api/catalog/intended', undefined, {
        patient: true,
      })
      const text = `${JSON.stringify(intended, null, 2)}\n`
      if (output === undefined) return cli.terminal.print(text)
      await writeOut(output, text)
      const tools = intended.tools.length
      cli.terminal.answer({ file: output, tools }, () => `Wrote ${count(tools, 'tool')} to ${output}.`)
    })
}

async function writeOut(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text)
  } catch (cause) {
    throw new CliError(exitCodes.failed, `${file} cannot be written: ${(cause as Error).message}`, { cause })
  }
}
