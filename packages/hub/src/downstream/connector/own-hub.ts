import { createHash } from 'node:crypto'
import { hostname, networkInterfaces } from 'node:os'
import { basename } from 'node:path'
import { HubError, type ConnectorInput } from '@herma/contract'
import { classifyAddress } from '../../platform/network/index.ts'
import { isObject, sessionServer, type Call, type Descriptor } from '../../wire/index.ts'
import type { Handshake } from '../link/handshake.ts'

export interface OwnHubOptions {
  /** What no other hub has. */
  readonly id: string
  /** Where it listens, as a URL; empty before it does. */
  origin(): string
  /** Origins and hosts under which others find it. */
  knownAs(): readonly string[]
  /** Whether a served server has tools of its own and shows nothing of the catalog: a team or a session. */
  isApart(server: string): boolean
}

type Place = Pick<ConnectorInput, 'baseUrl' | 'endpointPath' | 'cmd' | 'args' | 'env'>

/** Where a hub says in `_meta` of a handshake who it is, and in `_meta` of an entry which hubs that came through. */
const pathKey = 'herma/path'
const entryPattern = /^[\w.:-]{1,100}\/[\w.:-]{1,100}$/
/** What came through more hubs than this is not taken in. */
const maxHubs = 16

/**
 * Keeps the hub from becoming a server of its own, whose catalog would feed on itself: under any spelling of its address
 * when a connector is added, under any other when it says who it is, and over other hubs by what came back.
 */
export class OwnHub {
  readonly id: string
  readonly #options: OwnHubOptions

  constructor(options: OwnHubOptions) {
    this.id = options.id
    this.#options = options
  }

  /** Throws CONNECTOR_INVALID for a connector that leads here. */
  refuse(place: Place): void {
    const found = this.find(place)
    if (found === null) return
    const what = `${found} is this hub itself, whose catalog would feed on itself.`
    throw new HubError(
      'CONNECTOR_INVALID',
      `${what} Add the servers behind it instead; a team or session of it may be one.`,
    )
  }

