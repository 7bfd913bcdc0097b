import type { ConnectorView } from '@herma/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import { CircleCheck, X } from 'lucide-react'
import { IconButton } from '../../ui/button.tsx'
import { count } from '../../ui/format.ts'

/** After a connector was added: what can be done with it now. */
export function NextSteps({ view }: { view: ConnectorView }) {
  const navigate = useNavigate({ from: '/connectors/$name' })
  const { name, counts } = view
  const tools = counts.tools > 0 ? `Its ${count(counts.tools, 'tool')} are` : 'Its tools will be'
  return (
    <section aria-label="What to do next" className="flex items-start gap-2 rounded-lg bg-ok-soft p-3">
      <CircleCheck className="mt-0.5 size-4 shrink-0 text-ok" aria-hidden />
      <div className="mr-auto min-w-0">
        <h2 className="font-medium">{name} is saved. What next?</h2>
        <ul className="mt-1 grid gap-0.5 text-ink-2 [&_a]:text-ink [&_a]:underline">
          <li>Test it below to see whether it answers.</li>
          <li>
            {tools} in the{' '}
            <Link to="/catalog" search={{}}>
              catalog
            </Link>
            , where you can hide or rename them.
          </li>
          <li>
            <Link to="/" hash="clients">
              Connect a client
            </Link>
            , or <Link to="/bindings">bind it to a session</Link> with values of its own.
          </li>
          <li>
            <Link to="/connectors/new">Add another connector</Link>.
          </li>
        </ul>
      </div>
      <IconButton label="Close this note" onClick={() => void navigate({ search: {}, replace: true })}>
        <X aria-hidden />
      </IconButton>
    </section>
  )
}
