/** Where this machine reaches the hub. It is known once the hub listens; until then it is empty. */
export class HubAddress {
  #url = ''

  get url(): string {
    return this.#url
  }

  /** The hub listens. */
  announce(url: string): void {
    this.#url = url
  }
}
