import { Page } from '../app/page.tsx'

export default function ServerPage() {
  return (
    <Page title="Server">
      <p />
    </Page>
  )
}
