/** A command that somebody wants the hub to run on its machine, now or later. */
export interface HostCommand {
  readonly command: string
  readonly args: readonly string[]
  /** Names of the variables that are set for it. */
  readonly env: readonly string[]
  /** Where it works; null = where the hub has it work. */
  readonly folder: string | null
}

/**
 * What whoever is acting may have the hub do on its machine; `access` says. Each throws OWNER_ONLY with what an owner
 * would do. `what` begins a sentence, such as "The connector 'files'".
 */
export interface HostPolicy {
  requireCommand(what: string, command: HostCommand): void
  requireFolders(what: string, folders: readonly string[]): void
  requireImage(what: string, image: string): void
  /** For what no list allows to others. */
  requireOwner(what: string): void
}
