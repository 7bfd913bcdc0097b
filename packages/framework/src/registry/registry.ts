/** One process that serves, as the others see it. */
export interface NodeInfo {
  readonly id: string
  readonly url: string
  readonly servers: readonly { readonly name: string; readonly version: string; readonly path: string }[]
  /** Requests under way. */
  readonly load: number
}

/** The membership of this process, which ends by itself unless it is renewed in time. */
export interface Membership {
  renew(load: number): Promise<void>
  leave(): Promise<void>
}

/** Which processes there are, and which of them owns a connection. */
export interface Registry {
  join(node: NodeInfo, ttlMs: number): Promise<Membership>
  /** All nodes, or those that serve the server of this name. */
  nodes(server?: string): Promise<readonly NodeInfo[]>
  /** Takes the connection unless a living node has it; returns the owner either way. */
  claim(connection: string, node: string, ttlMs: number): Promise<string>
  owner(connection: string): Promise<string | undefined>
  release(connection: string, node: string): Promise<void>
}

/** Carries messages between processes: list changes, resource updates, events for a connection. */
export interface Bus {
  publish(topic: string, message: string): void | Promise<void>
  /** Returns the function that ends the subscription. */
  subscribe(topic: string, receive: (message: string) => void): (() => void) | Promise<() => void>
}
