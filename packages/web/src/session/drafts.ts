const maxDrafts = 100
const drafts = new Map<string, string>()

/** What was typed and not sent, by thread, as long as the page is open. */
export function readDraft(key: string): string {
  return drafts.get(key) ?? ''
}

export function keepDraft(key: string, text: string): void {
  drafts.delete(key)
  if (text !== '') drafts.set(key, text)
  const [oldest] = drafts.keys()
  if (drafts.size > maxDrafts && oldest !== undefined) drafts.delete(oldest)
}
