/** Checks that no hub can make pass, because one era has nothing to say them with. */
export type CannotCross = {
  leg: string
  scenario: string
  /** The checks of the scenario that cannot pass; all others have to. */
  checks: readonly string[]
  reason: string
  /** The section of the specification that gives the reason. */
  link: string
}

const specification = 'https://modelcontextprotocol.io/specification'

/** Kept honest by the runner: an entry whose checks pass, or that names nothing, fails the run. */
export const cannotCross: readonly CannotCross[] = [
  {
    leg: '2026-07-28-over-legacy',
    scenario: 'server-stateless',
    checks: ['sep-2575-server-rejects-undeclared-capability', 'sep-2575-missing-capability-http-400'],
    reason:
      'A legacy server that lacks a capability of the client does not ask, and says so in a result of its own words; -32021 came with 2026-07-28.',
    link: `${specification}/2026-07-28/basic#meta`,
  },
  {
    leg: '2026-07-28-over-legacy',
    scenario: 'input-required-result-basic-elicitation',
    checks: ['sep-2322-elicitation-incomplete'],
    reason:
      'The check wants the key "user_name". A legacy elicitation/create has no key, so whoever makes inputRequests of it has to invent one.',
    link: `${specification}/2025-11-25/client/elicitation#elicitation-requests`,
  },
  {
    leg: '2026-07-28-over-legacy',
    scenario: 'input-required-result-ignore-extra-params',
    checks: ['sep-2322-ignore-unexpected-params'],
    reason:
      'The check gives an answer with the first request. A legacy server takes answers only to questions that it has asked.',
    link: `${specification}/2025-11-25/client/elicitation#form-mode-flow`,
  },
  {
    leg: '2025-11-25-over-modern',
    scenario: 'server-sse-polling',
    checks: ['server-sse-disconnect-resume'],
    reason:
      'A modern server cannot close the stream of a call and answer later: 2026-07-28 took resumable streams away, and a closed stream cancels.',
    link: `${specification}/2026-07-28/basic/transports/streamable-http#receiving-messages`,
  },
]

/** The checks of a scenario that are excused on a leg. */
export function excusedChecks(leg: string, scenario: string): readonly string[] {
  return find(leg, scenario)?.checks ?? []
}

/** What to tell about a scenario that cannot cross whole. */
export function explain(leg: string, scenario: string): string {
  const entry = find(leg, scenario)
  return entry ? `cannot cross: ${entry.reason} (${entry.link})` : ''
}

/** Entries of the legs that ran whole whose scenario is none of the suite's. */
export function findUnknownEntries(
  ran: readonly { name: string; results: readonly { scenario: string }[] }[],
  entries = cannotCross,
): string[] {
  return entries
    .filter(({ leg, scenario }) =>
      ran.some(({ name, results }) => name === leg && !results.some((result) => result.scenario === scenario)),
    )
    .map(({ leg, scenario }) => `${leg}: runner/cannot-cross.ts names ${scenario}, and the suite has no such scenario.`)
}

function find(leg: string, scenario: string): CannotCross | undefined {
  return cannotCross.find((entry) => entry.leg === leg && entry.scenario === scenario)
}
