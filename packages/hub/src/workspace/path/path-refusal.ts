import { HubError } from '@herma/contract'
import type { PathRefusal } from './locate-path.ts'

/** Told for each path that is refused, before the call hears of it. */
export type OnViolation = (refusal: PathRefusal) => void

const nextSteps: Record<PathRefusal['reason'], string> = {
  malformed: 'Give a path inside of the workspace.',
  outside: 'Give a path inside of it, or allow the folder as a root.',
  denied: 'Choose another path, or change the denied globs.',
  link: 'Name the file that the link leads to.',
  'hard-link': 'Copy it to a file of its own, or allow hard links.',
  special: 'Only regular files can be used.',
}

/** The error of a refused path. */
export function pathRefused({ path, reason, because }: PathRefusal): HubError {
  return new HubError('PATH_REFUSED', `'${shorten(path)}' is refused: ${because}. ${nextSteps[reason]}`, {
    data: { path: shorten(path), reason },
  })
}

export function fileNotFound(path: string): HubError {
  return new HubError('FILE_NOT_FOUND', `There is no file '${shorten(path)}' in the workspace. List its folder first.`)
}

function shorten(path: string): string {
  const clean = path.replaceAll('\0', '\\0')
  return clean.length > 300 ? `${clean.slice(0, 300)}…` : clean
}
