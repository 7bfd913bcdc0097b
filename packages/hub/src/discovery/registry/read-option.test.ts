import { expect, test } from 'vitest'
import { fillRecipe } from '../recipe/fill-recipe.ts'
import { NeedValues } from '../recipe/need-values.ts'
import { toFoundServer } from './to-discovered-server.ts'
import { RegistryEntry } from './registry-entry.ts'

const stdio = { type: 'stdio' }
const free = { name: 'it', isTaken: () => false }

function read(server: Record<string, unknown>) {
  const entry = RegistryEntry.parse({ server: { name: 'io.example/weather', version: '1.0.0', ...server } })
  return toFoundServer(entry, 'https://registry.example')!
}

/** The connector that a package or address makes with these values. */
function install(server: Record<string, unknown>, values: Record<string, string> = {}) {
  const { option, recipe } = read(server).options[0]!
  if (recipe === null) throw new Error(option.whyNot ?? 'no recipe')
  return fillRecipe(recipe, new NeedValues(option.needs, values), free)
}

const packageOf = (given: Record<string, unknown>) => ({ packages: [{ transport: stdio, ...given }] })

test.each([
  ['npm', { registryType: 'npm', identifier: '@acme/weather', version: '1.2.3' }, 'npx', ['-y', '@acme/weather@1.2.3']],
  ['pypi', { registryType: 'pypi', identifier: 'weather-mcp', version: '0.5' }, 'uvx', ['weather-mcp@0.5']],
  [
    'pypi with a hint',
    { registryType: 'pypi', identifier: 'weather', version: '2', runtimeHint: 'pipx' },
    'pipx',
    ['run', 'weather==2'],
  ],
  [
    'oci with a tag',
    { registryType: 'oci', identifier: 'ghcr.io/acme/weather:1.0', version: '1.0' },
    'docker',
    ['run', '-i', '--rm', 'ghcr.io/acme/weather:1.0'],
  ],
  [
    'oci with a version',
    { registryType: 'oci', identifier: 'acme/weather', version: '1.0', runtimeHint: 'podman' },
    'podman',
    ['run', '-i', '--rm', 'acme/weather:1.0'],
  ],
  [
    'nuget',
    {
      registryType: 'nuget',
      identifier: 'Acme.Weather',
      version: '1.0',
      packageArguments: [{ type: 'positional', value: 'mcp' }],
    },
    'dnx',
    ['Acme.Weather@1.0', '--yes', '--', 'mcp'],
  ],
])('a package of %s becomes the command that runs it', (_kind, given, cmd, args) => {
  expect(install(packageOf(given)).input).toMatchObject({ name: 'it', transport: 'stdio', cmd, args })
})

const rich = packageOf({
  registryType: 'oci',
  identifier: 'acme/db:3',
  runtimeArguments: [
    {
      type: 'named',
      name: '--mount',
      value: 'type=bind,src={source},dst={target}',
      isRequired: true,
      variables: { source: { isRequired: true, format: 'filepath' }, target: { default: '/project' } },
    },
    { type: 'named', name: '--network', value: 'host' },
  ],
  packageArguments: [
    { type: 'named', name: '--port', format: 'number', description: 'Where' },
    { type: 'named', name: '--verbose' },
    { type: 'positional', valueHint: 'folder', isRequired: true, isRepeated: true },
    { type: 'named', name: '--api-key', isSecret: true, description: 'Yours' },
  ],
  environmentVariables: [
    { name: 'DB_PASSWORD', isRequired: true, isSecret: true },
    { name: 'MODE', default: 'fast', choices: ['fast', 'slow'] },
    { name: 'UNUSED' },
    { name: 'FIXED', value: 'yes' },
  ],
})

test('what a package asks for is told, and put where it belongs', () => {
  const [{ option, warnings } = { option: undefined, warnings: [] }] = read(rich).options
  expect(option?.needs.map(({ id, isRequired, isSecret }) => [id, isRequired, isSecret])).toEqual([
    ['argument:--mount.source', true, false],
    ['argument:--mount.target', false, false],
    ['argument:--port', false, false],
    ['argument:folder', true, false],
    ['argument:--api-key', false, true],
    ['env:DB_PASSWORD', true, true],
    ['env:MODE', false, false],
    ['env:UNUSED', false, false],
  ])
  expect(option?.command).toMatch(/^docker run -i --rm --mount type=bind,src=<source>,dst=<target> --network host -e/)
  expect(warnings).toEqual([expect.stringContaining('--mount, --network')])
  const filled = install(rich, {
    'argument:--mount.source': '/srv',
    'argument:folder': '/a\n/b',
    'argument:--api-key': 'k-1',
    'env:DB_PASSWORD': 'p-1',
  })
  expect(filled.secrets).toEqual([{ name: 'it-api-key', value: 'k-1' }])
  expect(filled.input.args?.join(' ')).toBe(
    'run -i --rm --mount type=bind,src=/srv,dst=/project --network host -e DB_PASSWORD -e MODE -e UNUSED -e FIXED ' +
      'acme/db:3 --verbose /a /b --api-key {secret:it-api-key}',
  )
  expect(filled.input.env).toEqual([
    { name: 'DB_PASSWORD', value: 'p-1', secret: true },
    { name: 'MODE', value: 'fast', secret: false },
    { name: 'FIXED', value: 'yes', secret: false },
  ])
})

