import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createProject } from './create-project.ts'
import { templates } from './read-arguments.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'create-herma-server-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const root = new URL('../../../', import.meta.url)
const readJson = async (path: string | URL) => JSON.parse(await readFile(path, 'utf8'))

describe.each(templates)('the template %s', (template) => {
  test('becomes a project of its folder’s name, with nothing left to fill in', async () => {
    const folder = join(home, 'my-server')

    const project = await createProject({ folder, template, version: '1.2.3' })

    expect(project.name).toBe('my-server')
    expect(project.files).toContain('.gitignore')
    expect(project.files).toContain(`src/server.${template}`)
    const texts = await Promise.all(project.files.map((file) => readFile(join(folder, file), 'utf8')))
    expect(texts.join('\n')).not.toMatch(/__\w+__/)
    const written = await readJson(join(folder, 'package.json'))
    expect(written).toMatchObject({ name: 'my-server', dependencies: { '@herma/framework': '1.2.3' } })
  })

  test('names the versions that this repository is tested with', async () => {
    const folder = join(home, 'my-server')
    await createProject({ folder, template, version: '1.2.3' })

    const { dependencies, devDependencies = {} } = await readJson(join(folder, 'package.json'))
    const { '@herma/framework': _, ...others } = { ...dependencies, ...devDependencies }

    expect((await readJson(new URL('package.json', root))).devDependencies).toMatchObject(others)
  })
})

test('it is released under the version of the framework', async () => {
  const versions = ['create-herma-server', 'framework'].map(
    async (name) => (await readJson(new URL(`packages/${name}/package.json`, root))).version,
  )

  const [own, framework] = await Promise.all(versions)

  expect(own).toBe(framework)
})

test('a folder that holds something is left as it is, and one with version control only is used', async () => {
  const full = join(home, 'full')
  await mkdir(full)
  await writeFile(join(full, 'notes.txt'), 'mine')
  const fresh = join(home, 'fresh')
  await mkdir(join(fresh, '.git'), { recursive: true })

  const refused = createProject({ folder: full, template: 'ts', version: '1.2.3' })

  await expect(refused).rejects.toThrow("is not empty: it has 'notes.txt'. Choose another name, or empty it first.")
  await expect(createProject({ folder: fresh, template: 'js', version: '1.2.3' })).resolves.toMatchObject({
    name: 'fresh',
  })
})

test('a file in place of the folder is named', async () => {
  await writeFile(join(home, 'taken'), '')

  await expect(createProject({ folder: join(home, 'taken'), template: 'ts', version: '1.2.3' })).rejects.toThrow(
    'is a file. Choose another name.',
  )
})

test.each(['My Server', 'UPPER', '.hidden', '_private', '-flag', 'node_modules', 'ünlaut', 'a'.repeat(215)])(
  "'%s' is refused as the name of a package, and nothing is written",
  async (name) => {
    const folder = join(home, name)

    await expect(createProject({ folder, template: 'ts', version: '1.2.3' })).rejects.toThrow('cannot name a package')
    await expect(readFile(join(folder, 'package.json'))).rejects.toThrow('ENOENT')
  },
)
