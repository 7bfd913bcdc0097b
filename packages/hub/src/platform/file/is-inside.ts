import { sep } from 'node:path'

/** Tells whether a path is a folder or in it. Both must be real paths, or neither. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
