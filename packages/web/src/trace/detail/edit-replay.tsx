import type { EventView } from '@herma/contract'
import { useId, useMemo, useState, type FormEvent } from 'react'
import { Button } from '../../ui/button.tsx'
import { describe, Field, TextArea } from '../../ui/form/field.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { LeaveGuard } from '../../ui/overlay/leave-guard.tsx'
import { FieldList } from '../../ui/schema/schema-field-list.tsx'
import { readFields } from '../../ui/schema/schema-fields.ts'
import { Tabs } from '../../ui/tabs.tsx'
import { nameOf } from '../describe-event.ts'
import { useToolField } from './use-tool-field.ts'

interface EditReplayProps {
  readonly event: EventView
  /** Those of then; undefined when they were not recorded. */
  readonly recorded: Readonly<Record<string, unknown>> | undefined
  readonly onClose: () => void
  readonly onReplay: (given: Record<string, unknown>) => void
}

const mask = '••••'

/** Asks for the arguments with which a call is sent again: as JSON, or field by field where the tool says which it has. */
export default function EditReplay({ event, recorded, onClose, onReplay }: EditReplayProps) {
  const id = useId()
  const schema = useToolField(event, 'inputSchema')
  const initial = JSON.stringify(recorded ?? {}, null, 2)
  const [text, setText] = useState(initial)
  const [isTried, setTried] = useState(false)
  const [tab, setTab] = useState<'form' | 'json'>('form')
  const read = readArguments(text)
  const problem = isTried ? read.problem : undefined
  const fields = useMemo(() => (schema === null ? null : readFields(schema)), [schema])
  function submit(submitted?: FormEvent) {
    submitted?.preventDefault()
    if (read.value !== null) return onReplay(read.value)
    setTried(true)
    setTab('json')
    requestAnimationFrame(() => document.getElementById(id)?.focus())
  }
  const json = (
    <Field id={id} label="Arguments as JSON" error={problem} hint="A JSON object." className="py-3">
      <TextArea
        {...describe(id, problem)}
        mono
        rows={14}
        value={text}
        onBlur={() => setTried(true)}
        onChange={(change) => setText(change.target.value)}
      />
    </Field>
  )
  const form =
    read.value === null ? (
      <p className="py-3 text-ink-2">The JSON has a mistake. Mend it there first.</p>
    ) : (
      <FieldList
        id={`${id}form`}
        fields={fields ?? []}
        value={read.value}
        onChange={(value) => setText(JSON.stringify(value, null, 2))}
      />
    )
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="primary" onClick={() => submit()}>
        Replay
      </Button>
    </>
  )
  return (
    <Dialog isOpen shape="drawer" title="Edit and replay" hint={nameOf(event)} footer={footer} onClose={onClose}>
      <form onSubmit={submit} className="grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
        <p className="text-ink-2">The call is really made again, as you. What it changes, it changes again.</p>
        {recorded === undefined && (
          <p className="text-ink-2">The arguments of this call were not recorded, so this begins with none.</p>
        )}
        {initial.includes(mask) && (
          <p className="text-warn">Secrets are not recorded. Put values where it says {mask}.</p>
        )}
        {fields === null ? (
          json
        ) : (
          <Tabs
            label="Arguments"
            listClassName="px-0"
            value={tab}
            onChange={setTab}
            tabs={[
              { id: 'form', label: 'Form', body: form },
              { id: 'json', label: 'JSON', body: json },
            ]}
          />
        )}
      </form>
      <LeaveGuard isDirty={text !== initial} />
    </Dialog>
  )
}

type Arguments = { readonly value: Record<string, unknown>; readonly problem?: never } | Unreadable
interface Unreadable {
  readonly value: null
  readonly problem: string
}

/** Arguments that somebody typed, or what is wrong with them. */
function readArguments(text: string): Arguments {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { value: value as Record<string, unknown> }
    return { value: null, problem: 'Arguments are an object: begin with { and end with }.' }
  } catch (error) {
    return { value: null, problem: `This is not JSON: ${(error as Error).message}` }
  }
}
