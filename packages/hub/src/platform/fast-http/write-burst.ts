import type { Socket } from 'node:net'

interface Write {
  readonly socket: Socket
  readonly data: string
  readonly encoding: BufferEncoding
  readonly onLeft: ((error?: Error | null) => void) | undefined
}

let waiting: Write[] = []

/**
 * Writes at the end of this turn of the event loop, together with all that others write in it. Whoever reads is woken up
 * by the first of them, and finds the others; one by one each write would wake it up again, which costs more than all
 * else about a small message. With nothing else to do, the end of the turn is at once.
 */
export function writeInBurst(
  socket: Socket,
  data: string,
  encoding: BufferEncoding,
  onLeft?: (error?: Error | null) => void,
): void {
  if (waiting.length === 0) setImmediate(flush)
  waiting.push({ socket, data, encoding, onLeft })
}

function flush(): void {
  const writes = waiting
  waiting = []
  for (const { socket, data, encoding, onLeft } of writes) socket.write(data, encoding, onLeft)
}
