import { CliError, exitCodes } from '../terminal/exit-codes.ts'

/** Splits a command line into words as a shell would, with quotes and backslashes, but without running anything. */
export function splitWords(line: string): string[] {
  const words: string[] = []
  let word: string | null = null
  let quote: string | null = null
  for (let index = 0; index < line.length; index++) {
    const letter = line[index]!
    if (letter === '\\' && quote !== "'" && index + 1 < line.length) word = (word ?? '') + line[++index]!
    else if (letter === quote) quote = null
    else if (quote === null && (letter === '"' || letter === "'")) {
      quote = letter
      word ??= ''
    } else if (quote === null && /\s/.test(letter)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + letter
  }
  if (quote !== null) throw new CliError(exitCodes.usage, `A quote is not closed in: ${line}`)
  return word === null ? words : [...words, word]
}
