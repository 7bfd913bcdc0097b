import type { ConnectorView, HubStatus, Problem } from '@herma/contract'
import { useEffect, useState } from 'react'

export interface HubData {
  readonly status: HubStatus
  readonly connectors: readonly ConnectorView[]
}

export interface HubState {
  /** The newest answer; kept while the hub is away. */
  readonly data: HubData | null
  /** Why the last attempt failed, null when it did not. */
  readonly failure: string | null
  /** The hub answers, but wants to know first who is asking. */
  readonly needsSignIn: boolean
}

const refreshMs = 3000
const answerTimeoutMs = 10_000

/** Asks the hub every few seconds, one round at a time, and rests while nobody looks at the page. */
export function useHub(): HubState {
  const [state, setState] = useState<HubState>({ data: null, failure: null, needsSignIn: false })
  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const refresh = async () => {
      try {
        const data = await askHub(AbortSignal.any([stop.signal, AbortSignal.timeout(answerTimeoutMs)]))
        if (!stop.signal.aborted) setState({ data, failure: null, needsSignIn: false })
      } catch (error) {
        if (stop.signal.aborted) return
        // Whoever is signed out sees nothing any more, not even what was there before.
        if (error instanceof SignInNeeded) setState({ data: null, failure: null, needsSignIn: true })
        else setState((last) => ({ data: last.data, failure: explain(error), needsSignIn: false }))
      }
      if (!stop.signal.aborted) schedule(refreshMs)
    }
    const schedule = (ms: number) => {
      clearTimeout(timer)
      if (!document.hidden) timer = setTimeout(() => void refresh(), ms)
    }
    const wake = () => schedule(0)
    document.addEventListener('visibilitychange', wake)
    schedule(0)
    return () => {
      stop.abort()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', wake)
    }
  }, [])
  return state
}

async function askHub(signal: AbortSignal): Promise<HubData> {
  const [status, list] = await Promise.all([
    ask<HubStatus>('/api/status', signal),
    ask<{ connectors: ConnectorView[] }>('/api/connectors', signal),
  ])
  return { status, connectors: list.connectors }
}

async function ask<Answer>(path: string, signal: AbortSignal): Promise<Answer> {
  const response = await fetch(path, { signal, headers: { accept: 'application/json' } })
  if (response.status === 401) throw new SignInNeeded()
  if (!response.ok) throw new Error(await problemText(path, response))
  // The hub and this page are built together, so its answer has the type of the contract.
  return (await response.json()) as Answer
}

class SignInNeeded extends Error {}

async function problemText(path: string, response: Response): Promise<string> {
  // Something between us and the hub may answer with a page of its own.
  const problem = (await response.json().catch(() => null)) as Partial<Problem> | null
  return problem?.error?.message ?? `${path} answered with status ${response.status}.`
}

function explain(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'It took longer than 10 seconds to answer.'
  // What fetch throws when nobody listens is a TypeError whose text differs from browser to browser.
  if (error instanceof TypeError) return 'Nobody answers at its address.'
  return error instanceof Error ? error.message : String(error)
}
