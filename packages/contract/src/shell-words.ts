/**
 * The words of a command line as a shell would read them: quotes and backslashes count, nothing is expanded. A quote
 * that is not closed reaches to the end; whoever runs the words asks `isQuoteOpen` first.
 */
export function splitWords(text: string): string[] {
  return readWords(text).words
}

export function isQuoteOpen(text: string): boolean {
  return readWords(text).isQuoteOpen
}

function readWords(text: string): { words: string[]; isQuoteOpen: boolean } {
  const words: string[] = []
  let word: string | null = null
  let quote: string | null = null
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!
    const isEscape = sign === '\\' && quote !== "'" && at + 1 < text.length
    if (isEscape) {
      const next = text[++at]!
      // A backslash at the end of a line only joins it with the next.
      if (next !== '\n') word = (word ?? '') + (quote === '"' && !/["\\$`]/.test(next) ? `\\${next}` : next)
    } else if (quote !== null) {
      if (sign === quote) quote = null
      else word += sign
    } else if (sign === '"' || sign === "'") {
      quote = sign
      word ??= ''
    } else if (/\s/.test(sign)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + sign
  }
  return { words: word === null ? words : [...words, word], isQuoteOpen: quote !== null }
}

/** A word as it has to be written for a shell to read it as one. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./{}~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
