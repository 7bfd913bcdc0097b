import type { CatalogTool, OverrideChange } from '@herma/contract'
import { api } from '../../api/client.ts'

type Change = (tool: CatalogTool) => OverrideChange

export async function hideTools(tools: readonly CatalogTool[]): Promise<void> {
  await changeTools(tools, () => ({ enabled: false }))
}

/**
 * Takes back what was hidden by hand. What a file hides as well is then shown by hand; the hub tells which those are.
 */
export async function showTools(tools: readonly CatalogTool[]): Promise<void> {
  await changeTools(tools, () => ({ enabled: null }))
  const wanted = new Set(tools.map(({ connector, originalName }) => `${connector}/${originalName}`))
  const { tools: now } = await api.listCatalogTools({ all: true })
  const stillHidden = now.filter(
    ({ connector, originalName, hiddenBecause, pin }) =>
      wanted.has(`${connector}/${originalName}`) && hiddenBecause !== null && pin !== 'blocked',
  )
  if (stillHidden.length > 0) await changeTools(stillHidden, () => ({ enabled: true }))
}

export async function tagTools(
  tools: readonly CatalogTool[],
  { added, removed }: { added: readonly string[]; removed: readonly string[] },
): Promise<void> {
  await changeTools(tools, ({ tags }) => {
    const kept = [...new Set([...tags, ...added])].filter((tag) => !removed.includes(tag))
    return { tags: kept }
  })
}

async function changeTools(tools: readonly CatalogTool[], change: Change): Promise<void> {
  const changes = tools.map((tool) => ({ server: tool.connector, tool: tool.originalName, change: change(tool) }))
  await api.changeOverrides({ body: { changes } })
}
