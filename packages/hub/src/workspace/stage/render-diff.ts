import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import { decodeText } from '../workspace.ts'

/** A file before and after; null = there is none. */
export interface FilePair {
  readonly path: string
  readonly before: Uint8Array | null
  readonly after: Uint8Array | null
}

const maxFileBytes = 1024 * 1024
/** Beyond this many changed lines a patch says less than both files, and costs more than they do. */
const maxEditLength = 4000

/** A unified diff that `git apply` takes, as long as nothing in it is only named. What does not fit ends with a note. */
export async function renderDiff(pairs: readonly FilePair[], maxLength: number): Promise<string> {
  let text = ''
  for (const [index, pair] of pairs.entries()) {
    const patch = renderPair(pair)
    if (text.length + patch.length > maxLength) return `${text}(${pairs.length - index} more files are not shown)\n`
    text += patch
    // A long list must not hold up the calls of others.
    await yieldToOthers()
  }
  return text
}

function renderPair({ path, before, after }: FilePair): string {
  const from = before === null ? '/dev/null' : `a/${path}`
  const to = after === null ? '/dev/null' : `b/${path}`
  const [old, young] = [toText(before), toText(after)]
  if (old === null || young === null) return `Binary files ${from} and ${to} differ\n`
  const tooLarge = Math.max(before?.length ?? 0, after?.length ?? 0) > maxFileBytes
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY, maxEditLength }
  const patch = tooLarge ? undefined : createTwoFilesPatch(from, to, old, young, undefined, undefined, options)
  return patch ?? `Files ${from} and ${to} differ too much to be shown (${sizeOf(before)} and ${sizeOf(after)} bytes)\n`
}

function toText(bytes: Uint8Array | null): string | null {
  if (bytes === null) return ''
  if (bytes.subarray(0, 8000).includes(0)) return null
  try {
    return decodeText('', bytes)
  } catch {
    // What is no UTF-8 is shown like any other binary file.
    return null
  }
}

function sizeOf(bytes: Uint8Array | null): number {
  return bytes?.length ?? 0
}
