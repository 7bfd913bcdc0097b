import { useState } from 'react'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { explain } from '../../ui/explain.ts'
import { count, formatMs } from '../../ui/format.ts'

const testTimeoutMs = 600_000
/** Each test may start a program. */
const atOnce = 3

export type ListTest =
  | { readonly state: 'running' }
  | { readonly state: 'done'; readonly ok: boolean; readonly text: string }

export interface ListTests {
  readonly results: Readonly<Record<string, ListTest>>
  readonly isRunning: boolean
  /** What came of all, in one sentence. */
  readonly summary: string
  readonly run: (name: string) => Promise<void>
  readonly runAll: (names: readonly string[]) => Promise<void>
}

/** Tests that are begun from the list, a few at a time. */
export function useListTests(): ListTests {
  const [results, setResults] = useState<Readonly<Record<string, ListTest>>>({})
  const [summary, setSummary] = useState('')
  const note = (name: string, test: ListTest) => setResults((last) => ({ ...last, [name]: test }))

  async function run(name: string): Promise<boolean> {
    note(name, { state: 'running' })
    const outcome = await runOne(name)
    note(name, { state: 'done', ...outcome })
    return outcome.ok
  }
  async function runAll(names: readonly string[]): Promise<void> {
    setSummary(`Testing ${count(names.length, 'connector')}.`)
    const waiting = [...names]
    let passed = 0
    const worker = async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) if (await run(name)) passed++
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    setSummary(`${passed} of ${count(names.length, 'connector')} passed the test.`)
    await queryClient.invalidateQueries({ queryKey: ['connectors'] })
  }
  return {
    results,
    summary,
    isRunning: Object.values(results).some(({ state }) => state === 'running'),
    run: (name) => runAll([name]),
    runAll,
  }
}

async function runOne(name: string): Promise<{ ok: boolean; text: string }> {
  try {
    const { ok, cause, stages } = await api.testConnector({ name, body: {} }, { timeoutMs: testTimeoutMs })
    const ms = stages.reduce((sum, stage) => sum + stage.ms, 0)
    return { ok, text: ok ? `Passed in ${formatMs(ms)}` : (cause ?? 'It failed.') }
  } catch (error) {
    return { ok: false, text: explain(error) }
  }
}
