import type { Homes } from '../../platform/file/homes.ts'

/** Names that stand for a folder between double braces. */
export const homePlaceholders: readonly string[] = ['HERMA_CONFIG_HOME', 'HERMA_STATE_HOME']

/** Puts the two homes in place of their names; all other braces stay, since commands such as docker use them too. */
export function expandHomes(text: string, { configHome, stateHome }: Homes): string {
  return text.replace(placeholder, (whole, name: string) => {
    if (name.trim() === 'HERMA_CONFIG_HOME') return configHome
    return name.trim() === 'HERMA_STATE_HOME' ? stateHome : whole
  })
}

/** What stands between double braces in a text. */
export function namesInBraces(text: string): string[] {
  return Array.from(text.matchAll(placeholder), ([, name = '']) => name.trim())
}

const placeholder = /\{\{([^{}]*)\}\}/g
