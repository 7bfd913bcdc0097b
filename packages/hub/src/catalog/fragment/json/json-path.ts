/** Where a value is inside a document: keys and indices from the root. */
export type JsonPath = readonly (string | number)[]

/** Writes a path as people read it: `aggregations[0].operations[2].value`. */
export function formatPath(path: JsonPath): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else if (!/^[A-Za-z_$][\w$-]*$/.test(part)) text += `[${JSON.stringify(part)}]`
    else text += text === '' ? part : `.${part}`
  }
  return text
}

/** The value at a path, or undefined when the path leads nowhere. */
export function valueAt(root: unknown, path: JsonPath): unknown {
  let value = root
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string | number, unknown>)[part]
  }
  return value
}
