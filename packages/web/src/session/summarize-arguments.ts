const maxLength = 160

/** Arguments of a call on one line: `path: "src/a.ts", limit: 3`. */
export function summarizeArguments(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return cut(JSON.stringify(value) ?? '')
  const fields = Object.entries(value).map(([name, each]) => `${name}: ${JSON.stringify(each)}`)
  return cut(fields.join(', '))
}

function cut(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
}
