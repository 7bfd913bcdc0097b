import { useEffect, useEffectEvent } from 'react'

export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>

const chordMs = 1200

/**
 * Keys that do something on this page: `{ 'mod+s': save, '/': focusFilter, 'g c': goToConnectors, j: next }`. `mod` is Ctrl
 * or Command. Keys without it rest while somebody types, but for those of the filter of a list: `{ 'filter Enter': goToFirst }`.
 */
export function useShortcuts(shortcuts: Shortcuts, isActive = true): void {
  // A key that is pressed right after something was typed must not act on what was there before.
  const find = useEffectEvent((key: string) => shortcuts[key])
  useEffect(() => {
    if (!isActive) return
    let first: { key: string; at: number } | null = null
    const onKey = (event: KeyboardEvent) => {
      const isMod = event.ctrlKey || event.metaKey
      const isInFilter = event.target instanceof HTMLElement && 'filter' in event.target.dataset
      if (
        event.defaultPrevented ||
        event.isComposing ||
        event.altKey ||
        (!isMod && !isInFilter && isTyping(event.target))
      )
        return
      const key = isMod ? `mod+${event.key.toLowerCase()}` : isInFilter ? `filter ${event.key}` : event.key
      const chord = first !== null && event.timeStamp - first.at < chordMs ? `${first.key} ${key}` : key
      first = isMod ? null : { key, at: event.timeStamp }
      const run = find(chord) ?? find(key)
      if (run === undefined) return
      first = null
      event.preventDefault()
      run(event)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isActive])
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.closest('input, textarea, select, dialog, [role="menu"]') !== null
}
