import { prepareAttempts, type Attempt, type AttemptName } from './attempts.ts'
import type { InteropClient, Place, Session, Way } from './client.ts'
import { judgeOutcome } from './judge-outcome.ts'
import type { Cell, Column } from './print-table.ts'
import type { Stage } from './start-stage.ts'

export interface Failure {
  readonly attempt: AttemptName
  readonly reason: string
}

export interface TriedWay extends Column {
  readonly failures: readonly Failure[]
}

/** Connects a client in one way and makes every attempt that it can. A client that cannot connect fails them all. */
export async function tryWay(client: InteropClient, way: Way, stage: Stage): Promise<TriedWay> {
  const label = `${client.name} ${way.name}`.toLowerCase().replaceAll(' ', '-')
  const answers = { name: `Ada of ${label}`, sampled: `The model of ${label}` }
  const attempts = await prepareAttempts({ folder: stage.files, tools: stage.tools, label, answers })
  const cells = {} as Record<AttemptName, Cell>
  const failures: Failure[] = []
  const cannot = { ...client.cannot, ...way.cannot }
  const opening = open(way, { ...stage, answers })
  // Each attempt waits for it and fails with its reason.
  opening.catch(() => {})
  for (const attempt of attempts) {
    if (cannot[attempt.name] !== undefined) {
      cells[attempt.name] = '–'
      continue
    }
    try {
      const session = await opening
      const make = () => makeAttempt(client, session, attempt)
      await (attempt.isAlone ? stage.takeTurn(make) : make())
      cells[attempt.name] = 'ok'
    } catch (error) {
      cells[attempt.name] = 'FAIL'
      failures.push({ attempt: attempt.name, reason: (error as Error).message })
    }
  }
  await opening.then(
    (session) => session.close(),
    // What did not open has nothing to close.
    () => {},
  )
  return { client: client.name, way: way.name, cells, failures }
}

/** An interrupted run closes it as well. */
async function open(way: Way, place: Place): Promise<Session> {
  const session = await way.open(place)
  place.defer(() => session.close())
  return session
}

async function makeAttempt(client: InteropClient, session: Session, { steps, verify }: Attempt): Promise<void> {
  for (const step of steps) {
    const problem = judgeOutcome(client, step, await session.request(step.request))
    if (problem !== undefined) throw new Error(`${JSON.stringify(step.request)}\n    ${problem}`)
  }
  await verify?.()
}
