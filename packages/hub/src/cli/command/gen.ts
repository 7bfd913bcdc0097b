import { Command } from 'commander'

import type { Cli } from '../terminal/cli.ts'
import { CliError, exitCodes } from '../terminal/exit-codes.ts'

export function genCommand(cli: Cli): Command {
  return new Command('gen')
    .description('write the schemas of methods with @tool.auto() and @prompt.auto() beside their sources')
    .argument('[sources...]', 'files, folders or globs; those of tsconfig.json unless given')
    .option('--check', 'write nothing; fail when a sidecar is out of date')
    .action(async (sources: string[], flags: { check?: boolean }) => {
      // The compiler is big, and only this command needs it.
      const { GenerateError, generateSchemas } = await import('@herma/framework/gen')
      const { ConfigError } = await import('@herma/framework')
      try {
        const files = await generateSchemas(sources, { folder: process.cwd(), check: flags.check === true })
        cli.terminal.answer({ files }, () =>
          files.length === 0
            ? 'No method has @tool.auto() or @prompt.auto().'
            : files.map(({ state, sidecar }) => `${state} ${sidecar}`).join('\n'),
        )
        if (files.some(({ state }) => state === 'outdated')) {
          throw new CliError(exitCodes.failed, 'Schemas are out of date. Run: herma gen', { code: 'SCHEMAS_OUTDATED' })
        }
      } catch (error) {
        if (!(error instanceof GenerateError || error instanceof ConfigError)) throw error
        throw new CliError(exitCodes.failed, error.message, { code: 'SCHEMAS_INVALID', cause: error })
      }
    })
}
