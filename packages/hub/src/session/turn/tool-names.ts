import { createHash } from 'node:crypto'

/** What all providers take for the name of a tool; names of MCP may be longer and hold dots and slashes. */
const maxLength = 64
const hashLength = 8

/** Names of tools as providers want them, and back. Names that would fall together get a hash each. */
export class ToolNames {
  readonly #toWire = new Map<string, string>()
  readonly #fromWire = new Map<string, string>()

  constructor(names: Iterable<string>) {
    for (const name of names) this.toWire(name)
  }

  toWire(name: string): string {
    const known = this.#toWire.get(name)
    if (known !== undefined) return known
    const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_')
    // Gemini wants a letter or an underscore in front.
    const legal = /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`
    const isFree = legal.length <= maxLength && !this.#fromWire.has(legal)
    const wire = isFree ? legal : `${legal.slice(0, maxLength - hashLength - 1)}_${hash(name)}`
    this.#toWire.set(name, wire)
    this.#fromWire.set(wire, name)
    return wire
  }

  /** A name that the model made up is nobody's, and stays as it is. */
  fromWire(wire: string): string {
    return this.#fromWire.get(wire) ?? wire
  }
}

function hash(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, hashLength)
}
