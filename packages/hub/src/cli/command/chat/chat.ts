import { resolve } from 'node:path'
import { Command, Option } from 'commander'

import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'

interface Flags {
  thread?: string
  continue?: boolean
  cwd?: string
  yes?: boolean
}

const inputLimitBytes = 4_000_000

export function chatCommand(cli: Cli): Command {
  return new Command('chat')
    .description('talk to a session; with a text, say it and print the answer')
    .argument('<session>', 'name of the session')
    .argument('[text...]', 'what to say; - stands for standard input')
    .option('--thread <id>', 'go on with this thread')
    .addOption(new Option('-c, --continue', 'go on with the newest thread').conflicts('thread'))
    .option('--cwd <dir>', 'where it works; absent: its working directory')
    .option('-y, --yes', 'allow every tool call that wants an approval')
    .addHelpText('after', `\n${examples}`)
    .action(async (session: string, words: string[], flags: Flags) => {
      const text = await readWords(cli, session, words)
      const hub = await connectHub(cli)
      // Loaded here, because only talks read streams.
      const [{ beginThread, findThread, talk }, { runOneShot }] = await Promise.all([
        import('./talk.ts'),
        import('./one-shot.ts'),
      ])
      const place = flags.cwd === undefined ? {} : { cwd: resolve(flags.cwd) }
      const isApproving = flags.yes === true
      const found = await findThread(hub, session, flags)
      if (text === null) return talk(cli, hub, { session, thread: found, isApproving, ...place })
      const thread = found ?? (await beginThread(hub, session))
      await runOneShot(cli, hub, { session, thread, isNew: found === null, input: { text, ...place }, isApproving })
    })
}

const examples = `Examples:
  herma chat coder                                  talk until /quit
  herma chat coder 'What does this project do?'     one answer
  git diff | herma chat coder 'Review this:' -      with what comes from standard input
  herma chat coder -c 'And the tests?'              go on
  herma chat coder 'Say hello' --json               every event on a line of its own`

/** What to say; null when a person wants to talk. */
async function readWords({ terminal }: Cli, session: string, words: readonly string[]): Promise<string | null> {
  if (words.length === 0 && terminal.isInteractive) return null
  const isInput = words.length === 0 || words.includes('-')
  const input = isInput ? await terminal.readInput(inputLimitBytes) : ''
  const said = words.filter((word) => word !== '-').join(' ')
  const text = [said, input].filter((part) => part.trim() !== '').join('\n\n')
  if (text !== '') return text
  throw new CliError(exitCodes.usage, `Say something: herma chat ${session} 'TEXT', or send it to standard input.`)
}
