import { useMemo } from 'react'
import { useShortcuts } from './shortcuts.ts'

/**
 * Moves the focus through the links of a list with j and k, and from its filter with Enter; Enter then opens one. Rows mark
 * theirs with `data-row`.
 */
export function useRowKeys(isActive = true): void {
  const shortcuts = useMemo(() => ({ j: () => step(1), k: () => step(-1), 'filter Enter': () => step(1) }), [])
  useShortcuts(shortcuts, isActive)
}

function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const at = rows.indexOf(document.activeElement as HTMLElement)
  const next = at < 0 ? (by === 1 ? 0 : rows.length - 1) : Math.min(Math.max(at + by, 0), rows.length - 1)
  rows[next]?.focus()
}
