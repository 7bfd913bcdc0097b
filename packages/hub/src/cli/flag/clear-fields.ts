import { CliError, exitCodes } from '../terminal/exit-codes.ts'

/** What `--clear` takes, and what a field is then. */
export type Clearable = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The fields that `--clear` takes back. A field that is given at the same time is refused. */
export function clearFields<Patch extends object>(
  words: readonly string[],
  clearable: Clearable,
  given: Patch,
): Partial<Patch> {
  const cleared = words.map((word) => {
    const fields = Object.hasOwn(clearable, word) ? clearable[word] : undefined
    if (fields === undefined) {
      const known = Object.keys(clearable).join(', ')
      throw new CliError(exitCodes.usage, `--clear knows no '${word}'. It takes: ${known}`)
    }
    const twice = Object.keys(fields).some((field) => field in given)
    if (twice) throw new CliError(exitCodes.usage, `'${word}' is given and cleared. Do one of the two.`)
    return fields
  })
  return Object.assign({}, ...cleared) as Partial<Patch>
}
