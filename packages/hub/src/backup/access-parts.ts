import {
  AccessRuleInput,
  AccessSettingsPatch,
  ApiKeyInput,
  CapturePatch,
  DiscoverySettings,
  HubError,
  IdentityProviderInput,
  TraceSettingsPatch,
  TrustedIssuerInput,
  UserInput,
  UserPatch,
} from '@herma/contract'
import type { BackupSources } from './sources.ts'
import type { BackupEntry, BackupPart } from './index.ts'
import { entryName, pick } from './pick-fields.ts'

/** What says who may do what, and what is kept of it. The first are put back before what is guarded by them. */
export function accessBackupParts(parts: BackupSources): { first: BackupPart[]; last: BackupPart[] } {
  return {
    first: [secretPart(parts), settingPart(parts)],
    last: [
      rulePart(parts),
      userPart(parts),
      keyPart(parts),
      providerPart(parts),
      issuerPart(parts),
      traceSettingPart(parts),
      capturePart(parts),
      discoveryPart(parts),
    ],
  }
}

function secretPart({ secrets }: BackupSources): BackupPart {
  return {
    name: 'secrets',
    nameOf: entryName,
    read: () => secrets.list().map((view) => pick(view, ['name', 'description'])),
    why: 'Its value is in no backup. Store it again: herma secret set NAME',
    needs: (_, found) => (found === undefined ? ['value'] : []),
  }
}

/** There is one entry; its name is only there to be shown. */
function settingPart({ access }: BackupSources): BackupPart {
  return {
    name: 'access',
    nameOf: () => 'settings',
    read: () => [access.settings.get()],
    write: (entry) => access.settings.update(AccessSettingsPatch.parse(entry)),
  }
}

/** Rules have no names: one that says the same is the same. */
function rulePart({ policy }: BackupSources): BackupPart {
  const ruleName = ({ effect, when }: BackupEntry) => `${String(effect)}: ${String(when)}`
  return {
    name: 'rules',
    nameOf: ruleName,
    read: () => policy.list().map((view) => pick(view, Object.keys(AccessRuleInput.shape))),
    write(entry, found) {
      const rule = AccessRuleInput.parse(entry)
      if (found === undefined) return policy.add(rule)
      const { id } = policy.list().find((each) => ruleName({ ...each }) === ruleName(entry))!
      return policy.update(id, rule)
    },
  }
}

function userPart({ authority: { users } }: BackupSources): BackupPart {
  const fields = ['name', ...Object.keys(UserPatch.shape)]
  return {
    name: 'users',
    nameOf: entryName,
    read: async () => (await users.list()).map((view) => pick(view, fields)),
    async write(entry, found, principal) {
      const { name, ...rest } = entry
      const patch = UserPatch.parse(rest)
      if (found !== undefined) return users.update(entryName(entry), patch, principal)
      const { disabled, ...input } = patch
      const added = await users.add(UserInput.parse({ name, ...input }), principal)
      return disabled === true ? users.update(added.user.name, { disabled }, principal) : added
    },
    needs: (_, found) => (found === undefined ? ['password'] : []),
  }
}

function keyPart({ access }: BackupSources): BackupPart {
  return {
    name: 'keys',
    nameOf: entryName,
    read: () => access.keys.list().map((view) => pick(view, Object.keys(ApiKeyInput.shape))),
    why: 'A key is known to its holder alone. Make another: herma key add NAME',
  }
}

function providerPart({ authority: { trust } }: BackupSources): BackupPart {
  return {
    name: 'identity providers',
    nameOf: entryName,
    read: () => trust.listProviders().map((view) => pick(view, Object.keys(IdentityProviderInput.shape))),
    why: 'It needs its client secret. Add it with that: herma user provider add',
    needs: (_, found) => (found === undefined ? ['clientSecret'] : []),
  }
}

function issuerPart({ authority: { trust } }: BackupSources): BackupPart {
  const fields = [...Object.keys(TrustedIssuerInput.shape), 'introspectionClientId']
  return {
    name: 'trusted issuers',
    nameOf: entryName,
    read: () => trust.listIssuers().map((view) => pick(view, fields)),
    write(entry, found, principal) {
      const { introspectionClientId, ...issuer } = entry
      if (found !== undefined)
        throw new HubError(
          'PROVIDER_EXISTS',
          `'${entryName(entry)}' is there and differs. Remove it first if it is to be replaced.`,
        )
      if (introspectionClientId != null)
        throw new HubError('INVALID_PARAMS', 'It is asked with a client secret, which no backup holds. Add it by hand.')
      return trust.addIssuer(TrustedIssuerInput.parse(issuer), principal)
    },
  }
}

function traceSettingPart({ traces: { settings } }: BackupSources): BackupPart {
  const headersOf = (entry: BackupEntry | undefined) =>
    (entry?.['otlp'] as { headers?: string[] } | null)?.headers ?? []
  return {
    name: 'trace settings',
    nameOf: () => 'settings',
    read: () => [settings.view()],
    write(entry) {
      const otlp = entry['otlp'] as Record<string, unknown> | null
      const { headers: _, ...target } = otlp ?? {}
      return settings.change(TraceSettingsPatch.parse({ ...entry, otlp: otlp === null ? null : target }))
    },
    needs: (entry, found) =>
      headersOf(entry)
        .filter((name) => !headersOf(found).includes(name))
        .map((name) => `otlp.headers.${name}`),
  }
}

function capturePart({ traces: { captures } }: BackupSources): BackupPart {
  return {
    name: 'captures',
    nameOf: ({ server }) => String(server),
    read: () => captures.list(),
    write: ({ server, ...capture }) => captures.change(String(server), CapturePatch.parse(capture)),
  }
}

function discoveryPart({ discovery }: BackupSources): BackupPart {
  return {
    name: 'discovery',
    nameOf: () => 'settings',
    read: () => [discovery.settings()],
    write: (entry) => discovery.setSettings(DiscoverySettings.parse(entry)),
  }
}
