import type { Catalog } from './core/catalog.ts'
import { findContradiction } from './schema/check-output.ts'
import type { OutputAdapter } from './schema/output-adapter.ts'
import { readEntry, type ShapedTool } from './core/shaped-entry.ts'

/** Looks at what tools with an output schema really answer, after the client has its answer. */
export class OutputWatch {
  readonly #adapter: OutputAdapter
  readonly #catalog: Catalog
  #waiting = 0

  constructor(adapter: OutputAdapter, catalog: Catalog) {
    this.#adapter = adapter
    this.#catalog = catalog
  }

  /** What shall be told the answer to a call of this tool, or null when that is not worth a look. */
  for(tool: ShapedTool): ((answer: Buffer) => void) | null {
    if (tool.checksLeft <= 0 || this.#waiting >= maxWaiting) return null
    tool.checksLeft--
    return (answer) => {
      this.#waiting++
      setImmediate(() => {
        this.#waiting--
        this.#look(tool, answer)
      })
    }
  }

  #look(tool: ShapedTool, answer: Buffer): void {
    if (answer.length > maxBytes) return
    const { result } = parse(answer)
    // Most answers are right, and for those the descriptors of a whole server need not be read.
    if (result === undefined || findContradiction(readEntry(tool)['outputSchema'], result) === null) return
    const { source, original } = tool
    const descriptor = source.descriptors.read('tools').find(({ name }) => name === original)
    if (descriptor !== undefined && this.#adapter.observe(source, descriptor, result))
      this.#catalog.reconsider(source.id)
  }
}

/** A large answer is not worth holding up the others for. */
const maxBytes = 1024 * 1024
const maxWaiting = 64

function parse(answer: Buffer): { result?: unknown } {
  try {
    return JSON.parse(answer.toString('utf8')) as { result?: unknown }
  } catch {
    // The client is told that it is no JSON; there is nothing to learn from it here.
    return {}
  }
}
