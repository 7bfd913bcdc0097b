import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { listFragmentFiles } from './fragment-files.ts'

/** A text that is different when a file of the catalog was added, removed or written. */
export async function readFragmentStamp(configHome: string): Promise<string> {
  const { files } = await listFragmentFiles(configHome)
  const stamps = await Promise.all(
    files.map(async ({ file }) => {
      const stats = await stat(join(configHome, file), { bigint: true }).catch(() => undefined)
      return stats === undefined ? `${file} -` : `${file} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
    }),
  )
  return stamps.join('\n')
}
