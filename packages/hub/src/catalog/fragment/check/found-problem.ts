import type { FragmentProblem } from './explain-issue.ts'
import type { JsonPath } from '../json/json-path.ts'

/** Something wrong that a schema cannot see. */
export interface FoundProblem extends FragmentProblem {
  /** Stelae takes it without harm, so a document of Stelae's is not refused for it. */
  readonly isTolerable: boolean
}

export function found(path: JsonPath, message: string, isTolerable = false): FoundProblem {
  return { path, message, at: 'value', isTolerable }
}

export const notAnObject = 'Arguments are an object: "type" must be "object".'

/** Finds names that are given twice; `seen` may be handed on to lists that share their names. */
export function findRepeatedNames(
  list: readonly { readonly name: string }[],
  key: string,
  seen = new Map<string, string>(),
): FoundProblem[] {
  return list.flatMap(({ name }, index) => {
    const earlier = seen.get(name)
    if (earlier !== undefined) {
      return [found([key, index, 'name'], `'${name}' is already the name of ${earlier}. Choose another one.`)]
    }
    seen.set(name, `${key}[${index}]`)
    return []
  })
}
