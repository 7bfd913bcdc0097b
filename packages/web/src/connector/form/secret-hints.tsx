import { findSecrets, putReference, type SecretFinding, valueAt } from '@herma/contract'
import { KeyRound } from 'lucide-react'
import { useLayoutEffect, useRef } from 'react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { useChange } from '../../api/use-change.ts'
import { Button } from '../../ui/button.tsx'
import { explain } from '../../ui/explain.ts'
import type { ConnectorDraft } from './draft/connector-draft.ts'

/** The fields of a form in which a secret may be pasted. */
type SecretDraft = Pick<ConnectorDraft, 'name' | SecretFinding['field']>

interface SecretHintsProps {
  readonly form: { readonly draft: SecretDraft; readonly change: (part: Partial<SecretDraft>) => void }
  readonly field: SecretFinding['field']
  /** A secret was taken out of the field: what was typed there is nowhere any more. */
  readonly onStored?: () => void
}

/** Below a field: what in it looks like a secret and would be shown, with a button that stores it by name. */
export function SecretHints({ form, field, onStored }: SecretHintsProps) {
  const mayStore = useMay('admin')
  const latest = useRef(form)
  // Not in what is sent, which is kept for a while after it was.
  const taken = useRef('')
  useLayoutEffect(() => {
    latest.current = form
  })
  const { mutate, reset, error, isPending } = useChange({
    send: (finding: SecretFinding) => {
      const { draft } = latest.current
      const text = textAt(draft, finding)
      taken.current = text.slice(finding.start, finding.end)
      const value = valueAt(finding, text)
      const description = `Of ${draft.name || 'a connector'}: ${finding.label}`
      return api.storeSecret({ body: { name: finding.proposal, value, description } })
    },
    topics: ['secrets'],
    done: ({ name }) => `Stored as ${name}.`,
    onDone: ({ name }, finding) => {
      latest.current.change(withReference(latest.current.draft, { finding, taken: taken.current }, name))
      taken.current = ''
      onStored?.()
      reset()
    },
  })
  const found = findSecrets(form.draft).filter((each) => each.field === field && !each.isSealed)
  return (
    <div aria-live="polite" className="grid grid-cols-[minmax(0,1fr)] gap-1.5 empty:hidden">
      {found.map((finding) => (
        <div
          key={`${finding.label} ${finding.start}`}
          className="flex flex-wrap items-center gap-x-3 gap-y-1.5 rounded-md bg-warn-soft px-2.5 py-1.5 text-sm"
        >
          <span className="flex min-w-0 flex-1 basis-56 items-center gap-1.5">
            <KeyRound className="size-3.5 shrink-0 text-warn" aria-hidden />
            {describePlace(finding)} looks like a secret. It would be stored and shown in clear.
          </span>
          {mayStore && (
            <Button
              size="sm"
              pending={isPending}
              aria-label={`Store as secret: ${describePlace(finding)}`}
              onClick={() => !isPending && mutate(finding)}
            >
              Store as secret
            </Button>
          )}
        </div>
      ))}
      {error !== null && <p className="text-sm text-bad">It was not stored. {explain(error)}</p>}
    </div>
  )
}

const places = { baseUrl: 'A part of the base URL', endpointPath: 'A part of the endpoint path' } as const

function describePlace({ field, index, label }: SecretFinding): string {
  if (field === 'args') return `Argument ${index! + 1}`
  return field === 'headers' || field === 'env' ? label.slice(field.length + 1) : places[field]
}

function textAt(draft: SecretDraft, { field, index }: SecretFinding): string {
  if (field === 'args') return draft.args[index!] ?? ''
  return (field === 'headers' || field === 'env' ? draft[field][index!]?.value : draft[field]) ?? ''
}

interface Taken {
  readonly finding: SecretFinding
  /** As it was written in the field. */
  readonly taken: string
}

function withReference(draft: SecretDraft, { finding, taken }: Taken, name: string): Partial<SecretDraft> {
  const { field, index } = finding
  const before = textAt(draft, finding)
  // Somebody may have typed on meanwhile.
  const start = before.startsWith(taken, finding.start) ? finding.start : before.indexOf(taken)
  if (start === -1) return {}
  const text = putReference({ ...finding, start, end: start + taken.length }, before, name)
  if (field === 'args') return { args: draft.args.map((each, at) => (at === index ? text : each)) }
  if (field === 'headers' || field === 'env')
    return { [field]: draft[field].map((row, at) => (at === index ? { ...row, value: text } : row)) }
  return { [field]: text }
}
