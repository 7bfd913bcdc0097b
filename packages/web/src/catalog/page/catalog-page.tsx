import { useQuery } from '@tanstack/react-query'
import { fragmentsQuery, pinsQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Page } from '../../ui/page/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useCatalogSearch } from '../catalog-search.ts'
import { CompositesTab } from '../composite/composites-tab.tsx'
import { DriftTab } from '../drift/drift-tab.tsx'
import { ToolsTab } from '../list/tools-tab.tsx'
import { FragmentsTab } from './fragments-tab.tsx'
import { ModesTab } from './modes-tab.tsx'

/** What clients see, and everything that shapes it. */
export default function CatalogPage() {
  const [{ tab }, change] = useCatalogSearch()
  const waiting = useQuery(pinsQuery).data?.filter(({ reason }) => reason !== null).length ?? 0
  const broken = useQuery(fragmentsQuery).data?.filter(({ errors }) => errors.length > 0).length ?? 0
  return (
    <Page title="Catalog" hint="The tools of all your servers: what clients see of them, and how it is said.">
      <Tabs
        label="Parts of the catalog"
        listClassName="px-0"
        value={tab ?? 'tools'}
        onChange={(id) => change({ tab: id === 'tools' ? undefined : id, composite: undefined, tool: undefined })}
        tabs={[
          { id: 'tools', label: 'Tools', body: <ToolsTab /> },
          { id: 'composites', label: 'Composites', body: <CompositesTab /> },
          { id: 'drift', label: <Counted label="Drift" count={waiting} />, body: <DriftTab /> },
          { id: 'fragments', label: <Counted label="Files" count={broken} />, body: <FragmentsTab /> },
          { id: 'modes', label: 'Modes', body: <ModesTab /> },
        ]}
      />
    </Page>
  )
}

function Counted({ label, count }: { label: string; count: number }) {
  return (
    <span className="flex items-center gap-1.5">
      {label}
      {count > 0 && <Badge tone="warn">{count}</Badge>}
    </span>
  )
}
