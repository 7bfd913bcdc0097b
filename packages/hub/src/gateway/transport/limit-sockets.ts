import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { HubError } from '@herma/contract'
import type { AddressLimiter } from '../../access/index.ts'
import { refusalOf } from './refuse.ts'

/** How long a socket that is refused may take to read why. */
const lingerMs = 2000
/** Beyond so many of them there is no reason given, since each is a socket too. */
const maxLingering = 100

export interface SocketLimit {
  /** Closes what still reads why it was refused. */
  closeAll(): void
}

/**
 * Puts the limit of each address in front of a server: every socket comes here first, whoever reads it then, so that those
 * count too on which nothing ever comes. It has to be called when the server has its other listeners.
 */
export function limitSockets(server: Server, addresses: Pick<AddressLimiter, 'hold'>): SocketLimit {
  const readers = server.listeners('connection')
  server.removeAllListeners('connection')
  const lingering = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    // A socket that is gone already has no address.
    const permit = addresses.hold('sockets', socket.remoteAddress ?? '127.0.0.1')
    if ('refused' in permit) return turnAway(socket, permit.refused, lingering)
    socket.once('close', () => permit.release())
    for (const reader of readers) reader.call(server, socket)
  })
  return {
    closeAll: () => {
      for (const socket of lingering) socket.destroy()
    },
  }
}

/** Says why, to whatever is asked. What was sent is read, or the reason would be lost with a reset. */
function turnAway(socket: Socket, error: HubError, lingering: Set<Socket>): void {
  socket.on('error', () => socket.destroy())
  if (lingering.size >= maxLingering) return void socket.destroy()
  lingering.add(socket)
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => {
    clearTimeout(timer)
    lingering.delete(socket)
  })
  const { status, headers, body } = refusalOf(error)
  const lines = [`HTTP/1.1 ${status} Too Many Requests`]
  for (let index = 0; index < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`)
  socket.end(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`)
  socket.resume()
}
