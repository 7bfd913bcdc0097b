import type { BindingView, ConnectorView, SessionView } from '@herma/contract'
import { Link } from '@tanstack/react-router'
import { Minus, Plus } from 'lucide-react'
import { useState, type KeyboardEvent } from 'react'
import { useMay } from '../api/me.ts'
import { Card } from '../ui/card.tsx'
import { cn } from '../ui/cn.ts'
import { StatusDot } from '../ui/status-dot.tsx'
import { describeBinding } from './describe-binding.ts'

export interface MatrixProps {
  readonly sessions: readonly SessionView[]
  readonly connectors: readonly ConnectorView[]
  readonly bindings: readonly BindingView[]
  readonly onOpen: (session: string, connector: string) => void
}

export function findBinding(bindings: readonly BindingView[], session: string, connector: string) {
  return bindings.find((each) => each.session === session && each.connector === connector)
}

/** Sessions down, connectors across. Arrow keys move between the cells, Enter opens one. */
export function BindingMatrix({ sessions, connectors, bindings, onOpen }: MatrixProps) {
  const [at, setAt] = useState({ row: 0, column: 0 })
  // The list may have become shorter since.
  const row = Math.min(at.row, sessions.length - 1)
  const column = Math.min(at.column, connectors.length - 1)
  function onKeyDown(event: KeyboardEvent) {
    const next = {
      ArrowRight: { row, column: column + 1 },
      ArrowLeft: { row, column: column - 1 },
      ArrowDown: { row: row + 1, column },
      ArrowUp: { row: row - 1, column },
      Home: { row, column: 0 },
      End: { row, column: connectors.length - 1 },
    }[event.key]
    if (next === undefined) return
    event.preventDefault()
    const cell = document.getElementById(cellId(next.row, next.column))
    if (cell === null) return
    setAt(next)
    cell.focus()
  }
  return (
    <Card className="overflow-x-auto">
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <table
        // Arrow keys move in it as in a table of figures.
        {...{ role: 'grid', 'aria-label': 'Session bindings' }}
        onKeyDown={onKeyDown}
        className="w-full border-separate border-spacing-0"
      >
        <thead>
          <tr>
            <th
              scope="col"
              className="sticky left-0 z-10 w-48 min-w-40 border-b border-line bg-surface px-4 py-2 text-left text-sm font-medium text-ink-3"
            >
              Session
            </th>
            {connectors.map(({ name }) => (
              <th
                key={name}
                scope="col"
                className="min-w-36 border-b border-l border-line px-3 py-2 text-left text-sm font-medium"
              >
                <Link
                  to="/connectors/$name"
                  params={{ name }}
                  className="block max-w-44 truncate rounded-sm hover:underline"
                  title={name}
                >
                  {name}
                </Link>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sessions.map((session, rowIndex) => (
            <tr key={session.id}>
              <th
                scope="row"
                className="sticky left-0 z-10 border-b border-line bg-surface px-4 py-2 text-left font-medium"
              >
                <Link
                  to="/sessions/$name"
                  params={{ name: session.name }}
                  className="rounded-sm [overflow-wrap:anywhere] hover:underline"
                >
                  {session.name}
                </Link>
              </th>
              {connectors.map(({ name }, columnIndex) => (
                <td key={name} className="border-b border-l border-line p-1">
                  <CellButton
                    id={cellId(rowIndex, columnIndex)}
                    session={session.name}
                    connector={name}
                    binding={findBinding(bindings, session.name, name)}
                    isCurrent={rowIndex === row && columnIndex === column}
                    onFocus={() => setAt({ row: rowIndex, column: columnIndex })}
                    onOpen={() => onOpen(session.name, name)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

function cellId(row: number, column: number): string {
  return `cell-${row}-${column}`
}

interface CellButtonProps {
  readonly id: string
  readonly session: string
  readonly connector: string
  readonly binding: BindingView | undefined
  readonly isCurrent: boolean
  readonly onFocus: () => void
  readonly onOpen: () => void
}

function CellButton({ id, session, connector, binding, isCurrent, onFocus, onOpen }: CellButtonProps) {
  const { tone, text } = describeBinding(binding)
  const canAttach = useMay('admin') && binding === undefined
  return (
    <button
      id={id}
      type="button"
      tabIndex={isCurrent ? 0 : -1}
      aria-label={`${session} and ${connector}: ${text}${canAttach ? '. Attach' : ''}`}
      onFocus={onFocus}
      onClick={onOpen}
      className={cn(
        'flex min-h-9 w-full items-center rounded-md px-2 text-left text-sm hover:bg-well pointer-coarse:min-h-11',
        binding === undefined && 'text-ink-3',
      )}
    >
      {binding !== undefined ? (
        <StatusDot tone={tone}>{text}</StatusDot>
      ) : canAttach ? (
        <>
          <Plus className="mr-1 size-4" aria-hidden /> Attach
        </>
      ) : (
        <Minus className="size-4" aria-hidden />
      )}
    </button>
  )
}
