import { Page } from '../app/page.tsx'

export default function BindingsPage() {
  return (
    <Page title="Session bindings">
      <p />
    </Page>
  )
}
