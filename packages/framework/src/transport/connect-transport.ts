import type { Transport } from '@modelcontextprotocol/server'
import type { Connection } from '../connection/connection.ts'
import type { Host } from '../host/host.ts'
import { emit } from '../telemetry/events.ts'
import { Channel } from './channel.ts'

/** Serves one client over a transport of the SDK. Resolves when the transport has started. */
export async function connectTransport(host: Host, transport: Transport): Promise<Connection> {
  const channel = new Channel(host, {
    kind: 'memory',
    write: (message) => {
      const messages = Array.isArray(message) ? message : [message]
      for (const one of messages) transport.send(one).catch((error: unknown) => host.report(error))
    },
  })
  transport.onmessage = (message) => channel.receive(message)
  const ended = host.began()
  transport.onclose = () => void channel.close('client').then(ended, (error: unknown) => host.report(error))
  transport.onerror = (error) => emit('mcp.transport.error', () => ({ server: host.info.name, kind: 'memory', error }))
  await transport.start()
  return channelConnection(host, channel)
}

/** The legacy connection of the client or, until it has opened one, the connection of its channel. */
function channelConnection(host: Host, channel: Channel): Connection {
  return channel.legacy.connection ?? host.connectionOf(channel)
}
