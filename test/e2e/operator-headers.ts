import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { operatorTokenFile } from '../../packages/hub/src/platform/file/homes.ts'

/** What the operator of the hub with this state home shows to its management API. */
export async function operatorHeaders(stateHome: string): Promise<{ authorization: string }> {
  const token = await readFile(join(stateHome, operatorTokenFile), 'utf8')
  return { authorization: `Bearer ${token.trim()}` }
}
