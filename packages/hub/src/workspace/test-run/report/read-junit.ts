/** One `testcase` of a JUnit report. */
export interface JunitCase {
  readonly name: string
  readonly className: string
  readonly file: string | null
  readonly line: number | null
  /** Names of the suites around it, outermost first. */
  readonly suites: readonly string[]
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** The text of the failure with its stack. */
  readonly message: string
}

// Tests can write into their report. Sticky: what does not end is looked for once, not from every sign before it again.
const token =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<(\/?)([\w:.-]+)((?:[^>"']|"[^"]*"|'[^']*')*?)(\/?)>|([^<]+)/gy
// A name is not tried again from its second letter on, for the same reason.
const attribute = /(?<![\w:.-])([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/**
 * Reads a JUnit report as pytest, node:test and Surefire write it. It knows no document types, so no entity but the
 * usual five and numbers is ever expanded.
 */
export function readJunit(xml: string): JunitCase[] {
  const cases: Draft[] = []
  const suites: string[] = []
  let current: Draft | null = null
  let isInside = false
  for (const [, cdata, slash, tag, attributes = '', empty, text] of xml.matchAll(token)) {
    if (tag === undefined) {
      if (isInside && current !== null) current.message += cdata ?? decode(text ?? '')
    } else if (tag === 'testsuite') {
      if (slash === '/') suites.pop()
      else if (empty === '') suites.push(readAttributes(attributes)['name'] ?? '')
    } else if (tag === 'testcase') {
      if (slash === '') current = startCase(readAttributes(attributes), suites)
      if ((slash === '/' || empty === '/') && current !== null) {
        cases.push(current)
        current = null
      }
    } else if (current !== null && /^(failure|error|skipped)$/.test(tag)) {
      isInside = slash === '' && empty === '' && tag !== 'skipped'
      if (slash === '') noteOutcome(current, tag, readAttributes(attributes)['message'])
    }
  }
  return cases.map(({ summary, ...found }) => ({ ...found, message: found.message.trim() || summary }))
}

type Draft = { -readonly [Field in keyof JunitCase]: JunitCase[Field] } & { summary: string }

function startCase(attributes: Record<string, string>, suites: readonly string[]): Draft {
  const line = Number.parseInt(attributes['line'] ?? '', 10)
  return {
    name: attributes['name'] ?? '',
    className: attributes['classname'] ?? '',
    file: attributes['file'] ?? null,
    line: Number.isNaN(line) ? null : line,
    suites: [...suites],
    outcome: 'passed',
    message: '',
    summary: '',
  }
}

function noteOutcome(current: Draft, tag: string, message = ''): void {
  if (tag === 'skipped') {
    if (current.outcome === 'passed') current.outcome = 'skipped'
    return
  }
  current.outcome = 'failed'
  current.summary ||= message
}

function readAttributes(text: string): Record<string, string> {
  const pairs = [...text.matchAll(attribute)].map(([, name, double, single]) => [name, decode(double ?? single ?? '')])
  return Object.fromEntries(pairs) as Record<string, string>
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function decode(text: string): string {
  return text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{1,5}));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return entities[name] ?? whole
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    },
  )
}
