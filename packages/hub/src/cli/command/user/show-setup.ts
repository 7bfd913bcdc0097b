import type { UserSetup } from '@herma/contract'

import type { Cli } from '../../cli.ts'

/** Shows how a user sets a password. The code stands alone on standard output, and nowhere else ever again. */
export function showSetup({ terminal }: Cli, { user, setup }: UserSetup): void {
  terminal.answer({ user, setup }, () => setup.code)
  terminal.note(
    `Hand this code to ${user.name}: it works once, until ${setup.expiresAt}, and is not shown again.\n` +
      `With it, ${user.name} sets a password at ${setup.url}`,
  )
}
