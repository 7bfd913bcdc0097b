import type { TestReport as Report, TestStage } from '@herma/contract'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleDashed, CircleX, Download, Wrench } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { cn } from './cn.ts'
import { CodeBox } from './code-box.tsx'
import { explain } from './explain.ts'
import { formatMs, formatTime } from './format.ts'
import { download, JsonBox } from './json-box.tsx'
import { Tabs } from './tabs.tsx'

/** Something that the page itself can do about a failed test. */
export interface TestFix {
  /** What is wrong, in one sentence. */
  readonly text: string
  /** What the button does: 'Use /mcp'. */
  readonly action: string
  readonly onApply: () => void
}

interface TestReportProps {
  readonly title: string
  /** What a test does, before the first one. */
  readonly intro: ReactNode
  readonly report: Report | null
  /** Why no report came back. */
  readonly error?: unknown
  readonly ranAt: string | null
  readonly isRunning: boolean
  /** What was tested is not what is on the page now. */
  readonly isStale?: boolean
  readonly onRun: () => void
  readonly fix?: TestFix | null
  /** Name of the file for the download, without its ending. */
  readonly file: string
  /** Below the stages: a sample call. It stays while that runs, with what was typed. */
  readonly children?: ReactNode
}

/** How a connection test went: each stage with its time, why it failed and what to do, and what the server said. */
export function TestReport(props: TestReportProps) {
  const { title, intro, report, error, ranAt, isRunning, isStale, onRun, fix, file, children } = props
  const isShown = report !== null && !isRunning
  return (
    <section
      aria-label={title}
      className="min-w-0 overflow-hidden rounded-lg border border-line bg-surface shadow-card"
    >
      <div aria-live="polite" aria-busy={isRunning}>
        {isRunning && (
          <Head tone="text-ink" title="Testing…" text="Starting it, shaking hands and reading its tools." />
        )}
        {!isRunning && report === null && <Head tone="text-ink" title={title} text={intro} />}
        {isShown && <Outcome report={report} />}
        {!isRunning && error !== null && error !== undefined && (
          <p className="px-4 pb-3 text-bad [overflow-wrap:anywhere]">{explain(error)}</p>
        )}
      </div>
      {isShown && !report.ok && <Advice report={report} fix={fix ?? null} />}
      {isShown && <TestStages stages={report.stages} />}
      {isShown && report.stderr.length > 0 && <Stderr lines={report.stderr} isOpen={!report.ok} />}
      {isShown && <Payloads report={report} />}
      {children}
      <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2">
        <span className="mr-auto text-sm text-ink-3">
          {ranAt !== null && `Run at ${formatTime(ranAt)}`}
          {isShown && isStale === true && <span className="block text-warn">The form has changed since.</span>}
        </span>
        {isShown && (
          <Button size="sm" variant="ghost" onClick={() => download(`${file}.json`, JSON.stringify(report, null, 2))}>
            <Download aria-hidden />
            JSON
          </Button>
        )}
        <Button size="sm" pending={isRunning} aria-disabled={isRunning} onClick={() => !isRunning && onRun()}>
          {report === null ? 'Test connection' : 'Run again'}
        </Button>
      </div>
    </section>
  )
}

function Head({ tone, title, text }: { tone: string; title: string; text: ReactNode }) {
  return (
    <div className="px-4 py-3">
      <h2 className={`text-base font-semibold ${tone}`}>{title}</h2>
      <div className="text-sm text-ink-2">{text}</div>
    </div>
  )
}

function Outcome({ report }: { report: Report }) {
  const ms = report.stages.reduce((sum, stage) => sum + stage.ms, 0)
  const Sign = report.ok ? CircleCheck : CircleX
  const detail = report.ok ? report.stages.find(({ name }) => name === 'handshake')?.detail : report.cause
  return (
    <div className={`flex gap-2 px-4 py-3 ${report.ok ? 'bg-ok-soft' : 'bg-bad-soft'}`}>
      <Sign className={`mt-0.5 size-4 shrink-0 ${report.ok ? 'text-ok' : 'text-bad'}`} aria-hidden />
      <div className="min-w-0">
        <h2 className="text-base font-semibold">
          {report.ok ? `Connected in ${formatMs(ms)}` : 'The test failed'}
          {report.ok && `, ${report.tools.length === 1 ? '1 tool' : `${report.tools.length} tools`}`}
        </h2>
        <p className="text-sm [overflow-wrap:anywhere]">{detail}</p>
        {report.traceId !== undefined && (
          <Link to="/traces" search={{ trace: report.traceId }} className="text-sm underline">
            Trace of the call
          </Link>
        )}
      </div>
    </div>
  )
}

function Advice({ report, fix }: { report: Report; fix: TestFix | null }) {
  if (fix === null && report.fix === null) return null
  return (
    <div className="flex items-start gap-2 border-t border-line px-4 py-3 text-sm">
      <Wrench className="mt-0.5 size-4 shrink-0 text-ink-3" aria-hidden />
      <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">{fix?.text ?? report.fix}</p>
      {fix !== null && (
        <Button size="sm" onClick={fix.onApply}>
          {fix.action}
        </Button>
      )}
    </div>
  )
}

function Stderr({ lines, isOpen }: { lines: readonly string[]; isOpen: boolean }) {
  return (
    <details open={isOpen} className="border-t border-line px-4 py-2">
      <summary className="text-sm text-ink-2">What it wrote to standard error ({lines.length})</summary>
      <div className="mt-2">
        <CodeBox text={lines.join('\n')} label="standard error" isTall />
      </div>
    </details>
  )
}

function Payloads({ report }: { report: Report }) {
  if (report.initialize === null && report.tools.length === 0) return null
  const tabs = [
    { id: 'initialize', label: 'initialize', value: report.initialize },
    { id: 'tools', label: 'tools/list', value: report.tools },
    ...(report.call === undefined ? [] : [{ id: 'call', label: 'call result', value: report.call }]),
  ]
  return (
    <details className="border-t border-line">
      <summary className="px-4 py-2 text-sm text-ink-2">What the server said</summary>
      <Tabs
        label="Payloads"
        tabs={tabs.map(({ id, label, value }) => ({
          id,
          label,
          body: (
            <div className="p-3">
              <JsonBox value={value} label={label} />
            </div>
          ),
        }))}
      />
    </details>
  )
}

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
function TestStages({ stages }: { stages: readonly TestStage[] }) {
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
