import { Page } from '../app/page.tsx'

export default function SettingsPage() {
  return (
    <Page title="Settings">
      <p />
    </Page>
  )
}
