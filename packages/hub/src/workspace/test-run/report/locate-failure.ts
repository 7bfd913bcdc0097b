import { isAbsolute, join, relative } from 'node:path'

export interface FailurePlace {
  readonly file?: string
  readonly line?: number
}

const maxLength = 20_000
// Bounded pieces, so that no text makes this slow.
const place = /(?:file:\/\/)?([^\s:()[\]'"`|<>]{1,500}\.[A-Za-z]{1,5}):(\d{1,7})/g

/**
 * The first place in a message or stack that is in a file of the project and not of its dependencies. Relative paths are
 * relative to `base`, which is the working directory unless told.
 */
export function locateFailure(text: string, { cwd, base = cwd }: { cwd: string; base?: string }): FailurePlace {
  for (const [, path, line] of text.slice(0, maxLength).matchAll(place)) {
    const file = relative(cwd, isAbsolute(path!) ? path! : join(base, path!))
    if (file.startsWith('..') || isAbsolute(file) || /(^|\/)(node_modules|site-packages|\.venv)\//.test(file)) continue
    return { file, line: Number(line) }
  }
  return {}
}
