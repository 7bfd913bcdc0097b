import { Page } from '../app/page.tsx'

export default function TracesPage() {
  return (
    <Page title="Traces">
      <p />
    </Page>
  )
}
