import { isQuoteOpen, splitWords } from '@herma/contract/plain'
import { CliError, exitCodes } from '../terminal/exit-codes.ts'

/** The words of a command that was given as one text. */
export function readCommandLine(line: string): string[] {
  if (isQuoteOpen(line)) throw new CliError(exitCodes.usage, `A quote is not closed in: ${line}`)
  return splitWords(line)
}
