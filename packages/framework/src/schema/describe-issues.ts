interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[]
}

/** What is wrong with a value, in words that a model can act on: one clause for each field. */
export function describeIssues(issues: readonly Issue[]): string {
  return issues.map((issue) => `${formatPath(issue.path)}: ${issue.message}`).join('; ')
}

function formatPath(path: Issue['path']): string {
  if (path === undefined || path.length === 0) return 'the whole value'
  return path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
}
