import { CliError, exitCodes } from '../../exit-codes.ts'
import { nearest } from '../../nearest.ts'

/** Reads `NAME=NUMBER` pairs of a flag; `none` is null. The keys of `names` may be given, and stand for its values. */
export function readNumbers(
  flag: string,
  pairs: readonly string[],
  names: Readonly<Record<string, string>>,
): Record<string, number | null> {
  const known = Object.keys(names)
  const numbers = pairs
    .flatMap((pair) => pair.split(','))
    .map((pair) => {
      const end = pair.indexOf('=')
      const [name, text] = end < 0 ? [pair.trim(), ''] : [pair.slice(0, end).trim(), pair.slice(end + 1).trim()]
      if (!Object.hasOwn(names, name)) {
        const near = nearest(name, known)
        const hint = near === undefined ? '' : ` Did you mean ${near}?`
        throw new CliError(exitCodes.usage, `${flag} knows no '${name}'.${hint} It takes: ${known.join(', ')}`)
      }
      const value = text === 'none' ? null : Number(text)
      if (text === '' || Number.isNaN(value))
        throw new CliError(exitCodes.usage, `${flag} needs ${name}=NUMBER, or ${name}=none where it may be absent.`)
      return [names[name]!, value] as const
    })
  return Object.fromEntries(numbers)
}
