// Commits generation after generation of the same files, and says which one is done, until it is ended.
// Arguments: the folder, the state home, the first generation.
import { createLog } from '../../platform/log.ts'
import { openWorkspaces } from '../workspaces.ts'
import { generationFiles } from './generation.ts'

const [project, stateHome, first] = process.argv.slice(2) as [string, string, string]
const workspaces = await openWorkspaces({ stateHome, log: createLog('error') })
const workspace = await workspaces.open({ defaultCwd: project, policy: { roots: [] }, onViolation: () => {} })
for (let generation = Number(first); ; generation++) {
  const stage = workspaces.stage(workspace)
  const files = generationFiles(generation)
  for await (const path of workspace.walk()) if (files[path] === undefined) await stage.remove(path)
  for (const [path, text] of Object.entries(files)) await stage.write(path, text)
  await stage.commit()
  process.stdout.write(`done ${generation}\n`)
}
