import { useEffect, useId, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'

interface ReorderOptions {
  /** What is said of each item, in its order. */
  readonly names: readonly string[]
  readonly onMove: (from: number, to: number) => void
  /** Told to those who do not see it. */
  readonly say: (text: string) => void
}

interface Moving {
  readonly from: number
  readonly to: number
}

/** How far a pointer goes before it is no click any more. */
const slackPx = 4

/**
 * Moves the items of a list: by dragging a handle; with Space, arrow keys and Space again; or with Alt and an arrow key.
 * Items get `item(index)`, their handles `handle(index)`; `data-drop` says at which side of an item the moved one will be.
 */
export function useReorder(options: ReorderOptions) {
  const prefix = useId()
  const [moving, setMoving] = useState<Moving | null>(null)
  const latest = useRef(options)
  useEffect(() => {
    latest.current = options
  })
  const { names, say } = options
  const place = (index: number) => `${index + 1} of ${names.length}`

  function drag(event: PointerEvent, from: number) {
    if (event.button !== 0) return
    const { clientX, clientY } = event
    let to: number | null = null
    const follow = (moved: globalThis.PointerEvent) => {
      if (to === null && Math.hypot(moved.clientX - clientX, moved.clientY - clientY) < slackPx) return
      to = indexAt(prefix, moved) ?? to ?? from
      setMoving({ from, to })
    }
    const end = ({ type }: Event) => {
      for (const each of ['pointermove', 'pointerup', 'pointercancel']) removeEventListener(each, listen)
      setMoving(null)
      if (type === 'pointerup' && to !== null && to !== from) latest.current.onMove(from, to)
    }
    const listen = (each: Event) => (each.type === 'pointermove' ? follow(each as globalThis.PointerEvent) : end(each))
    for (const each of ['pointermove', 'pointerup', 'pointercancel']) addEventListener(each, listen)
  }

  function shift(from: number, to: number) {
    if (to >= 0 && to < names.length) options.onMove(from, to)
  }
  function step(by: -1 | 1) {
    const to = moving === null ? -1 : moving.to + by
    if (moving === null || to < 0 || to >= names.length) return
    setMoving({ ...moving, to })
    say(`${names[moving.from]} would be ${place(to)}.`)
  }
  function drop({ from, to }: Moving) {
    setMoving(null)
    if (from === to) say(`${names[from]} stays where it was.`)
    else options.onMove(from, to)
  }
  function onKeyDown(event: KeyboardEvent, index: number) {
    const by = ({ ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 } as const)[event.key]
    if (by !== undefined && event.altKey) shift(index, index + by)
    else if (by !== undefined && moving !== null) step(by)
    else if (event.key === ' ' || event.key === 'Enter') {
      if (moving !== null) drop(moving)
      else {
        setMoving({ from: index, to: index })
        say(`Picked up ${names[index]}, ${place(index)}.`)
      }
    } else if (event.key === 'Escape' && moving !== null) drop({ from: moving.from, to: moving.from })
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return {
    item: (index: number) => ({
      'data-reorder': `${prefix} ${index}`,
      'data-moving': moving?.from === index || undefined,
      'data-drop': dropSide(moving, index),
    }),
    handle: (index: number) => ({
      title: 'Drag, or press Space and then arrow keys',
      'aria-keyshortcuts': 'Space Alt+ArrowUp Alt+ArrowDown Alt+ArrowLeft Alt+ArrowRight',
      onPointerDown: (event: PointerEvent) => drag(event, index),
      onKeyDown: (event: KeyboardEvent) => onKeyDown(event, index),
      onBlur: () => setMoving(null),
    }),
  }
}

/** The list with one item at another place. */
export function moveItem<Item>(items: readonly Item[], from: number, to: number): Item[] {
  return items.toSpliced(from, 1).toSpliced(to, 0, ...items.slice(from, from + 1))
}

function dropSide(moving: Moving | null, index: number): 'before' | 'after' | undefined {
  if (moving === null || moving.to !== index || moving.to === moving.from) return undefined
  return moving.to > moving.from ? 'after' : 'before'
}

/** The item of this list that is under the pointer. */
function indexAt(prefix: string, { clientX, clientY }: globalThis.PointerEvent): number | null {
  const item = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-reorder]')
  const [list, index] = item?.dataset['reorder']?.split(' ') ?? []
  return list === prefix ? Number(index) : null
}
