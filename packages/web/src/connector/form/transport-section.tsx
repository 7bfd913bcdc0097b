import type { Transport } from '@herma/contract'
import { Globe, Radio, SquareTerminal, Zap, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '../../ui/cn.ts'
import { FormSection } from '../../ui/form/form-section.tsx'
import { HttpFields } from './http-fields.tsx'
import { StdioFields } from './stdio-fields.tsx'
import type { ConnectorForm } from './use-connector-form.ts'

const transports: readonly { id: Transport; label: string; help: string; Sign: LucideIcon }[] = [
  { id: 'stream', label: 'Streamable HTTP', help: 'A server with a URL. The current standard.', Sign: Globe },
  { id: 'stdio', label: 'stdio', help: 'A program that the hub starts on its machine.', Sign: SquareTerminal },
  { id: 'http', label: 'HTTP', help: 'A server with a URL that answers with plain JSON only.', Sign: Zap },
  { id: 'sse', label: 'SSE', help: 'A server with a URL that speaks the older event stream.', Sign: Radio },
]

/** How the server is reached: a URL, or a program to start. */
export function TransportSection({ form, children }: { form: ConnectorForm; children?: ReactNode }) {
  const { draft, change } = form
  const isStdio = draft.transport === 'stdio'
  const isOtherFilled = isStdio
    ? draft.baseUrl !== '' || draft.headers.length > 0
    : draft.cmd !== '' || draft.env.length > 0
  return (
    <FormSection id="transport-step" title="Transport">
      <fieldset
        id="transport"
        className="grid grid-cols-[minmax(0,1fr)] gap-2 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]"
      >
        <legend className="sr-only">Transport</legend>
        {transports.map(({ id, label, help, Sign }) => (
          <label
            key={id}
            className={cn(
              'flex cursor-pointer items-start gap-2.5 rounded-md border border-line-strong bg-surface p-3 hover:border-ink-3 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
              draft.transport === id && 'border-accent bg-accent-soft hover:border-accent',
            )}
          >
            <input
              type="radio"
              name="transport"
              value={id}
              checked={draft.transport === id}
              aria-describedby={`transport-${id}`}
              onChange={() => change({ transport: id })}
              className="mt-0.5 size-4 shrink-0 accent-accent outline-none"
            />
            <span className="min-w-0 flex-1">
              <span className="block font-medium">{label}</span>
              <span id={`transport-${id}`} className="block text-sm text-ink-2">
                {help}
              </span>
            </span>
            <Sign className="size-4 shrink-0 text-ink-3" aria-hidden />
          </label>
        ))}
      </fieldset>
      {isOtherFilled && (
        <p className="text-sm text-warn">
          Saving drops the {isStdio ? 'URL and headers' : 'program and variables'} of the other transport.
        </p>
      )}
      {isStdio ? <StdioFields form={form} /> : <HttpFields form={form} />}
      {children}
    </FormSection>
  )
}
