import type { ConnectorDraft } from '@herma/contract'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { addFound, type AddOutcome } from '../connector/add-found.ts'
import { isLeftOpen } from '../connector/is-left-open.ts'
import { setPendingDraft } from '../connector/pending-draft.ts'
import { Button } from '../ui/button.tsx'
import { Field, describe, TextArea } from '../ui/form/field.tsx'
import { count } from '../ui/format.ts'
import { announce } from '../ui/overlay/toasts.tsx'
import { Failure } from '../ui/page/page-state.tsx'

interface Outcome extends AddOutcome {
  readonly notes: readonly string[]
}

/** Whatever a person has at hand becomes connectors. What lacks a value goes to the form instead. */
export function PasteServers() {
  const [text, setText] = useState('')
  const navigate = useNavigate()
  const add = useMutation({
    mutationFn: async (): Promise<Outcome | null> => {
      const { connectors, notes, warnings } = await api.parsePaste({ body: { text } })
      if (connectors.length === 0)
        throw new Error('There is no server in this text. Paste a configuration, a command or a URL.')
      const [only] = connectors
      if (connectors.length === 1 && only !== undefined && (lacksValues(only) || warnings.length > 0)) {
        setPendingDraft(only)
        await navigate({ to: '/connectors/new' })
        return null
      }
      const stored = warnings.length > 0 ? ['What looks like a secret was stored by name: see Settings, Secrets.'] : []
      return { ...(await addFound(connectors, warnings.length > 0)), notes: [...notes, ...stored] }
    },
    onSuccess: (outcome) => {
      if (outcome === null || outcome.added.length === 0) return
      announce(`Added ${count(outcome.added.length, 'connector')}`, outcome.added.join(', '))
      if (outcome.failed.length === 0) setText('')
      void queryClient.invalidateQueries()
    },
  })
  return (
    <form
      className="grid grid-cols-[minmax(0,1fr)] gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate()
      }}
    >
      <Field
        id="paste"
        label="Paste anything"
        hint="The JSON of a client, an npx line, a curl command or a URL. What needs a key opens in a form first."
      >
        <TextArea
          {...describe('paste')}
          mono
          rows={5}
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder={'npx -y @modelcontextprotocol/server-everything'}
        />
      </Field>
      <Button type="submit" variant="primary" className="justify-self-start" pending={add.isPending}>
        Add
      </Button>
      {add.error !== null && <Failure title="Nothing was added." error={add.error} />}
      {add.data?.failed.map(({ name, reason }) => (
        <Failure key={name} title={`'${name}' was not added.`} error={reason} />
      ))}
      {add.data?.notes.map((note) => (
        <p key={note} className="text-sm text-ink-2">
          {note}
        </p>
      ))}
    </form>
  )
}

function lacksValues({ headers, env, args }: ConnectorDraft): boolean {
  return args.some(isLeftOpen) || [...headers, ...env].some(({ value }) => value === undefined || value === '')
}
