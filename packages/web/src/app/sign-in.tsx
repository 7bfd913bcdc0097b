import { CodeBox } from '../ui/code-box.tsx'
import { Page } from '../ui/page.tsx'

/** For a browser that the hub does not know. */
export function SignIn() {
  return (
    <Page title="Sign in">
      <div className="grid max-w-xl grid-cols-[minmax(0,1fr)] gap-3 rounded-lg border border-line bg-surface p-4">
        <p className="font-medium">Sign in to see this hub.</p>
        <p className="text-ink-2">On the machine where it runs, this opens the page signed in:</p>
        <CodeBox text="npx herma open" label="the command" />
        <p className="text-ink-2">
          You have a user here?{' '}
          <a className="underline" href="/login">
            Sign in with your name
          </a>
        </p>
      </div>
    </Page>
  )
}
