import { basename } from 'node:path'
import { HubError } from '@herma/contract'
import { readAddCommand } from './read-add-command.ts'
import { splitPair } from './read-arguments.ts'
import { readCurl, readUrl } from './read-curl.ts'
import { readAddress, readProgram } from './read-program.ts'
import type { CommandWords } from '../text/split-commands.ts'
import { toNamedValue, type ReadDraft } from './to-draft.ts'

const assignment = /^[A-Za-z_]\w*=/

/** Reads one command: of a server, of curl, or one with which a client adds a server. */
export function readCommand(command: CommandWords): ReadDraft[] {
  const { line, words } = command
  const begin = words.findIndex((word) => word !== 'env' && word !== 'sudo' && !assignment.test(word))
  const [program = '', ...rest] = begin === -1 ? [] : words.slice(begin)
  const env = words
    .slice(0, begin === -1 ? words.length : begin)
    .flatMap((word) => splitPair(word, '=') ?? [])
    .map(({ name, value }) => toNamedValue(name, value))
  if (program === '') throw new HubError('PARSE_ERROR', `Line ${line}: expected a command behind the variables.`)
  if (basename(program) === 'curl') return [readCurl({ line, words: [program, ...rest] })]
  const added = readAddCommand({ line, words: [program, ...rest] })
  if (added !== null) return added
  if (/^https?:\/\//i.test(program)) return [readAddress(readUrl(program, line))]
  const read = readProgram(program, rest)
  return [{ ...read, draft: { ...read.draft, env: [...env, ...read.draft.env] } }]
}
