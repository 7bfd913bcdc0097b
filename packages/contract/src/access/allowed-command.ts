import { z } from 'zod'
import { quoteWord, splitWords } from '../shell-words.ts'

const variable = /^[A-Za-z_][A-Za-z0-9_]*$/
/** After these an interpreter takes a program as text. */
const inlineCode = /^(?:-[a-z]{0,2}[cep]|--(?:eval|print|command|call|exec)|\/[ck]|-(?:command|encodedcommand))$/i

/** A command that admins may have the hub run, argument by argument. */
export const AllowedCommand = z
  .strictObject({
    command: z
      .string()
      .min(1)
      .max(4096)
      .refine((command) => !command.includes('*'), 'Name one command, without *.'),
    args: z
      .array(z.string().max(4096))
      .max(100)
      .default([])
      .describe('As many as the command has. A * stands for letters, digits, ".", "_" and "-" inside of one of them.'),
    env: z
      .array(z.string().max(256).regex(variable, 'This is not the name of a variable.'))
      .max(100)
      .default([])
      .describe('Names of variables that may be set for it; absent = none.'),
  })
  .refine(({ args }) => !args.some((arg, index) => arg.includes('*') && inlineCode.test(args[index - 1] ?? '')), {
    path: ['args'],
    message: 'A * after -c, -e and their like would allow any program. Write the program out, or leave it away.',
  })
export type AllowedCommand = z.output<typeof AllowedCommand>

/** An allowed command as people write it: `TOKEN= npx -y @acme/server-*`. Words that end with `=` are variables. */
export function readAllowedCommand(line: string): z.input<typeof AllowedCommand> {
  const words = splitWords(line)
  const start = words.findIndex((word) => !word.endsWith('=') || !variable.test(word.slice(0, -1)))
  const [command = '', ...args] = start < 0 ? [] : words.slice(start)
  return { command, args, env: words.slice(0, Math.max(start, 0)).map((word) => word.slice(0, -1)) }
}

/** The same the other way round. */
export function writeAllowedCommand({ command, args, env }: AllowedCommand): string {
  const quote = (word: string) => (/^[\w@%+=:,./{}~*-]+$/.test(word) ? word : quoteWord(word))
  return [...env.map((name) => `${name}=`), quote(command), ...args.map(quote)].join(' ')
}
