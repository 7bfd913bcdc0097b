import type { ManagedParts } from '../wiring/management-api.ts'

/** What backups are made of: the same services that people use, so that an entry is checked like any other input. */
export type BackupSources = Pick<
  ManagedParts,
  | 'connectors'
  | 'sessions'
  | 'bindings'
  | 'teams'
  | 'servers'
  | 'catalog'
  | 'secrets'
  | 'access'
  | 'policy'
  | 'authority'
  | 'traces'
  | 'discovery'
>
