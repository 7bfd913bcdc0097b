import { Page } from '../app/page.tsx'

export default function ConnectorPage() {
  return (
    <Page title="Connector">
      <p />
    </Page>
  )
}
