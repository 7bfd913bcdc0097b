import { ContainerIsolation, HubError } from '@herma/contract'
import { expect, test } from 'vitest'
import type { Program } from '../launch.ts'
import { clientVariables, containerArguments, type ContainerPlace } from './container-arguments.ts'

const place: ContainerPlace = {
  engine: { command: 'docker', kind: 'docker' },
  label: 'abc',
  user: { uid: 0, gid: 0 },
}

function program(isolation: object, fields: Partial<Program> = {}) {
  return {
    name: 'files',
    command: 'npx',
    args: ['-y', '@scope/server', '/srv/project'],
    env: {},
    workingDir: '/srv/project',
    ...fields,
    isolation: ContainerIsolation.parse({ type: 'container', ...isolation }),
  }
}

function codeOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    return error instanceof HubError ? `${error.code} ${error.message}` : String(error)
  }
  return 'nothing was thrown'
}

test('a container has nothing but what the connector lists', () => {
  const mounts = [{ source: '/srv/project' }, { source: '/srv/out', target: '/out', writable: true }]
  expect(containerArguments(program({ network: 'web', mounts }), 'herma-files-1', place)).toEqual([
    'run',
    '--interactive',
    '--rm',
    '--init',
    '--name=herma-files-1',
    '--label=herma.home=abc',
    '--label=herma.connector=files',
    '--read-only',
    '--tmpfs=/tmp:rw,exec,nosuid,nodev,size=512m,mode=1777',
    '--network=web',
    '--cap-drop=ALL',
    '--security-opt=no-new-privileges',
    '--memory=1024m',
    '--memory-swap=1024m',
    '--cpus=1',
    '--pids-limit=256',
    '--log-driver=none',
    '--user=65532:65532',
    '--mount=type=bind,source=/srv/project,target=/srv/project,readonly',
    '--mount=type=bind,source=/srv/out,target=/out',
    '--workdir=/srv/project',
    '--env=HOME=/tmp',
    '--entrypoint=npx',
    'node:22-slim',
    '-y',
    '@scope/server',
    '/srv/project',
  ])
})

test('it is never root: the user of the hub, or one that nobody is', () => {
  const users = (uid: number, kind: 'docker' | 'podman') =>
    containerArguments(program({ image: 'a' }), 'n', {
      ...place,
      engine: { command: kind, kind },
      user: { uid, gid: uid },
    }).filter((word) => word.startsWith('--user'))
  expect(users(0, 'docker')).toEqual(['--user=65532:65532'])
  expect(users(1000, 'docker')).toEqual(['--user=1000:1000'])
  expect(users(1000, 'podman')).toEqual(['--userns=keep-id', '--user=1000:1000'])
  expect(ContainerIsolation.safeParse({ type: 'container', user: '0:0' }).success).toBe(false)
})

test('an image without a command runs its own', () => {
  const words = containerArguments(program({ image: 'mcp/fetch' }, { command: '', args: ['--quiet'] }), 'n', place)
  expect(words.slice(-2)).toEqual(['mcp/fetch', '--quiet'])
  expect(words.filter((word) => word.startsWith('--entrypoint'))).toEqual([])
})

test('values of variables are not on the command line', () => {
  const env = { API_KEY: 'sesame', HOME: '/data' }
  const words = containerArguments(program({ image: 'a' }, { env }), 'n', place)
  expect(words.filter((word) => word.startsWith('--env'))).toEqual(['--env=API_KEY', '--env=HOME=/data'])
  expect(words.join(' ')).not.toContain('sesame')
  expect(clientVariables(env)).toEqual({ API_KEY: 'sesame' })
})

test.each(['LD_PRELOAD', 'DOCKER_HOST', 'docker_config', 'CONTAINER_HOST', 'BASH_ENV', 'XDG_CONFIG_HOME'])(
  'the variable %s, which the engine on the host would obey, is refused',
  (name) => {
    const words = () => containerArguments(program({ image: 'a' }, { env: { [name]: '/evil' } }), 'n', place)
    expect(codeOf(words)).toMatch(/^CONNECTOR_INVALID .*the engine itself would obey it/)
  },
)

test.each(['API_*', 'A=B', '--privileged', ''])('a variable named %j is refused', (name) => {
  const words = () => containerArguments(program({ image: 'a' }, { env: { [name]: '1' } }), 'n', place)
  expect(codeOf(words)).toMatch(/^CONNECTOR_INVALID .*whose name cannot be passed on/)
})

test('what fetches its package needs a network or an image that has it', () => {
  expect(codeOf(() => containerArguments(program({}), 'n', place))).toBe(
    "CONNECTOR_INVALID 'files' has no network, and 'npx' fetches its package from there. Name a network: herma edit files --network bridge. Or an image that has the server: --image IMAGE.",
  )
})

test.each([
  { network: 'host' },
  { network: 'container:other' },
  { image: '--privileged' },
  { image: 'a b' },
  { mounts: [{ source: '/a,readonly=false' }] },
  { mounts: [{ source: '/a', target: '/b",source=/' }] },
  { mounts: [{ source: 'relative' }] },
  { privileged: true },
])('what would take the walls down is no setting: %j', (settings) => {
  expect(ContainerIsolation.safeParse({ type: 'container', ...settings }).success).toBe(false)
})
