import type { CompositeView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useMay } from '../../api/me.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { count } from '../../ui/format.ts'
import { Empty, Loaded } from '../../ui/page/page-state.tsx'
import { useRowKeys } from '../../ui/page/use-row-keys.ts'
import { Row, Rows } from '../../ui/rows.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { compositesQuery } from '../catalog-queries.ts'
import { useCatalogSearch } from '../catalog-search.ts'
import { listOf, startDraft, textOf, toDraft } from './composite-draft.ts'
import { CompositeEditor } from './composite-editor.tsx'

/** Tools that are made of other tools: one over many, or steps one after the other. */
export function CompositesTab() {
  const [{ composite }] = useCatalogSearch()
  const query = useQuery(compositesQuery)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 pt-4">
      <Loaded query={query} what="the composites">
        {(composites) =>
          composite === undefined ? <List composites={composites} /> : <Open {...{ composite, composites }} />
        }
      </Loaded>
    </div>
  )
}

function Open({ composite, composites }: { composite: string; composites: readonly CompositeView[] }) {
  const [, change] = useCatalogSearch()
  const close = () => change({ composite: undefined })
  const kind = composite === 'new-aggregate' ? 'aggregate' : composite === 'new-pipeline' ? 'pipeline' : undefined
  if (kind !== undefined)
    return <CompositeEditor key={composite} kind={kind} initial={startDraft(kind)} saved={null} onClose={close} />
  const found = composites.find(({ name }) => name === composite)
  if (found === undefined)
    return (
      <Empty
        title={`There is no composite named ${composite}.`}
        actions={<Button onClick={close}>All composites</Button>}
      />
    )
  return (
    <CompositeEditor
      key={composite}
      kind={found.kind}
      initial={toDraft(found.definition)}
      saved={found}
      onClose={close}
    />
  )
}

function List({ composites }: { composites: readonly CompositeView[] }) {
  const [, change] = useCatalogSearch()
  const mayChange = useMay('admin')
  useRowKeys()
  const actions = mayChange && (
    <>
      <Button size="sm" onClick={() => change({ composite: 'new-aggregate' })}>
        <Plus aria-hidden />
        Aggregate
      </Button>
      <Button size="sm" onClick={() => change({ composite: 'new-pipeline' })}>
        <Plus aria-hidden />
        Pipeline
      </Button>
    </>
  )
  if (composites.length === 0)
    return (
      <Empty title="Make one tool of many." actions={actions}>
        <p>
          An aggregate is one tool over several: a word says which of them is called. A pipeline calls tools one after
          the other, and a later step can use what an earlier one answered.
        </p>
      </Empty>
    )
  return (
    <Card
      title="Composites"
      hint="Tools that are made of other tools. Clients see them like any other."
      actions={actions}
    >
      <Rows label="Composites">
        {composites.map((composite) => (
          <Row
            key={composite.name}
            title={
              <Link
                to="/catalog"
                search={{ tab: 'composites', composite: composite.name }}
                data-row
                className="font-mono text-sm hover:underline"
              >
                {composite.name}
              </Link>
            }
            badges={
              <>
                <Badge>{composite.kind === 'aggregate' ? 'Aggregate' : 'Pipeline'}</Badge>
                <span className="text-sm text-ink-3">{sizeOf(composite)}</span>
              </>
            }
            detail={textOf(composite.definition['description'])}
            actions={<span className="hidden text-sm text-ink-3 sm:inline">{composite.file}</span>}
          >
            {composite.problem !== null && <StatusDot tone="bad">Not offered: {composite.problem}</StatusDot>}
          </Row>
        ))}
      </Rows>
    </Card>
  )
}

function sizeOf({ kind, definition }: CompositeView): string {
  return kind === 'aggregate'
    ? count(listOf(definition['operations']).length, 'operation')
    : count(listOf(definition['steps']).length, 'step')
}
