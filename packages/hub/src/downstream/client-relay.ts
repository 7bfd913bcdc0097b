import { HubError } from '@herma/contract'
import type { DownstreamListener } from './downstream-environment.ts'

type Clients = Pick<DownstreamListener, 'onNotification' | 'onQuestion'>

/** Passes on what servers tell and ask their clients. The gateway connects itself, since only it knows them. */
export class ClientRelay implements Clients {
  #clients: Clients = nobody

  connect(clients: Clients): void {
    this.#clients = clients
  }

  onNotification(...told: Parameters<Clients['onNotification']>): void {
    this.#clients.onNotification(...told)
  }

  onQuestion(...asked: Parameters<Clients['onQuestion']>): ReturnType<Clients['onQuestion']> {
    return this.#clients.onQuestion(...asked)
  }
}

const nobody: Clients = {
  onNotification: () => undefined,
  onQuestion: () => Promise.reject(new HubError('CAPABILITY_MISSING', 'There is no client so far that could answer.')),
}
