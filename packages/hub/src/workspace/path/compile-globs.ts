import { RE2JS } from 're2js'
import { HubError } from '@herma/contract'

export type PathMatcher = (path: string) => boolean

const maxLength = 1000
/** All globs together; a hundred that were nothing but stars took six seconds for each path. */
const maxSigns = 20_000
const maxWildcards = 500

/**
 * Tells whether any of the globs matches a relative path with `/` between its parts. `*` and `?` stay within a part, `**`
 * crosses parts, `{a,b}` and `[a-z]` choose; dotfiles are files like others. A glob without `/` matches at any depth, as
 * in .gitignore; `./` or `/` before it takes that back. `folder/**` matches the folder too.
 *
 * Globs and paths come from models. RE2 takes time that grows with the path only; picomatch took a minute for one match
 * of a glob of four `**` and three `*`.
 */
export function compileGlobs(globs: readonly string[], options: { ignoreCase?: boolean } = {}): PathMatcher {
  if (globs.length === 0) return () => false
  requireFew(globs)
  const flags = RE2JS.DOTALL | (options.ignoreCase === true ? RE2JS.CASE_INSENSITIVE : 0)
  const expression = RE2JS.compile(`^(?:${globs.map(translateGlob).join('|')})\\z`, flags)
  return (path) => expression.test(path.normalize('NFC'))
}

function requireFew(globs: readonly string[]): void {
  const signs = globs.reduce((sum, glob) => sum + glob.length, 0)
  const wildcards = globs.reduce((sum, glob) => sum + (glob.match(/\*+|[?[{]/g)?.length ?? 0), 0)
  if (signs <= maxSigns && wildcards <= maxWildcards) return
  const limit = signs > maxSigns ? `${maxSigns} characters` : `${maxWildcards} wildcards`
  throw new HubError('INVALID_PARAMS', `The globs have more than ${limit} together. Give fewer, or shorter ones.`)
}

function translateGlob(glob: string): string {
  if (glob.length > maxLength) throw invalid(glob, `is longer than ${maxLength} characters`)
  const whole = glob.normalize('NFC').replace(/\/+$/, '')
  const bare = whole.replace(/^(\.?\/)+/, '')
  if (bare === '') throw invalid(glob, 'matches nothing')
  return (whole.includes('/') ? '' : '(?:.*/)?') + translateParts(glob, bare)
}

function translateParts(glob: string, text: string): string {
  let output = ''
  let open = 0
  for (let index = 0; index < text.length; index++) {
    const sign = text[index]!
    if (sign === '*') {
      const run = /^\*+/.exec(text.slice(index))![0].length
      const isWhole = run > 1 && isEdge(text[index - 1]) && isEdge(text[index + run])
      index += run - 1
      if (!isWhole) output += '[^/]*'
      else if (text[index + 1] === '/') {
        output += '(?:.*/)?'
        index++
      } else if (output.endsWith('/') && index === text.length - 1) output = `${output.slice(0, -1)}(?:/.*)?`
      else output += '.*'
    } else if (sign === '?') output += '[^/]'
    else if (sign === '{') {
      open++
      output += '(?:'
    } else if (sign === '}' && open > 0) {
      open--
      output += ')'
    } else if (sign === ',' && open > 0) output += '|'
    else if (sign === '[') {
      const end = text.indexOf(']', index + 2)
      if (end < 0) throw invalid(glob, "has a '[' without a ']'. A '[' itself is written '\\['")
      output += translateClass(text.slice(index + 1, end))
      index = end
    } else if (sign === '\\' && index + 1 < text.length) output += RE2JS.quote(text[++index]!)
    else output += RE2JS.quote(sign)
  }
  if (open > 0) throw invalid(glob, "has a '{' without a '}'. A '{' itself is written '\\{'")
  return output
}

function isEdge(sign: string | undefined): boolean {
  return sign === undefined || sign === '/' || sign === '{' || sign === '}' || sign === ','
}

// A class never matches the sign between two parts.
function translateClass(text: string): string {
  const isNegated = text.startsWith('!') || text.startsWith('^')
  const signs = (isNegated ? text.slice(1) : text).replace(/[[\]\\^&]/g, String.raw`\$&`)
  return isNegated ? `[^/${signs}]` : `[${signs.replaceAll('/', '')}]`
}

function invalid(glob: string, what: string): HubError {
  const shown = glob.length > 100 ? `${glob.slice(0, 100)}…` : glob
  return new HubError('INVALID_PARAMS', `The glob '${shown}' ${what}.`)
}
