import { basename } from 'node:path'
import type { ConnectorDraft } from '@herma/contract'
import { guessNameOf, guessNameOfUrl, toConnectorName } from '../text/guess-name.ts'
import { splitPair } from './read-arguments.ts'
import { transportOf } from './read-curl.ts'
import { readDocker } from './read-docker.ts'
import { emptyDraft, toNamedValue, type ReadDraft } from './to-draft.ts'

/** A server by the command that starts it. */
export function readProgram(program: string, args: readonly string[]): ReadDraft {
  const name = basename(program).replace(/\.(?:exe|cmd)$/i, '')
  // What Windows needs to start a script, no other system has.
  if (name === 'cmd' && /^\/c$/i.test(args[0] ?? '') && args[1] !== undefined)
    return readProgram(args[1], args.slice(2))
  if ((name === 'docker' || name === 'podman') && args[0] === 'run') return readDocker(program, args)
  return readBridge(args) ?? plainCommand(program, name, args)
}

function plainCommand(program: string, name: string, args: readonly string[]): ReadDraft {
  const draft: ConnectorDraft = {
    ...emptyDraft(guessNameOf(subjectOf(name, args) ?? name)),
    cmd: program,
    args: [...args],
  }
  if (name !== 'npx' || args.some((word) => word === '-y' || word === '--yes')) return { draft, notes: [] }
  return {
    draft: { ...draft, args: ['-y', ...args] },
    notes: ['-y was added: without it npx asks before it installs, and nobody could answer.'],
  }
}

/** The package, script or module that a runner runs. */
function subjectOf(runner: string, args: readonly string[]): string | undefined {
  if (!/^(?:npx|bunx|pnpx|uvx|pipx|node|bun|deno|python3?|uv|tsx|npm|pnpm|yarn|dnx|go)$/.test(runner)) return undefined
  const module = valueBehind('-m', args)
  if (module !== undefined) return module
  const from = valueBehind('--from', args)
  const words = args.filter((word) => !word.startsWith('-') && word !== from && !/^(?:run|exec|dlx|x|tool)$/.test(word))
  return words[0]
}

function valueBehind(flag: string, args: readonly string[]): string | undefined {
  const at = args.indexOf(flag)
  return at === -1 ? undefined : args[at + 1]
}

/**
 * `mcp-remote` stands between a client that knows commands only and an address. Herma knows addresses, so it is left out
 * where nothing but the address and headers were said.
 */
function readBridge(args: readonly string[]): ReadDraft | null {
  const at = args.findIndex((word) => /^mcp-remote(?:@|$)/.test(word))
  const [address = '', ...rest] = at === -1 ? [] : args.slice(at + 1)
  if (!URL.canParse(address) || !/^https?:/i.test(address)) return null
  const headers: { name: string; value: string }[] = []
  for (let index = 0; index < rest.length; index += 2) {
    const pair = splitPair(rest[index + 1] ?? '', ':')
    if (rest[index] !== '--header' || pair === undefined || pair.value.includes('${')) return null
    headers.push(pair)
  }
  const { draft } = readAddress(new URL(address))
  const rows = headers.map(({ name, value }) => toNamedValue(name, value))
  return {
    draft: { ...draft, headers: rows },
    notes: ['mcp-remote was left out: Herma reaches the address by itself.'],
  }
}

/** A server by its address. */
export function readAddress(url: URL): ReadDraft {
  return { draft: { ...emptyDraft(guessNameOfUrl(url)), transport: transportOf(url), baseUrl: url.href }, notes: [] }
}

/** The same draft under another name, if that is one. */
export function renameDraft(read: ReadDraft, name: string): ReadDraft {
  const legal = toConnectorName(name)
  return legal === '' ? read : { ...read, draft: { ...read.draft, name: legal } }
}
