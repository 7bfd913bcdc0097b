import { Page } from '../app/page.tsx'

export default function SessionsPage() {
  return (
    <Page title="Sessions">
      <p />
    </Page>
  )
}
