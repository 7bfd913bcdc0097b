import { isIP } from 'node:net'

import { CliError, exitCodes } from '../terminal/exit-codes.ts'

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

export const defaultListen = '127.0.0.1:4376'

/**
 * Reads HOST:PORT, [IPv6]:PORT, HOST or PORT. A host is an address or localhost: what any other name leads to may change,
 * and with it who can reach the hub.
 */
export function parseListen(text: string): ListenAddress {
  const match = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text.trim())
  const invalid = (reason: string) =>
    new CliError(
      exitCodes.usage,
      `'${text}' is not an address to listen on: ${reason} For example: --listen ${defaultListen}`,
    )
  if (match === null) throw invalid('expected HOST:PORT.')
  const isPortAlone = match[3] === undefined && /^\d{1,5}$/.test(match[2] ?? '')
  const host = (isPortAlone ? '' : (match[1] ?? match[2])) || '127.0.0.1'
  const port = Number(isPortAlone ? match[2] : (match[3] ?? 4376))
  if (port > 65_535) throw invalid('a port is at most 65535.')
  if (host !== 'localhost' && isIP(host) === 0)
    throw invalid('a host is an address of this machine, localhost, or 0.0.0.0 for all of its addresses.')
  return { host, port }
}

/** Whether only programs of this machine reach the address. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  return isIP(host) === 4 ? host.startsWith('127.') : host === '::1'
}
