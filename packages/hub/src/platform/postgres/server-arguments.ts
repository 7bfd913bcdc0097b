import type { Cluster } from './cluster/cluster.ts'
import { socketPort } from './cluster/socket-directory.ts'

/** Command line of the server: small, durable, reachable over its unix socket only. */
export function serverArguments({ dataDirectory, socketDirectory, settings }: Cluster): string[] {
  const all = {
    ...ourSettings,
    port: String(socketPort),
    unix_socket_directories: quoteItem(socketDirectory),
    ...settings,
  }
  // -D comes first and complete, because it is how a later hub knows this server again.
  return ['-D', dataDirectory, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

const ourSettings = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '40',
  shared_buffers: '32MB',
  fsync: 'on',
  synchronous_commit: 'on',
  // Nobody replicates from this server; without it the write-ahead log stays small and recovery short.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  max_wal_size: '256MB',
  min_wal_size: '32MB',
  // Fewer processes: our queries are short.
  io_method: 'sync',
  max_parallel_workers_per_gather: '0',
  autovacuum_max_workers: '1',
  jit: 'off',
  timezone: 'UTC',
  // Only what the server says about itself goes to its log, never a statement and its values.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  log_timezone: 'UTC',
  logging_collector: 'off',
  log_destination: 'stderr',
}

// The setting is a list, so a folder whose name holds a comma or a space is quoted.
function quoteItem(item: string): string {
  return `"${item.replaceAll('"', '""')}"`
}
