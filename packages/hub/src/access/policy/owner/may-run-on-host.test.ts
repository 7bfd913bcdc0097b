import { AccessSettings, readAllowedCommand, writeAllowedCommand, type Principal, type Role } from '@herma/contract'
import { describe, expect, test } from 'vitest'
import { actAs, Events, type HubEvent } from '../../../platform/events.ts'
import { mayRunCommand, mayUseImage, mayWorkIn, requireOwner } from './may-run-on-host.ts'
import { OwnerGuard } from './owner-guard.ts'

const principal = (role: Role): Principal => ({
  id: `user:${role}`,
  kind: 'user',
  name: role,
  role,
  scopes: null,
  servers: null,
})
const admin = principal('admin')
const lists = AccessSettings.parse({
  allowedCommands: [
    'npx -y @acme/server-*',
    'TOKEN= npx -y @acme/tickets@*',
    'uvx notes --root=/srv/notes/*',
    "sh -c 'exec notes'",
    'run *',
  ].map(readAllowedCommand),
  allowedFolders: ['/srv/work'],
  allowedImages: ['ghcr.io/acme/*:*'],
})
const wanted = (line: string, folder: string | null = null) => ({ ...readAllowedCommand(line), folder }) as const
const mayRun = (line: string, folder: string | null = null, who = admin) => {
  const { command, args = [], env = [] } = wanted(line)
  return mayRunCommand(who, { command, args, env, folder }, lists).allowed
}

test.each(['admin', 'member', 'viewer'] as const)('a command that is not listed is for no %s', (role) => {
  expect(mayRun('sh -c reboot', null, principal(role))).toBe(false)
})

test('an owner runs anything, anywhere', () => {
  expect(mayRun('sh -c reboot', '/root', principal('owner'))).toBe(true)
  expect(mayWorkIn(principal('owner'), ['/'], lists).allowed).toBe(true)
  expect(mayUseImage(principal('owner'), 'evil', lists).allowed).toBe(true)
})

test.each([
  ['npx -y @acme/server-files', true],
  ['npx -y @acme/server-', false],
  ['npx -y @acme/server-files extra', false],
  ['npx @acme/server-files', false],
  ['npx -y', false],
  ['/tmp/npx -y @acme/server-files', false],
  ['NODE_OPTIONS= npx -y @acme/server-files', false],
  ['TOKEN= npx -y @acme/server-files', false],
  ['npx -y @acme/server-x@npm:evil', false],
  ['npx -y @acme/server-x@https://evil.example/a.tgz', false],
  ['npx -y @acme/server-../../evil', false],
  ["npx -y '@acme/server-x evil'", false],
  ["npx -y '@acme/server-{secret:A}'", false],
  ['TOKEN= npx -y @acme/tickets@1.2.3', true],
  ['npx -y @acme/tickets@1.2.3', true],
  ['LD_PRELOAD= TOKEN= npx -y @acme/tickets@1.2.3', false],
  ['npx -y @acme/tickets@npm:evil@1.0.0', false],
  ['uvx notes --root=/srv/notes/mine', true],
  ['uvx notes --root=/srv/notes/..', false],
  ['uvx notes --root=/srv/notes/a/../../../root', false],
  ["sh -c 'exec notes'", true],
  ["sh -c 'exec notes; reboot'", false],
  ['run it', true],
  ['run --eval', false],
  ['run ..', false],
  ["run 'it\nreboot'", false],
])('of what is listed, an admin runs %s: %s', (line, allowed) => {
  expect(mayRun(line)).toBe(allowed)
})

test('folders are for admins where an owner says so, and only there', () => {
  expect(mayRun('run it', '/srv/work/a')).toBe(true)
  expect(mayRun('run it', '/srv/workshop')).toBe(false)
  expect(mayRun('run it', '/srv/work/../../root')).toBe(false)
  expect(mayWorkIn(admin, ['/srv/work', '/root'], lists).allowed).toBe(false)
})

test('images match as arguments do', () => {
  expect(mayUseImage(admin, 'ghcr.io/acme/files:1.2', lists).allowed).toBe(true)
  expect(mayUseImage(admin, 'ghcr.io/acme/evil/files:1.2', lists).allowed).toBe(false)
  expect(mayUseImage(admin, 'evil.example/ghcr.io/acme/files:1', lists).allowed).toBe(false)
})

test.each([
  ['sh -c *', false],
  ['node --eval *', false],
  ['python3 -c prefix-*', false],
  ['bash -lc *', false],
  ['cmd.exe /c *', false],
  ['npx* -y server', false],
  ['BAD-NAME= run', true],
  ['', false],
])('of lists that an owner writes, %s is taken: %s', (line, taken) => {
  expect(AccessSettings.safeParse({ allowedCommands: [readAllowedCommand(line)] }).success).toBe(taken)
})

test('an allowed command reads as it was written', () => {
  for (const command of lists.allowedCommands) expect(readAllowedCommand(writeAllowedCommand(command))).toEqual(command)
})

describe('on behalf of whoever is acting', () => {
  const told: HubEvent[] = []
  const events = new Events()
  events.listen((event) => void told.push(event))
  const guard = new OwnerGuard({ events, lists: () => lists })
  const command = { command: 'sh', args: ['-c', "echo 'sk-hidden'"], env: ['A'], folder: null }
  const as = (who: Principal) =>
    actAs({ principal: who, traceId: '1' }, async () => guard.requireCommand("The connector 'x'", command))

  test('an admin hears what an owner would run; what is recorded has no arguments', async () => {
    const line = String.raw`herma access --allow-command 'A= sh -c '\''echo '\''\'\'''\''sk-hidden'\''\'\'''\'''\'''`
    const error = await as(admin).catch((thrown: unknown) => thrown as Error)
    expect(error).toMatchObject({ code: 'OWNER_ONLY' })
    expect((error as Error).message).toContain(line)
    expect(told.at(-1)).toMatchObject({ kind: 'access.refused', principal: 'user:admin' })
    expect(JSON.stringify(told)).not.toContain('sk-hidden')
  })

  test('an owner, and the hub itself, go on', async () => {
    await expect(as(principal('owner'))).resolves.toBeUndefined()
    expect(() => guard.requireCommand("The connector 'x'", command)).not.toThrow()
  })
})

test('what is for owners alone says so', () => {
  expect(() => requireOwner(admin, 'Only an owner does this.')).toThrow('Only an owner does this.')
  expect(() => requireOwner(principal('owner'), 'Only an owner does this.')).not.toThrow()
})
