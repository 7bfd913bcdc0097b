/** The variables that a URI gives a template, decoded; undefined when it is none of the template's. */
export type MatchUri = (uri: string) => Record<string, string> | undefined

// Much longer than any real one; expressions next to each other make matching slower than its length.
const maxUriLength = 64 * 1024

const expression = /\{([+#./;?&]?)([^{}]+)\}/g

/** How the values of an expression look by its operator; `;` names them. */
const patterns: Readonly<Record<string, { first: string; between: string; value: string }>> = {
  '': { first: '', between: ',', value: '[^/,]+' },
  '+': { first: '', between: ',', value: '.+' },
  '#': { first: '#', between: ',', value: '.+' },
  '.': { first: '\\.', between: '\\.', value: '[^/,.]+' },
  '/': { first: '/', between: '/', value: '[^/,]+' },
  ';': { first: ';', between: ';', value: '[^;/?#]*' },
}

/**
 * Reads a URI template of RFC 6570 backwards. Variables of a query (`{?q,limit}`) may be left out and come in any order;
 * all others must be there. Throws what is wrong with a template that cannot be read so.
 */
export function matchUriTemplate(template: string): MatchUri {
  const queryAt = template.search(/\{[?&]/)
  const path = queryAt < 0 ? template : template.slice(0, queryAt)
  const query = queryAt < 0 ? '' : template.slice(queryAt)
  if (!/^(?:\{[?&][^{}]+\})*$/.test(query)) throw new Error('nothing may follow the variables of a query')
  const names: string[] = []
  const pattern = new RegExp(`^${toPattern(path, names)}$`)
  const inQuery = new Set([...query.matchAll(expression)].flatMap((found) => namesOf(found[2]!)))
  return (uri) => {
    if (uri.length > maxUriLength) return undefined
    const cut = inQuery.size === 0 ? -1 : queryStart(uri, path.includes('?'))
    const found = pattern.exec(cut < 0 ? uri : uri.slice(0, cut))
    if (found === null) return undefined
    const variables = Object.fromEntries(names.map((name, index) => [name, decode(found[index + 1]!)]))
    return cut < 0 ? variables : addQuery(variables, uri.slice(cut + 1), inQuery)
  }
}

/** Where the variables of the query begin: at its `?`, or, when the template has one itself, at the `&` after that. */
function queryStart(uri: string, hasFixed: boolean): number {
  const mark = uri.indexOf('?')
  return hasFixed && mark >= 0 ? uri.indexOf('&', mark) : mark
}

function addQuery(variables: Record<string, string>, query: string, known: ReadonlySet<string>) {
  for (const pair of query.split('&')) {
    const at = pair.indexOf('=')
    const name = at < 0 ? pair : pair.slice(0, at)
    if (!known.has(name)) return undefined
    variables[name] = at < 0 ? '' : decode(pair.slice(at + 1))
  }
  return variables
}

function toPattern(path: string, names: string[]): string {
  let pattern = ''
  let end = 0
  for (const found of path.matchAll(expression)) {
    const [whole, operator, list] = found as unknown as [string, string, string]
    const { first, between, value } = patterns[operator]!
    const parts = namesOf(list).map((name) => {
      names.push(name)
      if (operator === ';') return `${escape(name)}=?(${value})`
      return list.endsWith('*') ? `(${value}(?:${between}${value})*)` : `(${value})`
    })
    pattern += escape(path.slice(end, found.index)) + first + parts.join(between)
    end = found.index + whole.length
  }
  return pattern + escape(path.slice(end))
}

/** Without what follows a name: `*` for lists, `:3` for beginnings. */
function namesOf(list: string): string[] {
  return list.split(',').map((name) => name.trim().replace(/(?:\*|:\d+)$/, ''))
}

function escape(literal: string): string {
  return literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    // A stray % is no encoding; the handler gets it as it is.
    return value
  }
}
