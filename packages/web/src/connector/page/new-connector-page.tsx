import type { ConnectorView, PasteReport } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../api/me.ts'
import { mergeRows } from '../../ui/list-editor/value-row.ts'
import { announce } from '../../ui/overlay/toasts.tsx'
import { Loaded } from '../../ui/page/page-state.tsx'
import { Page } from '../../ui/page/page.tsx'
import { connectorQuery } from '../connectors-query.ts'
import { draftOfCopy, draftOfFound, emptyDraft, type ConnectorDraft } from '../form/draft/connector-draft.ts'
import { useConnectorForm } from '../form/use-connector-form.ts'
import { takePendingDraft } from '../pending-draft.ts'
import { ConnectorEditor } from './connector-editor.tsx'
import { PastePanel } from './paste-panel.tsx'
import { PresetList } from './preset-list.tsx'

/** A new connector: from a text, a preset, a copy, or by hand. */
export default function NewConnectorPage() {
  const { copy } = useSearch({ from: '/connectors/new' })
  const mayAdd = useMay('admin')
  return (
    <Page
      title="New connector"
      hint="A server whose tools you want to use through Herma."
      above={[{ label: 'Connectors', to: '/connectors' }]}
    >
      {mayAdd ? copy === undefined ? <NewForm start={emptyDraft} /> : <CopyForm name={copy} /> : <NotAllowed />}
    </Page>
  )
}

function NotAllowed() {
  return <p className="text-ink-2">Only admins add connectors. Ask somebody who manages this hub.</p>
}

function CopyForm({ name }: { name: string }) {
  const query = useQuery(connectorQuery(name))
  return (
    <Loaded query={query} what={name}>
      {(view) => <NewForm start={draftOfCopy(view)} />}
    </Loaded>
  )
}

function NewForm({ start }: { start: ConnectorDraft }) {
  const navigate = useNavigate()
  const [pending] = useState(takePendingDraft)
  // A form that begins with something was changed already.
  const form = useConnectorForm(emptyDraft)
  const [isFilled, setFilled] = useState(false)
  if (!isFilled) {
    setFilled(true)
    if (pending !== null) form.change(draftOfFound(pending))
    else if (start !== emptyDraft) form.change(start)
  }
  const fill = (draft: ConnectorDraft) => {
    form.change(draft)
    requestAnimationFrame(() => document.getElementById('name')?.focus())
  }
  const addVariables = (variables: PasteReport['env']) => {
    const { env, baseUrl } = form.draft
    const rows = variables.map(({ name, value = '' }) => ({ name, value }))
    // Variables are those of a program, unless the form is about an address already.
    form.change({ env: mergeRows(env, env.length, rows), ...(baseUrl === '' && { transport: 'stdio' }) })
    requestAnimationFrame(() => document.getElementById('env')?.focus())
  }
  const onSaved = ({ name }: ConnectorView) => {
    announce(`${name} is saved`)
    // Nothing is left unsaved, but the guard hears of it only with the next paint.
    void navigate({ to: '/connectors/$name', params: { name }, search: { isNew: true }, ignoreBlocker: true })
  }
  return (
    <ConnectorEditor form={form} stored={null} onSaved={onSaved} onCancel={() => void navigate({ to: '/connectors' })}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <PastePanel onFill={(found) => fill(draftOfFound(found, form.draft))} onEnv={addVariables} />
        <PresetList onChoose={fill} />
      </div>
    </ConnectorEditor>
  )
}
