import type { Common } from './define.ts'

/** The fields that descriptors of every kind share. */
export function describeCommon({ title, description, icons, tags, meta }: Common) {
  const _meta = { ...meta, ...(tags !== undefined && { tags }) }
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(icons !== undefined && { icons: [...icons] }),
    ...(Object.keys(_meta).length > 0 && { _meta }),
  }
}
