import { Page } from '../app/page.tsx'

export default function DiscoverPage() {
  return (
    <Page title="Discover">
      <p />
    </Page>
  )
}