  /** What leads to this hub: an address, or a command; null when nothing does. */
  find({ baseUrl, endpointPath, cmd, args = [], env = [] }: Place): string | null {
    if (baseUrl != null && baseUrl !== '') {
      const url = baseUrl.replace(/\/$/, '') + (endpointPath ?? '').replace(/^(?=[^/?])/, '/')
      return this.#isOwnAddress(url, false) ? url : null
    }
    const words = [cmd ?? '', ...args]
    const named = words.flatMap((word) => word.match(/https?:\/\/[^\s"',]+/gi) ?? [])
    const own = named.find((url) => this.#isOwnAddress(url, true))
    if (own !== undefined) return own
    const isBridge = words.some((word) => programOf(word) === 'herma') && args.includes('stdio')
    const isOfAnother = named.length > 0 || env.some(({ name }) => name.startsWith('HERMA_'))
    return isBridge && !isOfAnother ? `'${[cmd, ...args].join(' ')}'` : null
  }

  /** Throws CALL_CYCLE for a server that turns out to be this hub, whatever its address is. */
  check(name: string, handshake: Handshake): void {
    const from = announcedBy(handshake)
    if (from === null || hubOf(from) !== this.id || this.#options.isApart(from.slice(this.id.length + 1))) return
    const text = `'${name}' is this hub itself under another name, whose catalog would feed on itself.`
    throw new HubError('CALL_CYCLE', `${text} Remove it: herma remove ${name}`)
  }

  /** What a hub says of itself to another one. */
  announce(server: string): Record<string, unknown> {
    return { [pathKey]: [`${this.id}/${server}`] }
  }

  /**
   * What a server listed, as it is taken in. What came through another hub says so; what has come through this one is left
   * out, or two hubs would hand each other their catalogs for ever.
   */
  receive(entries: Descriptor[], handshake: Handshake): Descriptor[] {
    const from = announcedBy(handshake)
    if (from === null || hubOf(from) === this.id) return entries
    return entries.flatMap((entry) => {
      const meta = isObject(entry['_meta']) ? entry['_meta'] : {}
      const passed = readPath(meta)
      if (passed.length >= maxHubs || passed.some((each) => hubOf(each) === this.id)) return []
      return [{ ...entry, _meta: { ...meta, [pathKey]: [...passed, from] } }]
    })
  }

  /** The header for a call that goes on to another hub. Throws CALL_CYCLE where it has gone on from here before. */
  viaHeader(call: Call): string {
    const target = call.params?.['name'] ?? call.params?.['uri'] ?? ''
    const digest = createHash('sha256')
      .update(JSON.stringify([call.method, target]))
      .digest('hex')
      .slice(0, 16)
    const here = `${this.id}:${digest}`
    const passed = call.via === undefined || call.via === '' ? [] : call.via.split(',').slice(-4 * maxHubs)
    if (passed.includes(here) || passed.length >= 2 * maxHubs) {
      const text = `The call of ${JSON.stringify(target)} has come in a circle over ${passed.length} hubs.`
      throw new HubError('CALL_CYCLE', `${text} Remove a connector that leads back to a hub which it came from.`)
    }
    return [...passed, here].join(',')
  }

  #isOwnAddress(text: string, isArgument: boolean): boolean {
    if (!URL.canParse(text)) return false
    const url = new URL(text)
    const [host, port] = [hostOf(url), portOf(url)]
    const origin = this.#options.origin()
    const isHere = origin !== '' && port === portOf(new URL(origin)) && isOfThisMachine(host, hostOf(new URL(origin)))
    const isKnown = this.#options.knownAs().some((known) => {
      const { hostname: name, port: of, protocol } = new URL(known.includes('://') ? known : `any://${known}`)
      const isPort = of === '' && protocol === 'any:' ? true : (of || defaultPort(protocol)) === port
      return isPort && hostOf({ hostname: name }) === host
    })
    // Behind one name a proxy may have other servers besides; and a program may be told of the hub for other reasons.
    const isPlace = isServed(url.pathname)
    if (!isHere && !(isKnown && isPlace)) return false
    if (isArgument && !isPlace) return false
    const server = serverAt(url.pathname)
    return server === null || !this.#options.isApart(server)
  }
}

/** Which hub a server is, as it says itself: `HUB/SERVER`; null for a server that is none. */
export function announcedBy({ result }: Pick<Handshake, 'result'>): string | null {
  const meta = isObject(result) && isObject(result['_meta']) ? result['_meta'] : {}
  return readPath(meta).at(-1) ?? null
}

function readPath(meta: Record<string, unknown>): string[] {
  const given = meta[pathKey]
  return Array.isArray(given)
    ? given.filter((each): each is string => typeof each === 'string' && entryPattern.test(each))
    : []
}

function hubOf(entry: string): string {
  return entry.slice(0, entry.indexOf('/'))
}

function programOf(word: string): string {
  return basename(word).replace(/@.*$|\.(?:c|m)?js$|\.exe$|\.cmd$/g, '')
}

function hostOf({ hostname: name }: { readonly hostname: string }): string {
  return name
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
}

function portOf({ port, protocol }: URL): string {
  return port || defaultPort(protocol)
}

function defaultPort(protocol: string): string {
  return protocol === 'https:' ? '443' : '80'
}

/** Names and addresses of this machine; the port says which program is meant. */
function isOfThisMachine(host: string, listening: string): boolean {
  if (host === listening || host === 'localhost' || host.endsWith('.localhost')) return true
  const kind = classifyAddress(host)
  if (kind === 'loopback' || kind === 'unspecified') return true
  const name = hostname().toLowerCase()
  if (host === name || host === `${name}.local` || host === name.split('.')[0]) return true
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return addresses.some(({ address }) => isSameAddress(host, address))
}

function isSameAddress(host: string, address: string): boolean {
  const bare = address.replace(/%.*$/, '')
  return host === bare || host === hostOf(new URL(`http://${bare.includes(':') ? `[${bare}]` : `[::ffff:${bare}]`}/`))
}

const servedPattern = /^\/(?:mcp|sse|messages)?\/?$|^\/api\/mcp\//

/** Whether an MCP client is served at a path. */
function isServed(path: string): boolean {
  return servedPattern.test(path)
}

/** The name of the served server at a path, where it has one. */
function serverAt(path: string): string | null {
  const [, kind, name] = /^\/api\/mcp\/(servers|sessions)\/([\w-]+)\//.exec(path) ?? []
  return name === undefined ? null : kind === 'sessions' ? sessionServer(name) : name
}
