import type { ApiKeyView, ConnectorView, FragmentView, HubStatus, PinView, SessionView } from '@herma/contract'
import { describeHealth } from '../connector/describe-health.ts'
import { count } from '../ui/format.ts'
import type { Tone } from '../ui/status-dot.tsx'

export interface Attention {
  readonly id: string
  readonly tone: Tone
  /** What it is about: the name of a connector, a file. */
  readonly subject: string
  /** What is wrong and, where the hub knows it, why. */
  readonly text: string
  /** What the link does: 'Sign in', 'Review'. */
  readonly action: string
  /** Where it is mended, with the part of that page. */
  readonly to: string
  readonly search?: Readonly<Record<string, string>>
  readonly hash?: string
}

export interface HubFacts {
  readonly status?: HubStatus | undefined
  readonly connectors?: readonly ConnectorView[] | undefined
  readonly sessions?: readonly SessionView[] | undefined
  readonly pins?: readonly PinView[] | undefined
  readonly fragments?: readonly FragmentView[] | undefined
  readonly keys?: readonly ApiKeyView[] | undefined
}

const soonMs = 7 * 86_400_000

/** What a person should look at, the worst first; nothing when all is well. */
export function findAttention(facts: HubFacts, now = Date.now()): Attention[] {
  const found = [
    ...(facts.connectors ?? []).flatMap(ofConnector),
    ...(facts.sessions ?? []).flatMap(ofSession),
    ...ofPins(facts.pins ?? []),
    ...(facts.fragments ?? []).flatMap(ofFragment),
    ...(facts.keys ?? []).flatMap((key) => ofKey(key, now)),
    ...ofCollisions(facts.status?.collisions ?? []),
  ]
  return found.sort((one, other) => urgency[one.tone] - urgency[other.tone])
}

const urgency: Record<Tone, number> = { bad: 0, warn: 1, off: 2, ok: 3 }

function ofConnector(connector: ConnectorView): Attention[] {
  const { id, name, signIn, enabled, warnings } = connector
  const to = `/connectors/${name}`
  const about = { subject: name, to }
  if (enabled && signIn?.state === 'needed')
    return [
      { ...about, id, tone: 'warn', text: signIn.problem ?? 'It wants a sign-in before it serves.', action: 'Sign in' },
    ]
  const { tone, text, needsAttention } = describeHealth(connector)
  if (needsAttention) return [{ ...about, id, tone, text, action: 'Open' }]
  return warnings.slice(0, 1).map((warning) => ({ ...about, id, tone: 'warn', text: warning, action: 'Open' }))
}

function ofSession({ id, name, health }: SessionView): Attention[] {
  const hasFailed = health.failures > 1 && health.state !== 'disabled'
  if (health.state !== 'failing' && health.state !== 'unready' && !hasFailed) return []
  const text = health.problem ?? 'Its last turns failed.'
  const tone = health.state === 'failing' ? 'bad' : 'warn'
  return [{ id, tone, subject: name, text, action: 'Open', to: `/sessions/${name}/edit` }]
}

/** One line for each server, since a new release often changes many tools at once. */
function ofPins(pins: readonly PinView[]): Attention[] {
  const waiting = pins.filter(({ state, isOffered }) => state !== 'approved' && isOffered)
  const connectors = [...new Set(waiting.map(({ connector }) => connector))]
  return connectors.map((connector) => {
    const those = waiting.filter((pin) => pin.connector === connector)
    const blocked = those.filter(({ state }) => state === 'blocked').length
    const text = `${count(those.length, 'tool is', 'tools are')} not as approved${blocked > 0 ? `, ${blocked} not served until you decide` : ''}.`
    const search = { tab: 'drift' }
    return { id: `pins ${connector}`, tone: 'warn', subject: connector, text, action: 'Review', to: '/catalog', search }
  })
}

function ofFragment({ file, errors }: FragmentView): Attention[] {
  const [first] = errors
  if (first === undefined) return []
  const where = first.line === null ? '' : `Line ${first.line}: `
  const text = `${where}${first.message} The file takes no part until it is mended.`
  return [{ id: file, tone: 'bad', subject: file, text, action: 'Open', to: '/catalog', search: { tab: 'fragments' } }]
}

function ofKey({ name, expiresAt }: ApiKeyView, now: number): Attention[] {
  if (expiresAt === null || expiresAt === undefined) return []
  const left = Date.parse(expiresAt) - now
  if (left > soonMs || left < 0) return []
  const days = Math.ceil(left / 86_400_000)
  const text = `This key expires in ${count(days, 'day')}.`
  return [{ id: `key ${name}`, tone: 'warn', subject: name, text, action: 'Open', to: '/settings', hash: 'keys' }]
}

function ofCollisions(collisions: HubStatus['collisions']): Attention[] {
  return collisions.map(({ kind, wanted, winner, loser, exposedAs }) => ({
    id: `${kind} ${wanted} ${loser}`,
    tone: 'warn',
    subject: wanted,
    text: `${winner} and ${loser} both offer it; the one of ${loser} ${exposedAs === null ? 'cannot be reached' : `is called ${exposedAs}`}.`,
    action: 'Rename',
    to: '/catalog',
    search: { text: wanted },
  }))
}
