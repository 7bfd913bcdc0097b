import { dirname, isAbsolute, join } from 'node:path'

/** Tells whether a link at a relative path leads to somewhere in the same tree. An absolute one leads into the original. */
export function staysInside(path: string, target: string): boolean {
  if (isAbsolute(target)) return false
  const end = join(dirname(path), target)
  return end !== '..' && !end.startsWith('../')
}
