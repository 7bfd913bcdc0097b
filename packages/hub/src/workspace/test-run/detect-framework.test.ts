import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTestFolder, writeTree } from '../testing/test-folder.ts'
import { detectFramework, type DetectOptions } from './detect-framework.ts'
import { toFramework } from './framework.ts'

const programs = ['vitest', 'jest', 'node', 'pytest', 'go', 'cargo', 'mix', 'mvn']

/** A folder with these files, and a PATH on which every runner is. */
async function detect(files: Record<string, string>, options: Partial<DetectOptions> = {}) {
  const [cwd, bin] = [await makeTestFolder(files), await makeTestFolder()]
  for (const name of programs) {
    await writeTree(bin, { [name]: '' })
    await chmod(join(bin, name), 0o755)
  }
  const found = await detectFramework({ cwd, environment: { PATH: bin }, ...options })
  return { ...found, command: found.command.replace(`${bin}/`, '').replace(`${cwd}/`, '') }
}

const script = (command: string) => JSON.stringify({ scripts: { test: command } })

test.for<[what: string, files: Record<string, string>, framework: string, because: string]>([
  ['a script', { 'package.json': script('vitest run') }, 'vitest', "the script 'test' of package.json runs it"],
  ['a configuration', { 'vitest.config.ts': '' }, 'vitest', 'there is vitest.config.ts'],
  ['a dependency', { 'package.json': '{"devDependencies":{"jest":"30"}}' }, 'jest', 'package.json depends on jest'],
  [
    'node --test',
    { 'package.json': script('node --test') },
    'node',
    "the script 'test' of package.json runs node --test",
  ],
  ['an import', { 'a/b.test.js': "import test from 'node:test'" }, 'node', 'a/b.test.js imports node:test'],
  ['pyproject', { 'pyproject.toml': '[tool.pytest.ini_options]' }, 'pytest', 'there is pyproject.toml'],
  ['a test in Python', { 'tests/test_a.py': '' }, 'pytest', 'there is tests/test_a.py'],
  ['go.mod', { 'go.mod': 'module a' }, 'go', 'there is go.mod'],
  ['Cargo.toml', { 'Cargo.toml': '' }, 'cargo', 'there is Cargo.toml'],
  ['mix.exs', { 'mix.exs': '' }, 'mix', 'there is mix.exs'],
  ['pom.xml', { 'pom.xml': '' }, 'maven', 'there is pom.xml'],
])('%s tells the framework', async ([, files, framework, because]) => {
  expect(await detect(files)).toMatchObject({ framework, because })
})

test('of several frameworks the one that a script runs is chosen, then the order decides, and both are told', async () => {
  const files = { 'go.mod': '', 'vitest.config.ts': '', 'package.json': script('tsc && jest --runInBand') }
  expect(await detect(files)).toMatchObject({
    framework: 'jest',
    args: ['--ci', '--runInBand'],
    because:
      "the script 'test' of package.json runs it; weaker or later: vitest (there is vitest.config.ts), go (there is go.mod)",
  })
  expect(await detect({ 'mix.exs': '', 'go.mod': '' })).toMatchObject({ framework: 'go' })
})

test('paths say which framework is meant, and one that is asked for wins over everything', async () => {
  const files = { 'go.mod': '', 'package.json': script('vitest run'), 'a/b_test.go': '', 'c.py': '' }
  expect(await detect(files, { paths: ['a/b_test.go'] })).toMatchObject({ framework: 'go', args: ['test', './a'] })
  expect(await detect(files, { paths: ['c.py'] })).toMatchObject({
    framework: 'pytest',
    because: 'the paths end with .py',
  })
  expect(await detect(files, { framework: 'cargo' })).toMatchObject({ framework: 'cargo', because: 'it was asked for' })
})

test('options and variables of the script are kept as far as they make sense', async () => {
  const vitest = script('cross-env TZ=UTC vitest run --coverage --config "my config.ts" --project=unit')
  expect((await detect({ 'package.json': vitest })).args).toEqual(['run', '--config', 'my config.ts', '--project=unit'])
  const node = script('node --import tsx --test --test-reporter=dot "src/**/*.test.ts"')
  const sources = { 'src/a/b.test.ts': '', 'src/c.test.ts': '', 'src/d.ts': '', 'other/e.test.ts': '' }
  expect((await detect({ 'package.json': node, ...sources })).args.join(' ')).toBe(
    '--import tsx --test src/c.test.ts src/a/b.test.ts',
  )
})

test.for<[paths: string[], args: string[]]>([
  [['tests/whole.rs'], ['--test=whole']],
  [['src/lib.rs'], ['--lib']],
  [
    ['src/part/deep.rs', 'src/other/mod.rs'],
    ['--lib', '--', 'part::deep', 'other'],
  ],
  [
    ['src/part.rs', 'tests/whole.rs'],
    ['--lib', '--test=whole'],
  ],
  [
    ['src/bin/tool.rs', 'src/main.rs'],
    ['--bin=tool', '--bins'],
  ],
])('for cargo %j is %j', async ([paths, args]) => {
  const found = await detect({ 'Cargo.toml': '' }, { paths })
  expect(found.args.slice(4)).toEqual(args)
})

test('for Maven paths are classes and packages', async () => {
  const paths = ['src/test/java/sum/SumTest.java', 'part/src/test/java/deep/']
  expect((await detect({ 'pom.xml': '' }, { paths })).args).toContain('-Dtest=sum/SumTest,deep/**/*')
})

test('programs of the workspace go before those of PATH, also those at the root above', async () => {
  const root = await makeTestFolder({ 'node_modules/.bin/vitest': '', 'part/vitest.config.ts': '', 'part/mvnw': '' })
  await chmod(join(root, 'node_modules/.bin/vitest'), 0o755)
  await chmod(join(root, 'part/mvnw'), 0o755)
  const options = { cwd: join(root, 'part'), environment: {} }
  expect(await detectFramework({ ...options, root })).toMatchObject({ command: join(root, 'node_modules/.bin/vitest') })
  expect(await detectFramework({ ...options, framework: 'maven' })).toMatchObject({ command: join(root, 'part/mvnw') })
  await expect(detectFramework(options)).rejects.toThrow(
    "'vitest' is neither in the workspace nor in PATH, and nothing is downloaded to run tests. " +
      'Run: npm install --save-dev vitest',
  )
})

test('a folder that tells nothing is an error which says what to do', async () => {
  await expect(detect({ 'package.json': '{"scripts": 7', 'README.md': '' })).rejects.toMatchObject({
    code: 'TEST_RUNNER_NOT_FOUND',
    message: expect.stringContaining('set "framework" to one of vitest, jest, node'),
  })
})

test('frameworks go by many names', () => {
  const names = ['vitest', 'Jest', 'node:test', 'node', 'pytest', 'go test', 'cargo-test', 'mix test', 'mvn', 'maven']
  expect(names.map(toFramework)).toEqual([
    'vitest',
    'jest',
    'node',
    'node',
    'pytest',
    'go',
    'cargo',
    'mix',
    'maven',
    'maven',
  ])
  expect(() => toFramework('mocha')).toThrow("There is no test framework 'mocha'. Choose one of vitest, jest, node")
})
