import { Page } from '../app/page.tsx'

export default function CatalogPage() {
  return (
    <Page title="Catalog">
      <p />
    </Page>
  )
}
