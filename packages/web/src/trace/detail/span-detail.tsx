import type { CaptureLevel, EventView } from '@herma/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { api } from '../../api/client.ts'
import { capturesQuery } from '../../api/queries.ts'
import { queryClient } from '../../api/query-client.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBox } from '../../ui/code-box.tsx'
import { explain } from '../../ui/explain.ts'
import { JsonBox } from '../../ui/json-box.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { outcomes } from '../describe-event.ts'
import { readMessages, textsOf, type RecordedBody } from './read-messages.ts'
import { SpanFacts } from './span-facts.tsx'
import type { Span } from './spans.ts'

/** Everything that is recorded of one span. */
export function SpanDetail({ span }: { span: Span }) {
  const tabs = [
    { id: 'messages', label: 'Messages', body: <MessageList span={span} /> },
    { id: 'facts', label: 'Facts', body: <SpanFacts event={span.main} /> },
    {
      id: 'events',
      label: `Events (${span.events.length})`,
      body: (
        <div className="p-4">
          <JsonBox value={span.events} label="the events of this span" file={`span-${span.id}.json`} />
        </div>
      ),
    },
  ] as const
  return (
    <>
      <WhatFailed span={span} />
      <Tabs label="What is recorded" tabs={span.kind === 'call' ? tabs : tabs.slice(1)} />
    </>
  )
}

/** What went wrong and why, where something did. */
function WhatFailed({ span: { main, events } }: { span: Span }) {
  if (main.outcome === undefined || main.outcome === 'ok') return null
  const refusal = events.find(({ kind }) => kind.endsWith('.refused'))
  const why = textIn(main, 'error') ?? textIn(refusal, 'why') ?? textIn(refusal, 'because') ?? advice[main.outcome]
  const rule = textIn(refusal, 'rule')
  return (
    <div className="mx-4 mb-3 flex items-start gap-2 rounded-lg bg-bad-soft p-3">
      <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden />
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <p className="font-medium text-bad">
          {outcomes[main.outcome].label}
          {main.errorCode !== undefined && <span className="font-mono text-sm"> {main.errorCode}</span>}
        </p>
        <p>{why}</p>
        {rule !== undefined && <p className="text-sm text-ink-2">The rule: {rule}</p>}
      </div>
    </div>
  )
}

const advice = {
  'tool-error': 'The tool reported a failure in its answer, which is below if messages were recorded.',
  error:
    'It failed, and why is not recorded. The log of the connector, or the session that worked on it, may say more.',
  cancelled: 'The client gave up, or its connection ended.',
  refused: 'A rule or a limit said no.',
} as const

function MessageList({ span: { main, events } }: { span: Span }) {
  const messages = readMessages(events)
  const { request, response, parts, questions } = messages
  const texts = textsOf(messages)
  const isRecorded = request !== undefined || response !== undefined
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4">
      {request !== undefined && <Body title="Request" body={request} />}
      {parts.map((part, index) => (
        <Body key={index} title={`Before the answer, ${index + 1}`} body={part} />
      ))}
      {questions.map((event) => (
        <Body
          key={event.id}
          title={event.kind === 'question.asked' ? 'Asked' : 'Answered'}
          body={{ value: event.data }}
        />
      ))}
      {texts.map((text, index) => (
        <Body key={index} title={texts.length === 1 ? 'Answer' : `Answer, part ${index + 1}`} body={{ value: text }} />
      ))}
      {response !== undefined && <Body title="Response" body={response} />}
      {!isRecorded && <p className="text-ink-2">What was said in this call is not recorded.</p>}
      {main.server !== undefined && <CaptureChoice server={main.server} isRecorded={isRecorded} />}
    </div>
  )
}

function Body({ title, body: { value, wholeLength } }: { title: string; body: RecordedBody }) {
  const label = `the ${title.toLowerCase()}`
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <h3 className="text-sm font-medium">{title}</h3>
      {typeof value === 'string' ? (
        <CodeBox text={value} label={label} isTall />
      ) : (
        <JsonBox value={value} label={label} />
      )}
      {wholeLength !== undefined && (
        <p className="text-sm text-ink-3">
          Only the beginning is recorded: {String(value).length.toLocaleString()} of {wholeLength.toLocaleString()}{' '}
          characters.
        </p>
      )}
    </section>
  )
}

function textIn(event: EventView | undefined, name: string): string | undefined {
  const value = event?.data[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

const levels: Readonly<Record<CaptureLevel, string>> = {
  off: 'nothing of its calls',
  calls: 'one event for each call, without what was said',
  messages: 'each message, without its content',
  bodies: 'what was said, with secrets masked',
}

/** What is recorded of a server from now on, and the button that changes it. */
function CaptureChoice({ server, isRecorded }: { server: string; isRecorded: boolean }) {
  const { data } = useQuery(capturesQuery)
  const capture = data?.find((each) => each.server === server)
  const change = useMutation({
    mutationFn: (level: CaptureLevel) => api.changeCapture({ server, body: { level } }),
    onSuccess: () => queryClient.invalidateQueries(capturesQuery),
  })
  // A server that was removed since has nothing to choose.
  if (capture === undefined) return null
  const isOn = capture.level === 'bodies'
  return (
    <div className="grid justify-items-start gap-2 rounded-md bg-well p-3">
      <output className="text-sm text-ink-2">
        Of the server <span className="font-medium text-ink">{server}</span> the hub records {levels[capture.level]}.
        {isOn && !isRecorded && ' That begins with the next call.'}
        {capture.sample < 1 && ` Of ${Math.round(capture.sample * 100)} % of calls.`}
      </output>
      <Button size="sm" pending={change.isPending} onClick={() => change.mutate(isOn ? 'calls' : 'bodies')}>
        {isOn ? 'Stop recording messages' : 'Record messages from now on'}
      </Button>
      {change.error !== null && <p className="text-sm text-bad">{explain(change.error)}</p>}
    </div>
  )
}
