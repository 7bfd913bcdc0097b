import { Page } from '../app/page.tsx'

export default function ChatPage() {
  return (
    <Page title="Chat">
      <p />
    </Page>
  )
}
