import type { ConnectorDraft, PasteReport } from '@herma/contract'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { api } from '../api/client.ts'
import { useMay } from '../api/me.ts'
import { maskedPlace } from '../connector/masked-place.ts'
import { setPendingDraft } from '../connector/pending-draft.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { describe, Field, TextArea } from '../ui/form/field.tsx'
import { Failure } from '../ui/page/page-state.tsx'
import { Row, Rows } from '../ui/rows.tsx'

const kinds: Record<PasteReport['kind'], string> = {
  json: 'JSON',
  toml: 'TOML',
  command: 'a command',
  curl: 'curl',
  url: 'an address',
  env: 'variables',
  link: 'an install link',
}

/** Whatever a person has at hand becomes the form of a connector. Nothing is stored or run by reading it. */
export function PasteTab() {
  const [text, setText] = useState('')
  const mayAdd = useMay('admin')
  const navigate = useNavigate()
  const read = useMutation({
    mutationFn: () => api.parsePaste({ body: { text } }),
    onSuccess: ({ connectors: [only, ...others], notes }) => {
      if (only !== undefined && others.length === 0 && notes.length === 0) edit(only)
    },
  })
  function edit(draft: ConnectorDraft) {
    setPendingDraft(draft)
    void navigate({ to: '/connectors/new' })
  }
  function submit(event: FormEvent) {
    event.preventDefault()
    if (text.trim() === '') document.getElementById('paste')?.focus()
    else read.mutate()
  }
  if (!mayAdd) return <p className="pt-4 text-ink-2">Only an admin can add connectors.</p>
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 pt-4">
      <form onSubmit={submit} className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <Field
          id="paste"
          label="Paste anything"
          hint="The configuration of a client, an npx, uvx or docker line, claude mcp add, a curl command, an install link or a URL. Nothing is stored or run."
        >
          <TextArea
            {...describe('paste')}
            mono
            rows={8}
            value={text}
            onChange={(event) => setText(event.target.value)}
            placeholder="npx -y @modelcontextprotocol/server-everything"
          />
        </Field>
        <Button type="submit" variant="primary" className="justify-self-start" pending={read.isPending}>
          Read it
        </Button>
      </form>
      <output className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {read.error !== null && <Failure title="It could not be read." error={read.error} />}
        {read.data !== undefined && <Found report={read.data} onEdit={edit} />}
      </output>
    </div>
  )
}

function Found({
  report: { kind, connectors, env, notes, warnings },
  onEdit,
}: {
  report: PasteReport
  onEdit: (draft: ConnectorDraft) => void
}) {
  return (
    <>
      <p className="text-ink-2">Read as {kinds[kind]}.</p>
      {notes.map((note) => (
        <p key={note} className="text-ink-2">
          {note}
        </p>
      ))}
      {warnings.length > 0 && (
        <p className="rounded-md bg-warn-soft px-2.5 py-1.5">
          Some of it looks like secrets. Open it in the form and store them there.
        </p>
      )}
      {env.length > 0 && (
        <p className="text-ink-2">
          These are variables: {env.map(({ name }) => name).join(', ')}. Open a connector and paste them into a name
          under Env.
        </p>
      )}
      {connectors.length > 0 && (
        <Rows label="What was found" className="rounded-lg border border-line bg-surface shadow-card">
          {connectors.map((draft) => (
            <Row
              key={draft.name}
              title={draft.name}
              badges={<Badge>{draft.transport}</Badge>}
              detail={<code className="font-mono">{maskedPlace(draft)}</code>}
              actions={
                <Button size="sm" aria-label={`Open in the form: ${draft.name}`} onClick={() => onEdit(draft)}>
                  Open in the form
                </Button>
              }
            />
          ))}
        </Rows>
      )}
    </>
  )
}
