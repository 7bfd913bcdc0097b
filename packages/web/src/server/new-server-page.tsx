import { Page } from '../app/page.tsx'

export default function NewServerPage() {
  return (
    <Page title="New server">
      <p />
    </Page>
  )
}
