import { HubError } from '@herma/contract'
import {
  hadEffect,
  runAbility,
  type SessionRegistries,
  type StoredSession,
  type WorkEnvironment,
} from '../../session/index.ts'
import type { TeamSessions } from '../../team/index.ts'

/** The sessions as teams know them. */
export function toTeamSessions({ sessions }: SessionRegistries, environment: WorkEnvironment): TeamSessions {
  const toFacts = (session: StoredSession | undefined) =>
    session === undefined
      ? undefined
      : {
          id: session.id,
          name: session.name,
          provider: session.provider,
          model: session.model,
          isEnabled: session.enabled,
          abilities: sessions.abilitiesOf(session),
          abilitiesInPlace: sessions.abilitiesOf(session, { hasPlace: true }),
          health: sessions.healthOf(session),
        }
  return {
    facts: (id) => toFacts(sessions.byId(id)),
    byName: (name) => toFacts(sessions.byName(name)),
    run(sessionId, work) {
      const session = sessions.byId(sessionId)
      if (session === undefined) throw new HubError('SESSION_NOT_FOUND', 'The session was removed meanwhile.')
      return runAbility(sessions.require(session.name), work, environment)
    },
    hadEffect,
  }
}
