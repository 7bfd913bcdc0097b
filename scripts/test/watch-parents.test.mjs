import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'

const module = new URL('watch-parents.mjs', import.meta.url).href
const watcher = `
  import { watchParents } from '${module}'
  watchParents(() => { console.log('gone'); process.exit() })
  setTimeout(() => process.exit(), 20_000)
  console.log('ready')`

/** What stands for npm: it starts the watcher through a shell, which stays between them, or by itself. */
const npm = (/** @type {string} */ command) => `
  const [file, ...args] = ${command}
  require('child_process').spawn(file, args, { stdio: 'inherit' })`

test.each([
  ['a shell between them', `['sh', '-c', '"$0" --input-type=module -e "$1"; exit', process.execPath, process.argv[1]]`],
  ['nothing between them', `[process.execPath, '--input-type=module', '-e', process.argv[1]]`],
])('whoever npm has started hears that it was killed, with %s', async (_, command) => {
  const env = { ...process.env, npm_lifecycle_event: 'test' }
  const parent = spawn(process.execPath, ['-e', npm(command), watcher], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  parent.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
    if (text.includes('ready')) setTimeout(() => parent.kill('SIGKILL'), 100)
  })
  await once(parent.stdout, 'close')
  expect(output).toBe('ready\ngone\n')
})
