import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CustomTool } from '@herma/contract'
import { expect, test } from 'vitest'
import { setUpTools } from './testing/set-up-tools.ts'

interface Case {
  /** As in custom_tools.json; the name is not important. */
  readonly tool: Partial<CustomTool> & { readonly command: string }
  readonly arguments?: Record<string, unknown>
  /** Contents of files in the config home; those that begin with #! may be executed. */
  readonly files?: Record<string, string>
}

const folder = fileURLToPath(new URL('cases/', import.meta.url))

test.for(readdirSync(folder))('a command as a tool: %s', async (name) => {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, name, file), 'utf8'))
  const { tool, arguments: args = {}, files = {} } = read('call.json') as Case
  const tools = await setUpTools()
  for (const [path, text] of Object.entries(files)) {
    const file = join(tools.configHome, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
    if (text.startsWith('#!')) await chmod(file, 0o755)
  }
  const result = await tools.create(tool).run(args, tools.context())
  const portable: unknown = JSON.parse(JSON.stringify(result).replaceAll(tools.configHome, '{{HERMA_CONFIG_HOME}}'))
  expect(portable).toEqual(read('expected.json'))
})
