import type { SignInStep } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { useMay } from '../api/me.ts'
import { useChange } from '../api/use-change.ts'
import { Button } from '../ui/button.tsx'
import { formatTime } from '../ui/format.ts'
import { Failure } from '../ui/page/page-state.tsx'
import { StatusDot, type Tone } from '../ui/status-dot.tsx'
import { credentialsQuery } from './connectors-query.ts'

const states: Record<string, { tone: Tone; text: string }> = {
  none: { tone: 'off', text: 'The server has not asked for a sign-in.' },
  needed: { tone: 'warn', text: 'The server wants you to sign in.' },
  waiting: { tone: 'warn', text: 'Waiting for you to sign in on the page of the server.' },
  'signed-in': { tone: 'ok', text: 'Signed in.' },
}

/** Begins a sign-in, and keeps the address where the person goes on. `onError` is for those who do not show `error`. */
export function useSignIn(name: string, onError: (error: Error) => void = () => {}) {
  const [url, setUrl] = useState<string | null>(null)
  const change = useChange({
    send: () => api.signInToConnector({ name }),
    topics: ['connectors'],
    onDone: (step: SignInStep) => {
      setUrl(step.url)
      if (step.url !== null) window.open(step.url, '_blank', 'noopener')
    },
  })
  return { url, error: change.error, isPending: change.isPending, start: () => change.mutate(undefined, { onError }) }
}

interface SignInBoxProps {
  readonly name: string
  readonly signIn: ReturnType<typeof useSignIn>
  /** Shown although the server has not asked for a sign-in so far. */
  readonly isWanted: boolean
}

/** Whether one is signed in to the server of a connector, and how to begin or end it. */
export function SignInBox({ name, signIn, isWanted }: SignInBoxProps) {
  const { data } = useQuery(credentialsQuery(name))
  const maySignIn = useMay('member')
  const leave = useChange({
    send: () => api.signOutOfConnector({ name }),
    topics: ['connectors'],
    done: () => `Signed out of ${name}`,
  })
  if (!data?.signIn || (data.signIn.state === 'none' && !isWanted)) return null
  const { state, issuer, expiresAt, problem } = data.signIn
  const { tone, text } = states[state] ?? { tone: 'off', text: state }
  const isPersonal = data.credentials === 'personal'
  return (
    <div id="sign-in" className="grid grid-cols-[minmax(0,1fr)] gap-2 rounded-md border border-line bg-surface p-3">
      <div className="flex flex-wrap items-center gap-2">
        <div className="mr-auto min-w-0">
          <StatusDot tone={tone}>{text}</StatusDot>
          <p className="text-sm text-ink-3">
            {isPersonal ? 'For you alone.' : 'One sign-in for everybody who uses this connector.'}
            {issuer !== null && ` At ${issuer}.`}
            {expiresAt !== null && ` Renewed before ${formatTime(expiresAt)}.`}
          </p>
        </div>
        {maySignIn && state === 'signed-in' && (
          <Button size="sm" pending={leave.isPending} onClick={() => leave.mutate()}>
            Sign out
          </Button>
        )}
        {maySignIn && state !== 'signed-in' && (
          <Button size="sm" pending={signIn.isPending} onClick={signIn.start}>
            Sign in
          </Button>
        )}
      </div>
      {signIn.url !== null && state !== 'signed-in' && (
        <p className="text-sm">
          If no page opened:{' '}
          <a href={signIn.url} target="_blank" rel="noreferrer" className="underline">
            open the sign-in page
          </a>
        </p>
      )}
      {problem !== null && <p className="text-sm text-bad">{problem}</p>}
      {signIn.error !== null && <Failure title="The sign-in did not begin." error={signIn.error} />}
      {leave.error !== null && <Failure title="Still signed in." error={leave.error} />}
    </div>
  )
}
