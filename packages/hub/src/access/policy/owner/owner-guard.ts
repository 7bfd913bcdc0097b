import { HubError, type Decision, type Principal } from '@herma/contract'
import { currentActor, type Events } from '../../../platform/events.ts'
import type { HostCommand, HostPolicy } from '../../../platform/process/host-policy.ts'
import { decision } from '../action.ts'
import { mayActAsOwner, mayRunCommand, mayUseImage, mayWorkIn, type HostLists } from './may-run-on-host.ts'

export interface OwnerGuardOptions {
  readonly events: Events
  lists(): HostLists
}

/**
 * Asks `may-run-on-host.ts` on behalf of whoever is acting. It stands where commands and folders are stored and tried,
 * so that every way there passes it. Nobody acting is the hub itself, which does what its owner set before.
 */
export class OwnerGuard implements HostPolicy {
  readonly #options: OwnerGuardOptions

  constructor(options: OwnerGuardOptions) {
    this.#options = options
  }

  requireCommand(what: string, command: HostCommand): void {
    this.#require(what, (principal) => mayRunCommand(principal, command, this.#options.lists()))
  }

  requireFolders(what: string, folders: readonly string[]): void {
    this.#require(what, (principal) => mayWorkIn(principal, folders, this.#options.lists()))
  }

  requireImage(what: string, image: string): void {
    this.#require(what, (principal) => mayUseImage(principal, image, this.#options.lists()))
  }

  requireOwner(what: string): void {
    this.#require(what, (principal) => decision(mayActAsOwner(principal), 'needs an owner. Ask one to set it.'))
  }

  #require(what: string, ask: (principal: Principal) => Decision): void {
    const principal = currentActor()
    if (principal === null) return
    const { allowed, why } = ask(principal)
    if (allowed) return
    // The command stays out of what is recorded: an argument may be a secret.
    this.#options.events.emit('access.refused', null, { why: `${what} needs an owner.` }, { errorCode: 'OWNER_ONLY' })
    throw new HubError('OWNER_ONLY', `${what} ${why}`)
  }
}
