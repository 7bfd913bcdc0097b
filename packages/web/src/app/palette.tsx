import { useId, useState, type KeyboardEvent } from 'react'
import { cn } from '../ui/cn.ts'
import { Modal } from '../ui/overlay/dialog.tsx'
import { usePaletteGroups, type PaletteGroup, type PaletteItem } from './palette-items.ts'

/** Every page is among the first that are seen. */
const maxPerGroup = 9

/** Finds a page, a thing or an action by a few letters. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const prefix = useId()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const groups = findGroups(usePaletteGroups(), text)
  const items = groups.flatMap((group) => group.items)
  const current = items[Math.min(at, items.length - 1)]

  function run(item: PaletteItem) {
    onClose()
    item.run()
  }
  function onKeyDown(event: KeyboardEvent) {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[event.key]
    if (event.key === 'Enter' && current !== undefined) run(current)
    else if (to === undefined || items.length === 0) return
    else {
      setAt(to % items.length)
      document.getElementById(`${prefix}${items[to % items.length]!.value}`)?.scrollIntoView({ block: 'nearest' })
    }
    event.preventDefault()
  }

  return (
    <Modal
      label="Search and commands"
      onClose={onClose}
      className="fixed top-[12vh] left-1/2 w-[min(560px,calc(100vw-24px))] -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-raised shadow-pop"
    >
      <input
        role="combobox"
        aria-label="Search and commands"
        aria-expanded
        aria-controls={prefix}
        aria-activedescendant={current === undefined ? undefined : `${prefix}${current.value}`}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder="Go to a page, a connector, a tool…"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
        className="h-11 w-full border-b border-line bg-transparent px-4 text-lg -outline-offset-2 placeholder:text-ink-3"
      />
      <div id={prefix} role="listbox" aria-label="What was found" className="max-h-[60vh] overflow-y-auto p-2">
        {groups.map((group) => (
          <div key={group.value} role="group" aria-label={group.value} className="not-last:mb-2">
            <p className="px-2 py-1 text-xs text-ink-3">{group.value}</p>
            {group.items.map((item) => (
              // The keys belong to the field above, which names the current one.
              // eslint-disable-next-line jsx-a11y/click-events-have-key-events
              <div
                key={item.value}
                id={`${prefix}${item.value}`}
                role="option"
                tabIndex={-1}
                aria-selected={item === current}
                onClick={() => run(item)}
                className={cn(
                  'flex min-h-9 items-center gap-3 rounded-md px-2 text-base text-ink hover:bg-well pointer-coarse:min-h-11',
                  item === current && 'bg-accent-soft text-accent-text hover:bg-accent-soft',
                )}
              >
                <span className="min-w-0 flex-1 truncate">{item.label}</span>
                {item.hint !== undefined && <span className="truncate text-xs text-ink-3">{item.hint}</span>}
              </div>
            ))}
          </div>
        ))}
        {items.length === 0 && <p className="px-4 py-6 text-center text-ink-3">Nothing matches.</p>}
      </div>
    </Modal>
  )
}

/** Those in which every word occurs; the ones that begin with the text first. */
function findGroups(groups: readonly PaletteGroup[], text: string): PaletteGroup[] {
  const wanted = text.trim().toLowerCase()
  const words = wanted.split(/\s+/)
  return groups
    .map(({ value, items }) => ({
      value,
      items: items
        .filter(({ label, hint = '' }) => words.every((word) => `${label} ${hint}`.toLowerCase().includes(word)))
        .sort((one, other) => rank(one, wanted) - rank(other, wanted))
        .slice(0, wanted === '' ? maxPerGroup : maxPerGroup * 3),
    }))
    .filter(({ items }) => items.length > 0)
}

function rank({ label }: PaletteItem, wanted: string): number {
  return label.toLowerCase().startsWith(wanted) ? 0 : 1
}
