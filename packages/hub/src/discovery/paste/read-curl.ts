import { HubError } from '@herma/contract'
import { guessNameOfUrl } from '../text/guess-name.ts'
import { splitFlag, splitPair, WordReader } from './read-arguments.ts'
import type { CommandWords } from '../text/split-commands.ts'
import { emptyDraft, toNamedValue, type ReadDraft } from './to-draft.ts'

/** Flags of curl whose next word belongs to them. */
const withValue = new Set(
  (
    '-X --request -d --data --data-raw --data-binary --json -o --output -m --max-time -A --user-agent -b --cookie ' +
    '--connect-timeout -w --write-out -e --referer --cacert --retry -T --upload-file -F --form -x --proxy'
  ).split(' '),
)
/** Every client of MCP sends these by itself. */
const ownHeaders = /^(?:content-type|accept|content-length|mcp-session-id|mcp-protocol-version|user-agent|host)$/i

/** Reads the address and the headers of a curl command. */
export function readCurl({ line, words }: CommandWords): ReadDraft {
  const reader = new WordReader(words.slice(1))
  const headers: { name: string; value: string }[] = []
  const notes: string[] = []
  let address: string | undefined
  while (!reader.isAtEnd) {
    const word = reader.next()
    const { flag, value } = splitFlag(word)
    if (flag === '-H' || flag === '--header') {
      const pair = splitPair(value ?? reader.next(), ':')
      if (pair !== undefined && !ownHeaders.test(pair.name)) headers.push(pair)
    } else if (/^-H./.test(word)) {
      const pair = splitPair(word.slice(2), ':')
      if (pair !== undefined && !ownHeaders.test(pair.name)) headers.push(pair)
    } else if (flag === '-u' || flag === '--user') {
      const user = value ?? reader.next()
      headers.push({ name: 'Authorization', value: `Basic ${Buffer.from(user).toString('base64')}` })
      notes.push('The user and password became the header Authorization.')
    } else if (flag === '--url') address = value ?? reader.next()
    else if (withValue.has(flag) && value === undefined) reader.next()
    else if (!word.startsWith('-')) address ??= word
  }
  const url = readUrl(address, line)
  return {
    draft: {
      ...emptyDraft(guessNameOfUrl(url)),
      transport: transportOf(url),
      baseUrl: url.href,
      headers: headers.map(({ name, value }) => toNamedValue(name, value)),
    },
    notes,
  }
}

/** Streamable HTTP, unless the path says otherwise. */
export function transportOf(url: URL): 'stream' | 'sse' {
  return /\/sse\/?$/.test(url.pathname) ? 'sse' : 'stream'
}

export function readUrl(text: string | undefined, line: number): URL {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw new HubError('PARSE_ERROR', `Line ${line}: expected an address that begins with http:// or https://.`)
}
