import { Page } from '../app/page.tsx'

export default function ConnectorsPage() {
  return (
    <Page title="Connectors">
      <p />
    </Page>
  )
}
