import type { ConnectorDraft } from '@herma/contract'
import { guessNameOf } from '../text/guess-name.ts'
import { splitFlag, splitPair } from './read-arguments.ts'
import { emptyDraft, toNamedValue, type ReadDraft } from './to-draft.ts'

/** Flags of `docker run` that stand alone; the word behind any other flag belongs to it. */
const alone =
  /^(?:-[itdP]+|--(?:rm|init|interactive|tty|detach|privileged|read-only|publish-all|no-healthcheck|oom-kill-disable|quiet))$/

/**
 * Reads `docker run`. Values of variables leave the command line, where everybody on the machine could read them, for the
 * environment.
 */
export function readDocker(program: string, words: readonly string[]): ReadDraft {
  const args: string[] = []
  const env: ConnectorDraft['env'] = []
  const notes: string[] = []
  let image: string | undefined
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!
    if (image !== undefined || (index === 0 && word === 'run')) {
      args.push(word)
      continue
    }
    const { flag, value } = splitFlag(word)
    if (flag === '-e' || flag === '--env') {
      const [given, pair] = [value ?? words[++index] ?? '', splitPair(value ?? words[index] ?? '', '=')]
      args.push('-e', pair?.name ?? given)
      env.push(pair === undefined ? { name: given } : toNamedValue(pair.name, pair.value))
      if (pair === undefined) notes.push(`${given} needs a value: it came from the environment of your shell.`)
    } else if (!word.startsWith('-')) {
      image = word
      args.push(word)
    } else {
      args.push(word)
      if (value === undefined && !alone.test(word)) args.push(words[++index] ?? '')
    }
  }
  if (env.some(({ value }) => value !== undefined))
    notes.push('Values behind -e moved to the environment, so that nobody reads them in the list of processes.')
  // Without it the server would not hear anything.
  const isHeard = args.some((word) => /^-\w*i/.test(word) || word === '--interactive')
  if (!isHeard && args[0] === 'run') {
    args.splice(1, 0, '-i')
    notes.push('-i was added: without it the server hears nothing.')
  }
  return { draft: { ...emptyDraft(guessNameOf(image ?? program)), cmd: program, args, env }, notes }
}
