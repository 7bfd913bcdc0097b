/** A value of a field to read: text as it is, everything else as JSON. */
export function FieldValue({ value, label }: { value: unknown; label: string }) {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0))
    return <span className="text-sm text-ink-3">Nothing</span>
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return <span className="text-sm [overflow-wrap:anywhere]">{value.join(', ')}</span>
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  const isLong = text.length > 240 || text.split('\n').length > 6
  const isCode = typeof value !== 'string' || text.startsWith('{')
  return (
    <div
      {...(isLong ? { role: 'group', tabIndex: 0, 'aria-label': label } : {})}
      className={`text-sm [overflow-wrap:anywhere] whitespace-pre-wrap ${isLong ? 'max-h-52 overflow-y-auto rounded-md border border-line bg-well px-2 py-1' : ''} ${isCode ? 'font-mono' : ''}`}
    >
      {text}
    </div>
  )
}
