import { useSyncExternalStore } from 'react'

// public/theme.js reads the same key before the page is drawn.
const storageKey = 'herma-theme'

/** Which theme the page has now. */
export function useIsDark(): boolean {
  return useSyncExternalStore(watchTheme, () => document.documentElement.classList.contains('dark'))
}

export function setDark(isDark: boolean): void {
  document.documentElement.classList.toggle('dark', isDark)
  try {
    localStorage.setItem(storageKey, isDark ? 'dark' : 'light')
  } catch {
    // Storage may be switched off; the choice then holds for this page.
  }
}

function watchTheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, { attributeFilter: ['class'] })
  return () => observer.disconnect()
}
