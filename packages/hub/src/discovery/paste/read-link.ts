import { HubError } from '@herma/contract'
import { isObject, readClientServer } from '../client-config.ts'
import { parseLooseJson } from '../text/parse-loose-json.ts'
import { toDraft, readInputs, type ReadDraft } from './to-draft.ts'

/** Whether a text is one of the links with which pages add a server to a client. */
export function isInstallLink(text: string): boolean {
  if (/\s/.test(text)) return false
  return (
    /^(?:cursor|vscode|vscode-insiders):/i.test(text) ||
    /^https:\/\/[^?#]*\/(?:redirect|install-mcp|install)[?/]/i.test(text)
  )
}

/** Reads the server of an install link: `cursor://…?name=…&config=…`, `vscode:mcp/install?…`, or a page that leads there. */
export function readInstallLink(text: string): ReadDraft[] {
  const found = /^vscode(?:-insiders)?:/i.test(text) ? readVsCode(text) : readQuery(text)
  if (found === null)
    throw new HubError('PARSE_ERROR', 'Line 1: expected a server in the link, as config=… or behind "?".')
  const { inputs, ...entry } = found.entry
  return [toDraft(readClientServer(found.name, entry), readInputs(inputs))]
}

interface LinkServer {
  readonly name: string
  readonly entry: Record<string, unknown>
}

function readVsCode(text: string): LinkServer | null {
  const at = text.indexOf('?')
  return at === -1 ? null : readEntry(decode(text.slice(at + 1)))
}

function readQuery(text: string): LinkServer | null {
  if (!URL.canParse(text)) return null
  const { searchParams } = new URL(text)
  // A page that redirects holds the real link.
  const inner = searchParams.get('url')
  if (inner !== null && isInstallLink(inner)) return /^vscode/i.test(inner) ? readVsCode(inner) : readQuery(inner)
  const config = searchParams.get('config')
  return config === null ? null : readEntry(config, searchParams.get('name') ?? undefined)
}

function readEntry(config: string, name?: string): LinkServer | null {
  const json = /^\s*\{/.test(config) ? config : Buffer.from(config, 'base64').toString('utf8')
  if (!/^\s*\{/.test(json)) return null
  const entry = parseLooseJson(json)
  if (!isObject(entry)) return null
  return { name: name ?? (typeof entry['name'] === 'string' ? entry['name'] : 'server'), entry }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // It was not encoded, then.
    return text
  }
}
