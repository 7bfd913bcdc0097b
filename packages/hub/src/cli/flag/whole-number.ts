import { CliError, exitCodes } from '../terminal/exit-codes.ts'

/** Reads the value of a flag that is a whole number. */
export function wholeNumber(flag: string, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= 1 && value <= max) return value
    throw new CliError(exitCodes.usage, `${flag} needs a number from 1 to ${max}, not '${text}'.`)
  }
}
