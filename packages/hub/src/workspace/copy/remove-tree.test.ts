import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTestFolder, readTree, silentLog } from '../testing/test-folder.ts'
import { removeTree, sweepFolder } from './remove-tree.ts'

/** What goes down step by step, as a program that calls itself may: 60 folders of names with 200 letters. */
const goDown = `for (let i = 0; i < 60; i++) { fs.mkdirSync('${'a'.repeat(200)}'); process.chdir('${'a'.repeat(200)}') } fs.writeFileSync('end', '')`

test('folders that are deeper than any path, or that nobody may write, are removed; links are not followed', async () => {
  const home = await makeTestFolder({ 'beside/keep': 'kept' })
  const folder = join(home, 'folder')
  await mkdir(join(folder, 'closed/inner'), { recursive: true })
  execFileSync(process.execPath, ['-e', goDown], { cwd: folder })
  await symlink(join(home, 'beside'), join(folder, 'link'))
  await writeFile(join(folder, 'closed/inner/file'), '')
  await chmod(join(folder, 'closed/inner'), 0o500)
  await removeTree(folder)
  expect(await readTree(home)).toEqual({ 'beside/keep': 'kept' })
  expect(await readdir(home)).toEqual(['beside'])
})

test('what cannot be removed keeps nobody from starting', async () => {
  // Not even root may remove these.
  await expect(sweepFolder('/proc/self/fdinfo', silentLog)).resolves.toBeUndefined()
  await expect(sweepFolder('/nowhere', silentLog)).resolves.toBeUndefined()
})
