import { RE2JS } from 're2js'
import { HubError } from '@herma/contract'

export interface QueryOptions {
  readonly query: string
  readonly isRegex?: boolean | undefined
  /** Absent = only when the query has an upper-case letter. */
  readonly caseSensitive?: boolean | undefined
  readonly wholeWord?: boolean | undefined
}

export interface Span {
  readonly start: number
  readonly end: number
}

/** Finds a query in text. The first two may say true without need, never false. */
export interface Matcher {
  mayBeIn(bytes: Buffer): boolean
  /** Of a piece of whole lines. */
  mayMatch(piece: string): boolean
  /** The first match in a line at or after an index. An empty one does not count. */
  find(line: string, from: number): Span | null
}

const maxQueryLength = 1000

/**
 * Words are searched as they are. Regular expressions have the syntax of RE2, whose time grows with the text only, so
 * that none can hold up the hub; they match within a line.
 */
export function compileQuery(options: QueryOptions): Matcher {
  const { query, isRegex = false, wholeWord = false } = options
  if (query === '') throw new HubError('INVALID_PARAMS', 'The query is empty. Say what to search for.')
  if (query.length > maxQueryLength) {
    throw new HubError(
      'INVALID_PARAMS',
      `The query is longer than ${maxQueryLength} characters. Search for a part of it.`,
    )
  }
  if (/[\n\r]/.test(query)) {
    throw new HubError(
      'INVALID_PARAMS',
      'The query holds a line break, and matches are within a line. Search for one line of it.',
    )
  }
  const isExact = options.caseSensitive ?? /\p{Lu}/u.test(isRegex ? query.replaceAll(/\\./g, '') : query)
  const matcher = isRegex ? compileRegex(query, isExact) : compileLiteral(query, isExact)
  return wholeWord ? onlyWords(matcher) : matcher
}

function compileLiteral(query: string, isExact: boolean): Matcher {
  const expression = new RegExp(query.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`), isExact ? 'g' : 'gi')
  const needle = Buffer.from(query)
  const find = (line: string, from: number) => {
    expression.lastIndex = from
    const match = expression.exec(line)
    return match === null ? null : { start: match.index, end: match.index + match[0].length }
  }
  return {
    mayBeIn: isExact ? (bytes) => bytes.includes(needle) : () => true,
    mayMatch: (piece) => find(piece, 0) !== null,
    find,
  }
}

/** Time also grows with this, so what is beyond is refused: it is what repetitions of repetitions become. */
const maxProgramSize = 1000

function compileRegex(query: string, isExact: boolean): Matcher {
  const flags = isExact ? 0 : RE2JS.CASE_INSENSITIVE
  const expression = compile(query, flags)
  // Deciding is a hundred times faster than finding, and for many lines at once faster still.
  const anywhere = /\\[Az]/.test(query) ? null : compile(query, flags | RE2JS.MULTILINE)
  return {
    mayBeIn: () => true,
    mayMatch: (piece) => anywhere === null || anywhere.test(piece),
    find(line, from) {
      if (!expression.test(line)) return null
      const matcher = expression.matcher(line)
      for (let at = from; at <= line.length && matcher.find(at); at = matcher.end() + 1) {
        if (matcher.end() > matcher.start()) return { start: matcher.start(), end: matcher.end() }
      }
      return null
    },
  }
}

function compile(query: string, flags: number): RE2JS {
  let expression: RE2JS
  try {
    expression = RE2JS.compile(query, flags)
  } catch (cause) {
    const why = (cause as Error).message.slice(0, 300)
    const next = 'Look-arounds and back-references are not there; set "isRegex" to false to search for the text itself.'
    throw new HubError('INVALID_PARAMS', `The query is no regular expression of RE2: ${why}. ${next}`, { cause })
  }
  if (expression.programSize() <= maxProgramSize) return expression
  throw new HubError('INVALID_PARAMS', 'The regular expression is too large. Repeat less, or search for a part of it.')
}

const wordSign = /[\p{L}\p{N}_]/u

function onlyWords(matcher: Matcher): Matcher {
  return {
    ...matcher,
    find(line, from) {
      for (let at = from; ;) {
        const span = matcher.find(line, at)
        if (span === null) return null
        if (!isWord(line[span.start - 1]) && !isWord(line[span.end])) return span
        at = span.start + 1
      }
    },
  }
}

export function isWord(sign: string | undefined): boolean {
  return sign !== undefined && wordSign.test(sign)
}
