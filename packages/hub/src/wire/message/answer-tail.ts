import { metaKeys } from '@herma/framework/wire'
import { endOfValue, listMembers } from '../json/json-places.ts'

/** What only modern clients know of a result. */
export const modernMeta: ReadonlySet<string> = new Set(Object.values(metaKeys))

/** More than what servers say of themselves behind their result. */
const keptBytes = 4096
const nothing = Buffer.alloc(0)
const metaMember = ',"_meta":'

/**
 * Holds back the end of a large answer that passes through, so that what only modern clients know can be taken out of it
 * where servers write it: behind all else. Elsewhere in such an answer it stays, which every client ignores.
 */
export class AnswerTail {
  #left: number
  #held: Buffer = nothing

  /** `length` is that of all that will be pushed. */
  constructor(length: number) {
    this.#left = length
  }

  /** What may leave by now, for a legacy client. */
  push(chunk: Buffer): readonly Buffer[] {
    this.#left -= chunk.length
    if (this.#left <= 0) return [this.#end(chunk)]
    const ready = this.#held.length + chunk.length - keptBytes
    const cut = chunk.length - keptBytes
    if (cut < 0) {
      const all = Buffer.concat([this.#held, chunk])
      this.#held = ready <= 0 ? all : all.subarray(ready)
      return ready <= 0 ? [] : [all.subarray(0, ready)]
    }
    const before = this.#held
    this.#held = chunk.subarray(cut)
    return [before, chunk.subarray(0, cut)].filter(({ length }) => length > 0)
  }

  /** In one piece, because a write costs more than to copy it. */
  #end(chunk: Buffer): Buffer {
    const all = Buffer.concat([this.#held, chunk])
    const cut = Math.max(0, all.length - keptBytes)
    withoutModernMeta(all.subarray(cut)).copy(all, cut)
    return all
  }
}

/** As long as before, because the length of the answer was told already: spaces stand where something was taken out. */
export function withoutModernMeta(tail: Buffer): Buffer {
  // One letter for each byte, so that places in the text are places in the bytes.
  const text = tail.toString('latin1')
  // Inside of a string its quotes would be escaped.
  const at = text.lastIndexOf(`${metaMember}{`)
  if (at < 0) return tail
  const start = at + metaMember.length
  const end = endOfValue(text, start)
  // It is the last member of the result, and that the last of the answer.
  const members = /^\s*\}\s*\}\s*$/.test(text.slice(end)) ? listMembers(text, start) : null
  const own = members?.filter(({ key }) => !modernMeta.has(key)) ?? []
  if (members === null || own.length === members.length) return tail
  const texts = own.map((member) => text.slice(member.keyStart, member.end))
  const left = own.length === 0 ? '' : `${metaMember}{${texts.join(',')}}`
  return Buffer.from(text.slice(0, at) + left.padEnd(end - at) + text.slice(end), 'latin1')
}
