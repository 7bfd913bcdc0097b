import { CircleCheck, X } from 'lucide-react'
import { useSyncExternalStore } from 'react'

interface Announcement {
  readonly id: number
  readonly title: string
  readonly description: string | undefined
}

const shownMs = 6000
const maxShown = 3

let shown: readonly Announcement[] = []
let lastId = 0
const watchers = new Set<() => void>()

/** Says that something was done. Never the only place of an error: those stay on the page. */
export function announce(title: string, description?: string): void {
  const id = ++lastId
  show([...shown, { id, title, description }].slice(-maxShown))
  setTimeout(() => dismiss(id), shownMs)
}

/** Where announcements appear; once per page. */
export function Toasts() {
  const announcements = useSyncExternalStore(watch, () => shown)
  return (
    <output className="pointer-events-none fixed right-4 bottom-18 z-50 flex w-[min(22rem,calc(100vw-2rem))] flex-col gap-2">
      {announcements.map(({ id, title, description }) => (
        <div
          key={id}
          className="pointer-events-auto flex w-full items-start gap-2 rounded-lg border border-line bg-raised p-3 shadow-pop"
        >
          <CircleCheck className="mt-0.5 size-4 shrink-0 text-ok" aria-hidden />
          <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
            <p className="text-base font-medium">{title}</p>
            {description !== undefined && <p className="text-sm text-ink-2">{description}</p>}
          </div>
          <button
            type="button"
            aria-label="Dismiss"
            onClick={() => dismiss(id)}
            className="grid size-6 shrink-0 place-items-center rounded-md text-ink-3 hover:bg-well"
          >
            <X className="size-4" aria-hidden />
          </button>
        </div>
      ))}
    </output>
  )
}

function dismiss(id: number): void {
  show(shown.filter((each) => each.id !== id))
}

function show(next: readonly Announcement[]): void {
  shown = next
  for (const watcher of watchers) watcher()
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}
