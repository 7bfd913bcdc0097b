import { useNavigate, useSearch } from '@tanstack/react-router'
import { Page } from '../ui/page/page.tsx'
import { Tabs, type Tab } from '../ui/tabs.tsx'
import { BundlesTab } from './bundles-tab.tsx'
import { ClientsTab } from './clients-tab.tsx'
import type { DiscoverTab } from './discover-search.ts'
import { PasteTab } from './paste-tab.tsx'
import { RegistryTab } from './registry-tab.tsx'

const tabs: readonly Tab<DiscoverTab>[] = [
  { id: 'registry', label: 'Registry', body: <RegistryTab /> },
  { id: 'clients', label: 'Your clients', body: <ClientsTab /> },
  { id: 'bundles', label: 'Bundles', body: <BundlesTab /> },
  { id: 'paste', label: 'Paste', body: <PasteTab /> },
]

/** Where servers come from: a registry, the clients of this machine, bundles, or whatever a person has at hand. */
export default function DiscoverPage() {
  const { tab = 'registry' } = useSearch({ from: '/discover' })
  const navigate = useNavigate({ from: '/discover' })
  return (
    <Page title="Discover" hint="Find servers and add them. You see what will be done before anything is.">
      <Tabs
        label="Where to look"
        tabs={tabs}
        value={tab}
        onChange={(id) => void navigate({ search: id === 'registry' ? {} : { tab: id }, replace: true })}
        listClassName="px-0"
      />
    </Page>
  )
}
