import type { ScanFinding } from '@herma/contract'

import { oneLine } from '../../clean-text.ts'
import type { Terminal } from '../../terminal.ts'

const colours = { danger: 'red', warning: 'yellow', info: 'dim' } as const

/** Two lines for each: what was found where, and the text around it, in which nothing is invisible. */
export function describeFindings(findings: readonly ScanFinding[], terminal: Terminal): string {
  return findings
    .map(({ severity, rule, path, message, excerpt }) => {
      const found = terminal.style(colours[severity], `${severity}: ${oneLine(message)}`)
      return `${found} (${rule}, ${oneLine(path)})\n    ${oneLine(excerpt)}`
    })
    .join('\n')
}
