import { Page } from '../app/page.tsx'

export default function ServersPage() {
  return (
    <Page title="Servers">
      <p />
    </Page>
  )
}
