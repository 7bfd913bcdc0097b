import type { EventView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { useId, useState, type FormEvent } from 'react'
import { api } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { describe, Field, Input } from '../../ui/form/field.tsx'
import { formatMs, formatTime } from '../../ui/format.ts'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { Loaded } from '../../ui/page/page-state.tsx'
import { nameOf } from '../describe-event.ts'
import { OutcomeMark } from '../outcome-mark.tsx'
import { findFilterProblem } from '../trace-filter.ts'

interface ChooseOtherProps {
  readonly event: EventView
  readonly onClose: () => void
  readonly onChoose: (traceId: string) => void
}

const maxOffered = 20

/** Which trace another one is compared with: one of the same target, or any by its id. */
export function ChooseOther({ event, onClose, onChoose }: ChooseOtherProps) {
  const { kind, target, method, traceId } = event
  const query = { kind, limit: maxOffered + 1, ...(target ? { target } : method && { method }) }
  const others = useQuery({
    queryKey: ['traces', 'like', query],
    queryFn: async ({ signal }) => {
      const { events } = await api.listTraces(query, { signal })
      return events.filter((each) => each.traceId !== undefined && each.traceId !== traceId).slice(0, maxOffered)
    },
  })
  return (
    <Dialog isOpen title="Compare with" hint={`Others of ${nameOf(event)}, newest first.`} onClose={onClose}>
      <Loaded query={others} what="other calls">
        {(events) =>
          events.length === 0 ? (
            <p className="px-4 py-3 text-ink-2">There is no other one yet. Replay this one, or give an id below.</p>
          ) : (
            <ul className="max-h-80 divide-y divide-line overflow-y-auto border-b border-line">
              {events.map((each) => (
                <li key={each.id}>
                  <button
                    type="button"
                    onClick={() => onChoose(each.traceId!)}
                    className="grid min-h-10 w-full grid-cols-[minmax(0,1fr)_6rem_4rem] items-center gap-3 px-4 text-left -outline-offset-2 hover:bg-well pointer-coarse:min-h-11"
                  >
                    <span className="tnum truncate text-sm">
                      {formatTime(each.at)} <span className="text-ink-3">{each.principal}</span>
                    </span>
                    <span className="text-sm">
                      <OutcomeMark event={each} />
                    </span>
                    <span className="tnum text-right text-sm text-ink-2">{formatMs(each.ms)}</span>
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <ById onChoose={onChoose} />
    </Dialog>
  )
}

function ById({ onChoose }: { onChoose: (traceId: string) => void }) {
  const id = useId()
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  function submit(event: FormEvent) {
    event.preventDefault()
    const found = findFilterProblem('traceId', text.trim())
    if (found === undefined) return onChoose(text.trim())
    setProblem(found)
    document.getElementById(id)?.focus()
  }
  return (
    <form onSubmit={submit} className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-2 p-4">
      <Field id={id} label="Or by its id" error={problem}>
        <Input
          {...describe(id, problem)}
          mono
          maxLength={32}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
      <Button type="submit" className={problem === undefined ? '' : 'self-center'}>
        Compare
      </Button>
    </form>
  )
}
