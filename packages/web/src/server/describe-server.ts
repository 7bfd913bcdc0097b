import type { ServerHealth, ServerView } from '@herma/contract'
import type { Tone } from '../ui/status-dot.tsx'

export const kindTexts: Record<ServerView['kind'], { label: string; meaning: string }> = {
  facade: { label: 'Catalog', meaning: 'Your whole catalog: the tools of all connectors at one address.' },
  custom: { label: 'Custom', meaning: 'A server that you added: your catalog once more, or one server hosted alone.' },
  team: { label: 'Team', meaning: 'Sessions behind one server. Each call goes to the member that suits it.' },
  session: { label: 'Session', meaning: 'One session alone, as a server of its own.' },
  management: { label: 'Management', meaning: 'The hub itself, for agents that manage it.' },
}

/** How a server is, in one line. */
export function describeHealth(health: ServerHealth | undefined): { tone: Tone; text: string } {
  if (health === undefined) return { tone: 'off', text: 'Not known yet' }
  switch (health.state) {
    case 'ready':
      return { tone: 'ok', text: 'Ready' }
    case 'starting':
      return { tone: 'warn', text: 'Starting…' }
    case 'failing':
      return { tone: 'bad', text: health.problem ?? 'It does not answer.' }
    case 'disabled':
      return { tone: 'off', text: 'Turned off' }
  }
}

/** The session behind a server, or null. */
export function sessionOf({ kind, name }: Pick<ServerView, 'kind' | 'name'>): string | null {
  return kind === 'session' ? name.slice('session:'.length) : null
}

/** What a client may call it: names of sessions have a colon, which clients do not take. */
export function clientName(name: string): string {
  return name === 'facade' ? 'herma' : name.replace(':', '-')
}

/** Whether it can be switched off at all. */
export function canBeDisabled({ kind }: Pick<ServerView, 'kind'>): boolean {
  return kind !== 'facade' && kind !== 'management'
}

/** The command with which a client that launches its servers reaches it. */
export function bridgeCommand(name: string): string {
  return `npx herma stdio${name === 'facade' ? '' : ` --server ${name}`}`
}
