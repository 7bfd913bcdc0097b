import {
  BindingInput,
  ConnectorInput,
  HubError,
  OverrideView,
  ServerPatch,
  SessionInput,
  TeamInput,
  TeamMember,
  type ConnectorPatch,
  type ConnectorView,
  type ServerView,
} from '@herma/contract'
import { z } from 'zod'
import type { BackupSources } from './sources.ts'
import { accessBackupParts } from './access-parts.ts'
import type { BackupEntry, BackupPart } from './index.ts'
import { entryName, pick } from './pick-fields.ts'

/** Everything that a backup holds, in the order in which it is put back: what others refer to comes first. */
export function backupParts(parts: BackupSources): BackupPart[] {
  const { first, last } = accessBackupParts(parts)
  return [
    ...first,
    connectorPart(parts),
    sessionPart(parts),
    bindingPart(parts),
    teamPart(parts),
    serverPart(parts),
    overridePart(parts),
    ...last,
  ]
}

function connectorPart({ connectors }: BackupSources): BackupPart {
  const fields = Object.keys(ConnectorInput.shape)
  return {
    name: 'connectors',
    nameOf: entryName,
    read: () =>
      connectors
        .list()
        .map((view) => ({ ...pick(view, fields), headers: withoutTimes(view.headers), env: withoutTimes(view.env) })),
    write(entry, found) {
      const { oauth, ...rest } = withoutNulls(withoutUnknown(entry, found))
      // Without its secret it would be refused; a person enters both together.
      const connector = { ...rest, ...(oauth !== undefined && !hasSecret(oauth) && { oauth: settingsOf(oauth) }) }
      if (found === undefined) return connectors.add(connector as ConnectorInput)
      return connectors.update(entryName(entry), connector as ConnectorPatch)
    },
    needs: (entry, found) => [
      ...secretsIn(entry, found),
      ...(hasSecret(entry['oauth']) && !hasSecret(found?.['oauth']) ? ['oauth'] : []),
    ],
  }
}

/** When a secret was changed here is nothing that could be put back. */
function withoutTimes(rows: ConnectorView['env']) {
  return rows.map(({ changedAt: _, ...row }) => row)
}

function sessionPart({ sessions }: BackupSources): BackupPart {
  const fields = Object.keys(SessionInput.shape)
  return {
    name: 'sessions',
    nameOf: entryName,
    read: () => sessions.list().map((view) => pick(view, fields)),
    write: (entry, found) =>
      found === undefined
        ? sessions.add(SessionInput.parse(entry))
        : sessions.update(entryName(entry), SessionInput.parse(entry)),
  }
}

function bindingPart({ bindings }: BackupSources): BackupPart {
  const fields = Object.keys(BindingInput.shape)
  return {
    name: 'bindings',
    nameOf: ({ session, connector }) => `${z.string().parse(session)}/${z.string().parse(connector)}`,
    read: () => bindings.list().map((view) => pick(view, fields)),
    write: (entry, found) => bindings.put(BindingInput.parse(withoutUnknown(entry, found))),
    needs: secretsIn,
  }
}

function teamPart({ teams }: BackupSources): BackupPart {
  const fields = Object.keys(TeamInput.shape)
  const memberFields = Object.keys(TeamMember.shape)
  return {
    name: 'teams',
    nameOf: entryName,
    read: () =>
      teams.list().map((view) => ({
        ...pick(view, fields),
        members: view.members.map((member) => pick(member, memberFields)),
      })),
    write(entry, found) {
      const { name, ...team } = TeamInput.parse(entry)
      return found === undefined ? teams.add({ name, ...team }) : teams.update(name, team)
    },
  }
}

/** Teams and sessions are put back themselves; here is only what was set about the servers in front of them. */
function serverPart({ servers }: BackupSources): BackupPart {
  const fields = ['name', 'kind', ...Object.keys(ServerPatch.shape)]
  const ownFields: Partial<Record<ServerView['kind'], readonly string[]>> = {
    facade: ['connector', 'enabled'],
    team: ['connector', 'enabled', 'description'],
    session: ['connector', 'enabled', 'description'],
  }
  return {
    name: 'servers',
    nameOf: entryName,
    read: () =>
      servers
        .list()
        .filter(({ kind }) => kind !== 'management')
        .map((view) => {
          const left = ownFields[view.kind] ?? []
          return pick(
            view,
            fields.filter((field) => !left.includes(field)),
          )
        }),
    write(entry, found) {
      const { name, kind, ...patch } = entry
      const switches = ServerPatch.parse(patch)
      if (found !== undefined) return servers.update(entryName(entry), switches)
      if (kind === 'custom') return servers.add({ name: entryName(entry), ...switches })
      throw new HubError('SERVER_NOT_FOUND', `There is no ${String(kind)} '${String(name)}' whose server could be set.`)
    },
  }
}

function overridePart({ catalog }: BackupSources): BackupPart {
  return {
    name: 'overrides',
    nameOf: ({ server, tool }) => `${z.string().parse(server)}/${z.string().parse(tool)}`,
    read: () => catalog.overrides(),
    write(entry, found) {
      const { server, tool, override } = OverrideView.parse(entry)
      const before = found === undefined ? {} : OverrideView.parse(found).override
      const cleared = Object.fromEntries(Object.keys(before).map((field) => [field, null]))
      return catalog.changeOverride(server, tool, { ...cleared, ...override })
    },
  }
}

/** Without the secret headers and variables whose values nobody knows here: they are entered by a person. */
function withoutUnknown(entry: BackupEntry, found: BackupEntry | undefined): BackupEntry {
  const lists = ['headers', 'env'].map((list) => {
    const stored = storedIn(found, list)
    const known = valuesOf(entry[list]).filter(({ name, secret, personal }) => !secret || personal || stored.has(name))
    return [list, known]
  })
  return { ...entry, ...Object.fromEntries(lists) }
}

/** Secret headers and variables that had a value then and have none now. */
function secretsIn(entry: BackupEntry, found: BackupEntry | undefined): string[] {
  return ['headers', 'env'].flatMap((list) => {
    const stored = storedIn(found, list)
    return valuesOf(entry[list]).flatMap(({ name, stored: had }) =>
      had && !stored.has(name) ? [`${list}.${name}`] : [],
    )
  })
}

function storedIn(entry: BackupEntry | undefined, list: string): ReadonlySet<string> {
  return new Set(valuesOf(entry?.[list]).flatMap(({ name, stored }) => (stored ? [name] : [])))
}

/** What is no list of values is left to the schema of its entry to refuse. */
function valuesOf(list: unknown): z.output<typeof BackupValue>[] {
  return z.array(BackupValue).catch([]).parse(list)
}

const BackupValue = z.looseObject({
  name: z.string(),
  secret: z.boolean().default(false),
  personal: z.boolean().default(false),
  stored: z.boolean().default(false),
})

function hasSecret(oauth: unknown): boolean {
  return typeof oauth === 'object' && oauth !== null && ('hasClientSecret' in oauth || 'hasPrivateKey' in oauth)
    ? Object.entries(oauth).some(([field, value]) => field.startsWith('has') && value === true)
    : false
}

function settingsOf(oauth: unknown): unknown {
  const { hasClientSecret: _, hasPrivateKey: __, ...settings } = oauth as Record<string, unknown>
  return settings
}

/** A view says null where nothing is set, and an input says nothing. */
function withoutNulls(entry: BackupEntry): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null))
}
