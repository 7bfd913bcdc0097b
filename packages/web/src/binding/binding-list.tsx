import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { Card } from '../ui/card.tsx'
import { StatusDot } from '../ui/status-dot.tsx'
import { findBinding, type MatrixProps } from './binding-matrix.tsx'
import { describeBinding } from './describe-binding.ts'

/** The same as the matrix for a narrow window: one card for each session. */
export function BindingList({ sessions, connectors, bindings, onOpen }: MatrixProps) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {sessions.map(({ id, name }) => (
        <Card
          key={id}
          title={
            <Link to="/sessions/$name" params={{ name }} className="rounded-sm hover:underline">
              {name}
            </Link>
          }
        >
          <ul className="divide-y divide-line">
            {connectors.map((connector) => {
              const { tone, text } = describeBinding(findBinding(bindings, name, connector.name))
              return (
                <li key={connector.id}>
                  <button
                    type="button"
                    onClick={() => onOpen(name, connector.name)}
                    className="flex min-h-11 w-full items-center gap-3 px-4 text-left hover:bg-well"
                  >
                    <span className="mr-auto min-w-0 truncate">{connector.name}</span>
                    <span className="shrink-0 text-sm">
                      <StatusDot tone={tone}>{text}</StatusDot>
                    </span>
                    <ChevronRight className="size-4 shrink-0 text-ink-3" aria-hidden />
                  </button>
                </li>
              )
            })}
          </ul>
        </Card>
      ))}
    </div>
  )
}
