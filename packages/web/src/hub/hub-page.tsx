import { Page } from '../app/page.tsx'

export function HubPage() {
  return (
    <Page title="Hub">
      <p />
    </Page>
  )
}
