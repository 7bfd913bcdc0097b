/** What can be told of a message whose middle was not kept. */
export interface CutMessage {
  readonly id: number | string | null
  readonly method: string | null
}

/** Finds the id and the method of a message in its begin and its end. They stand at its root, never inside of a value. */
export function readCutMessage(head: Buffer, tail: Buffer): CutMessage {
  const found: Record<string, unknown> = { ...readEnd(tail.toString('latin1')), ...readBegin(head.toString('latin1')) }
  const { id, method } = found
  return {
    id: typeof id === 'number' || typeof id === 'string' ? id : null,
    method: typeof method === 'string' ? method : null,
  }
}

const member = /\s*,?\s*("(?:[^"\\]|\\.)*")\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+|true|false|null)(?=\s*[,}])/y

/** Members that come before the first value with something inside. */
function readBegin(text: string): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  member.lastIndex = /^\s*\{/.exec(text)?.[0].length ?? text.length
  for (let match = member.exec(text); match !== null; match = member.exec(text))
    found[String(JSON.parse(match[1]!))] = JSON.parse(match[2]!)
  return found
}

/** Members that come after the last one; a quote inside of a text has a backslash before it, so this cannot be a text. */
function readEnd(text: string): Record<string, unknown> {
  const last = /,\s*"(id|jsonrpc|method)"\s*:\s*("[^"\\]*"|-?\d+)\s*\}\s*$/.exec(text)
  if (last === null) return {}
  return { ...readEnd(`${text.slice(0, last.index)}}`), [last[1]!]: JSON.parse(last[2]!) as unknown }
}