test('values are checked: what is missing, what is no choice, what nobody asked for', () => {
  const { needs } = read(rich).options[0]!.option
  const values = new NeedValues(needs, { 'env:MODE': 'medium', 'argument:--port': 'x', other: '1' })
  expect(values.missing()).toEqual(['argument:--mount.source', 'argument:folder', 'env:DB_PASSWORD'])
  expect(values.problems().join(' ')).toMatch(
    /'other' is not asked for.*--port must be a number.*MODE must be one of: fast, slow/,
  )
})

test('an address has its variables and headers filled in, secrets by name', () => {
  const remote = {
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://{tenant}.example.com/mcp?key={key}',
        variables: { tenant: { isRequired: true }, key: { isSecret: true, isRequired: true } },
        headers: [
          {
            name: 'Authorization',
            value: 'Bearer {token}',
            variables: { token: { isSecret: true, isRequired: true } },
          },
          { name: 'X-Team', default: 'a' },
        ],
      },
    ],
  }
  expect(read(remote).options[0]?.option).toMatchObject({
    id: 'remote:https://{tenant}.example.com/mcp?key={key}',
    runtime: 'remote',
    transport: 'stream',
    isInstallable: true,
  })
  const { input, secrets } = install(remote, {
    'url:tenant': 'acme',
    'url:key': 'k',
    'header:Authorization.token': 't',
  })
  expect(secrets).toEqual([{ name: 'it-key', value: 'k' }])
  expect(input).toMatchObject({
    baseUrl: 'https://acme.example.com/mcp?key={secret:it-key}',
    headers: [
      { name: 'Authorization', value: 'Bearer t', secret: true },
      { name: 'X-Team', value: 'a', secret: false },
    ],
  })
})

test.each([
  [
    'a package that serves HTTP',
    { registryType: 'npm', identifier: 'a', transport: { type: 'streamable-http', url: 'http://x' } },
    /web server/,
  ],
  ['a desktop bundle', { registryType: 'mcpb', identifier: 'https://a.example/x.mcpb' }, /\.mcpb/],
  ['an unknown kind', { registryType: 'cargo', identifier: 'a' }, /does not know this kind/],
  ['a name that is a flag', { registryType: 'npm', identifier: '--call=evil' }, /is not one/],
  ['a name that is an address', { registryType: 'npm', identifier: 'git+https://a.example/x' }, /is not one/],
  ['a version that is a range of tricks', { registryType: 'npm', identifier: 'a', version: '1 --x' }, /is not one/],
  [
    'a package of another place',
    { registryType: 'npm', identifier: 'a', registryBaseUrl: 'https://evil.example' },
    /not at the usual place/,
  ],
  [
    'a reference to a stored secret',
    { registryType: 'npm', identifier: 'a', environmentVariables: [{ name: 'A', value: '{secret:GITHUB}' }] },
    /only you may decide/,
  ],
  [
    'a default that refers to one',
    { registryType: 'npm', identifier: 'a', environmentVariables: [{ name: 'A', default: '{secret:GITHUB}' }] },
    /only you may decide/,
  ],
  ['something unreadable', { registryType: 7 }, /does not understand/],
])('%s cannot be installed, and says why', (_name, given, why) => {
  const { option, recipe } = read(packageOf(given)).options[0]!
  expect([option.isInstallable, recipe]).toEqual([false, null])
  expect(option.whyNot).toMatch(why)
})

test('a reference to a stored secret cannot be put together out of pieces, but a person may write one', () => {
  const pieces = packageOf({
    registryType: 'npm',
    identifier: 'a',
    environmentVariables: [{ name: 'A', value: '{sec{x}ret:GITHUB} {y}', variables: { x: {}, y: {} } }, { name: 'B' }],
  })
  expect(() => install(pieces, { 'env:A.y': '1' })).toThrow(/your stored secret 'GITHUB'/)
  expect(install(pieces, { B: '', 'env:B': '{secret:MINE}' }).input.env).toEqual([
    { name: 'B', value: '{secret:MINE}', secret: false },
  ])
})

test('text of strangers comes out clean, short, and without links that run something', () => {
  const { server } = read({
    title: 'Wea\u202Ether\u0000',
    description: `one\u200B two\n${'x'.repeat(2000)}`,
    repository: { url: 'javascript:alert(1)' },
    websiteUrl: 'https://user:pass@a.example',
  })
  expect(server).toMatchObject({ title: 'Weather', repository: null, website: null })
  expect(server.description).toMatch(/^one two x+…$/)
  expect(server.description.length).toBe(500)
})

test('an entry whose name hides something is left out', () => {
  const entry = RegistryEntry.parse({ server: { name: 'io.example/a\u200Bb', version: '1' } })
  expect(toFoundServer(entry, 'https://registry.example')).toBeNull()
})
