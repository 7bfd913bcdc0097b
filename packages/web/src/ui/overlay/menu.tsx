import { useId, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { buttonStyle } from '../button.tsx'
import { cn } from '../cn.ts'

export interface MenuItem {
  readonly label: ReactNode
  readonly onSelect: () => void
  readonly isDanger?: boolean
  readonly disabled?: boolean
}

interface MenuProps {
  /** Names the button when its content is only a sign. */
  readonly label: string
  readonly children: ReactNode
  readonly items: readonly MenuItem[]
  readonly className?: string
}

/** A list of actions behind a button. The browser shows it above everything else and closes it on Escape. */
export function Menu({ label, children, items, className }: MenuProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const entries = () => [...(list.current?.querySelectorAll<HTMLElement>('[role="menuitem"]:not(:disabled)') ?? [])]

  function onToggle(isOpen: boolean) {
    const [anchor, popup] = [button.current, list.current]
    if (!isOpen || anchor === null || popup === null) return
    const { right, bottom, top } = anchor.getBoundingClientRect()
    const fitsBelow = bottom + popup.offsetHeight + 8 < innerHeight
    popup.style.left = `${Math.max(8, right - popup.offsetWidth)}px`
    popup.style.top = `${fitsBelow ? bottom + 4 : Math.max(8, top - popup.offsetHeight - 4)}px`
    entries()[0]?.focus()
  }

  function onKeyDown(event: KeyboardEvent) {
    const all = entries()
    const at = all.indexOf(document.activeElement as HTMLElement)
    const next = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    all[next % all.length]?.focus()
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        popoverTarget={id}
        className={cn(buttonStyle({ variant: 'ghost', size: 'icon' }), className)}
      >
        {children}
      </button>
      <div
        ref={list}
        id={id}
        role="menu"
        tabIndex={-1}
        aria-label={label}
        popover="auto"
        onToggle={(event) => onToggle(event.newState === 'open')}
        onKeyDown={onKeyDown}
        className="fixed m-0 min-w-44 rounded-lg border border-line bg-raised p-1 text-ink shadow-pop"
      >
        {items.map((item, index) => (
          <button
            key={index}
            type="button"
            role="menuitem"
            tabIndex={-1}
            disabled={item.disabled}
            onClick={() => {
              list.current?.hidePopover()
              item.onSelect()
            }}
            className={cn(
              'flex min-h-8 w-full items-center gap-2 rounded-md px-2 text-left text-base hover:bg-well focus-visible:bg-well disabled:opacity-50 pointer-coarse:min-h-11 [&_svg]:size-4',
              item.isDanger && 'text-bad',
            )}
          >
            {item.label}
          </button>
        ))}
      </div>
    </>
  )
}
