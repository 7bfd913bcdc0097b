import type { TestStage } from '@herma/contract'
import { CircleCheck, CircleDashed, CircleX } from 'lucide-react'
import { cn } from './cn.ts'
import { formatMs } from './format.ts'

const labels: Record<TestStage['name'], string> = {
  resolve: 'Find it',
  start: 'Reach it',
  handshake: 'Initialize',
  list: 'List tools',
  call: 'Sample call',
}

const outcomes = {
  ok: { Sign: CircleCheck, tone: 'text-ok', word: 'done' },
  failed: { Sign: CircleX, tone: 'text-bad', word: 'failed' },
  skipped: { Sign: CircleDashed, tone: 'text-ink-3', word: 'not reached' },
}

/** The stages of a test, one line each, with a bar for the share of time that each took. */
export function TestStages({ stages }: { stages: readonly TestStage[] }) {
  const longest = Math.max(...stages.map(({ ms }) => ms), 1)
  return (
    <ol aria-label="Stages" className="grid grid-cols-[minmax(0,1fr)] gap-2 border-t border-line px-4 py-3">
      {stages.map(({ name, outcome, ms, detail }) => {
        const { Sign, tone, word } = outcomes[outcome]
        // The result of a call is long, and is shown below.
        const text = outcome === 'ok' && name === 'call' ? '' : outcome === 'skipped' ? '' : detail
        return (
          <li key={name} className="grid grid-cols-[auto_minmax(0,1fr)_48px_56px] items-center gap-x-2">
            <Sign className={cn('size-4', tone)} aria-hidden />
            <span className={cn('font-medium', outcome === 'skipped' && 'font-normal text-ink-3')}>
              {labels[name]}
              <span className="sr-only">, {word}</span>
            </span>
            <span aria-hidden className="h-1 overflow-hidden rounded-full bg-well">
              <span
                className={cn('block h-full rounded-full', outcome === 'failed' ? 'bg-bad' : 'bg-c1')}
                style={{ width: outcome === 'skipped' ? 0 : `${Math.max(3, (ms / longest) * 100)}%` }}
              />
            </span>
            <span className="tnum text-right text-sm text-ink-2">{outcome === 'skipped' ? '–' : formatMs(ms)}</span>
            {text !== '' && (
              <span
                className={cn(
                  'col-span-3 col-start-2 line-clamp-3 text-sm [overflow-wrap:anywhere]',
                  outcome === 'failed' ? 'text-bad' : 'text-ink-3',
                )}
              >
                {text}
              </span>
            )}
          </li>
        )
      })}
    </ol>
  )
}
