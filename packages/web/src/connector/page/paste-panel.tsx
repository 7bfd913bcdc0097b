import { type ConnectorDraft, findSecrets, type PasteReport } from '@herma/contract'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ClipboardPaste } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/form/check.tsx'
import { describe, Field, TextArea } from '../../ui/form/field.tsx'
import { count } from '../../ui/format.ts'
import { Failure } from '../../ui/page/page-state.tsx'
import { addFound } from '../add-found.ts'
import { maskedPlace } from '../masked-place.ts'

interface PastePanelProps {
  readonly onFill: (found: ConnectorDraft) => void
  /** Variables of a `.env` file. */
  readonly onEnv: (variables: PasteReport['env']) => void
}

/** Whatever a person has at hand fills the form. Nothing is stored or started by it. */
export function PastePanel({ onFill, onEnv }: PastePanelProps) {
  const [text, setText] = useState('')
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: (pasted: string) => api.parsePaste({ body: { text: pasted } }),
    onSuccess: ({ connectors, env }) => {
      const [only] = connectors
      if (env.length > 0) onEnv(env)
      if (connectors.length > 1 || (only === undefined && env.length === 0)) return
      if (only !== undefined) onFill(only)
      // It may hold secrets, which are in the form now.
      setText('')
    },
  })
  const read = (pasted: string) => pasted.trim() !== '' && mutate(pasted)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <Field
        id="paste"
        label="Paste anything"
        hint="JSON of a client, an npx or docker line, curl, a URL, an install link, a .env file. It fills the form; nothing runs."
      >
        <TextArea
          {...describe('paste')}
          mono
          rows={2}
          value={text}
          placeholder="npx -y @modelcontextprotocol/server-filesystem /srv/docs"
          onChange={(event) => setText(event.target.value)}
          onPaste={(event) => {
            if (text !== '') return
            event.preventDefault()
            const pasted = event.clipboardData.getData('text')
            setText(pasted)
            read(pasted)
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            read(text)
          }}
        />
      </Field>
      <div className="flex flex-wrap items-center gap-2" aria-live="polite">
        {text.trim() !== '' && (
          <Button size="sm" pending={isPending} onClick={() => read(text)}>
            <ClipboardPaste aria-hidden />
            Fill the form
          </Button>
        )}
        {data !== undefined && !isPending && <span className="text-sm text-ink-2">{describeReport(data)}</span>}
      </div>
      {error !== null && <Failure title="This could not be read." error={error} />}
      {data?.notes.map((note) => (
        <p key={note} className="text-sm text-ink-2">
          {note}
        </p>
      ))}
      {data !== undefined && data.connectors.length > 1 && <Found connectors={data.connectors} onFill={onFill} />}
    </div>
  )
}

function describeReport({ connectors, env }: PasteReport): string {
  if (connectors.length > 1)
    return `Found ${count(connectors.length, 'server')}. Choose one for the form, or add them all.`
  if (connectors.length === 1) return `Filled in ${connectors[0]!.name}. Look it over, then save.`
  return env.length > 0 ? `Added ${count(env.length, 'variable')} to the form.` : 'There is no server in this text.'
}

function Found({
  connectors,
  onFill,
}: {
  connectors: readonly ConnectorDraft[]
  onFill: (found: ConnectorDraft) => void
}) {
  const hasSecrets = connectors.some((found) => findSecrets(found).some(({ isSealed }) => !isSealed))
  const [areStored, setStored] = useState(hasSecrets)
  const { mutate, data, isPending } = useChange({
    send: () => addFound(connectors, areStored),
    topics: ['connectors', 'catalog', 'secrets'],
    done: ({ added }) => `Added ${count(added.length, 'connector')}`,
  })
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <ul aria-label="Found servers" className="divide-y divide-line rounded-md border border-line bg-surface">
        {connectors.map((found) => (
          <li key={found.name} className="flex items-center gap-2 px-3 py-1.5">
            <span className="grid min-w-0 flex-1">
              <span className="font-medium">{found.name}</span>
              <span className="truncate font-mono text-sm text-ink-3">{maskedPlace(found)}</span>
            </span>
            <Button size="sm" variant="ghost" aria-label={`Use this: ${found.name}`} onClick={() => onFill(found)}>
              Use this
            </Button>
          </li>
        ))}
      </ul>
      {hasSecrets && (
        <Check
          checked={areStored}
          onChange={setStored}
          label="Store what looks like a secret by name, and refer to it"
        />
      )}
      <Button size="sm" className="justify-self-start" pending={isPending} onClick={() => !isPending && mutate()}>
        Add all {connectors.length}
      </Button>
      {data !== undefined && data.added.length > 0 && (
        <p className="text-sm">
          Added {data.added.join(', ')}.{' '}
          <Link to="/connectors" className="underline">
            See them all
          </Link>
        </p>
      )}
      {data?.failed.map(({ name, reason }) => (
        <Failure key={name} title={`${name} was not added.`} error={reason} />
      ))}
    </div>
  )
}
