import { useEffect, useId, useState, type KeyboardEvent, type ReactNode } from 'react'
import { cn } from './cn.ts'

export interface Tab<Id extends string> {
  readonly id: Id
  readonly label: ReactNode
  readonly body: ReactNode
}

interface TabsProps<Id extends string> {
  /** Names the group for those who do not see it. */
  readonly label: string
  readonly tabs: readonly Tab<Id>[]
  /** The open one, for pages that keep it in their address; else the tabs remember it themselves. */
  readonly value?: Id
  readonly onChange?: (id: Id) => void
  readonly className?: string
  readonly listClassName?: string
}

/** Parts of a page of which one is seen at a time. Arrow keys move between them. */
export function Tabs<Id extends string>({ label, tabs, value, onChange, className, listClassName }: TabsProps<Id>) {
  const prefix = useId()
  const [chosen, setChosen] = useState<Id | undefined>(undefined)
  const current = tabs.find(({ id }) => id === (value ?? chosen)) ?? tabs[0]
  const open = (id: Id) => {
    setChosen(id)
    onChange?.(id)
  }
  useEffect(() => {
    const tab = document.getElementById(`${prefix}${current?.id}`)
    if (tab !== null) bringIntoSight(tab)
  }, [prefix, current?.id])
  function onKeyDown(event: KeyboardEvent) {
    const at = tabs.findIndex((tab) => tab === current)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key]
    const next = to === undefined ? undefined : tabs[to % tabs.length]
    if (next === undefined) return
    event.preventDefault()
    open(next.id)
    document.getElementById(`${prefix}${next.id}`)?.focus()
  }
  return (
    <div className={className}>
      <div
        role="tablist"
        tabIndex={-1}
        aria-label={label}
        onKeyDown={onKeyDown}
        className={cn('flex gap-4 overflow-x-auto border-b border-line px-4', listClassName)}
      >
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${prefix}${tab.id}`}
            aria-selected={tab === current}
            aria-controls={tab === current ? `${prefix}panel` : undefined}
            tabIndex={tab === current ? 0 : -1}
            onClick={() => open(tab.id)}
            className={cn(
              'min-h-9 border-b-2 border-transparent py-2 text-sm whitespace-nowrap text-ink-2 -outline-offset-2 hover:text-ink pointer-coarse:min-h-11',
              tab === current && 'border-accent font-medium text-ink',
            )}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${prefix}panel`} aria-labelledby={`${prefix}${current?.id}`} className="min-w-0">
        {current?.body}
      </div>
    </div>
  )
}

/** Where there are more tabs than fit, an address may open one that is not seen. The page itself stays where it is. */
function bringIntoSight(tab: HTMLElement): void {
  const list = tab.parentElement!
  const [inner, outer] = [tab.getBoundingClientRect(), list.getBoundingClientRect()]
  if (inner.right > outer.right) list.scrollLeft += inner.right - outer.right
  if (inner.left < outer.left) list.scrollLeft -= outer.left - inner.left
}
