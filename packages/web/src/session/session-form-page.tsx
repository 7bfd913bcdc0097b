import { Page } from '../app/page.tsx'

export default function SessionFormPage() {
  return (
    <Page title="Session">
      <p />
    </Page>
  )
}
