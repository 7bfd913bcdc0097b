import type { CompositeInput } from '@herma/contract'
import { useState } from 'react'
import type { Form } from '../../form/use-form.ts'
import { TextArea } from '../../ui/form/field.tsx'
import { lineOfPath, readJson } from '../read-json.ts'
import { CompositeForm, objectOf, type CompositeDraft, type CompositeKind } from './composite-draft.ts'

interface CompositeJsonProps {
  readonly kind: CompositeKind
  readonly form: Form<CompositeDraft, CompositeInput>
  /** Saving was tried. */
  readonly showsProblems: boolean
}

const maxProblems = 10

/** The same definition as text. What can be read is taken over at once. */
export function CompositeJson({ kind, form, showsProblems }: CompositeJsonProps) {
  const [wasTyped, setTyped] = useState(false)
  const { text, definition } = form.draft
  const read = readJson(text)
  function change(next: string) {
    setTyped(true)
    const parsed = readJson(next)
    const isObject = 'value' in parsed && typeof parsed.value === 'object' && parsed.value !== null
    form.change(isObject ? { text: next, definition: objectOf(parsed.value) } : { text: next })
  }
  const problems =
    'problem' in read ? [read.problem] : wasTyped || showsProblems ? listProblems(kind, text, definition) : []
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2 p-3">
      <TextArea
        id="definition"
        mono
        rows={22}
        aria-label="Definition as JSON"
        aria-invalid={problems.length > 0 || undefined}
        aria-describedby="definition-problems"
        value={text}
        onChange={(event) => change(event.target.value)}
      />
      <ul id="definition-problems" className="grid gap-1 text-sm text-bad">
        {problems.map((problem) => (
          <li key={problem} className="[overflow-wrap:anywhere]">
            {problem}
          </li>
        ))}
      </ul>
    </div>
  )
}

function listProblems(kind: CompositeKind, text: string, definition: object): string[] {
  const issues = CompositeForm.safeParse({ kind, definition }).error?.issues ?? []
  return issues.slice(0, maxProblems).map(({ path, message }) => {
    const inside = path.slice(1).map((part) => (typeof part === 'symbol' ? String(part) : part))
    return `Line ${lineOfPath(text, inside)}, ${inside.join('.')}: ${message}`
  })
}
