import type { FileNote, FragmentContent, FragmentView, ToolSelector, View } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { fragmentsQuery, viewsQuery } from '../../api/queries.ts'
import { useChange } from '../../api/use-change.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { count } from '../../ui/format.ts'
import { Failure, Loaded } from '../../ui/page/page-state.tsx'
import { Row, Rows } from '../../ui/rows.tsx'

/** The files that the catalog is made of, and the views that they bring. */
export function FragmentsTab() {
  const mayReload = useMay('admin')
  const reload = useChange({
    send: () => api.reloadFragments(),
    topics: ['catalog'],
    done: () => 'The files were read again.',
  })
  const actions = mayReload && (
    <Button size="sm" pending={reload.isPending} onClick={() => reload.mutate()}>
      <RefreshCw aria-hidden />
      Read again
    </Button>
  )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5 pt-4">
      <Card
        title="Files"
        hint="In the order in which they count: a later one wins. They lie in the config home and are watched."
        actions={actions}
      >
        {reload.error !== null && (
          <div className="p-4">
            <Failure title="The files were not read." error={reload.error} />
          </div>
        )}
        <Loaded query={useQuery(fragmentsQuery)} what="the files">
          {(fragments) => (
            <Rows label="Files of the catalog">
              {fragments.map((fragment) => (
                <File key={fragment.file} fragment={fragment} />
              ))}
            </Rows>
          )}
        </Loaded>
      </Card>
      <Card title="Views" hint="What a server or a client sees of the catalog. Files bring them.">
        <Loaded query={useQuery(viewsQuery)} what="the views">
          {(views) => <Views views={views} />}
        </Loaded>
      </Card>
    </div>
  )
}

const kinds: Record<FragmentView['kind'], string> = {
  defaults: 'Built in: what composites do unless they say otherwise',
  bundle: 'Bundle',
  catalog: 'Catalog file',
  'custom-tools': 'Custom tools',
  database: 'By hand, in these pages or the CLI',
}

function File({ fragment }: { fragment: FragmentView }) {
  const { file, kind, name, isEnabled, errors, differences, content } = fragment
  const isBroken = errors.length > 0
  return (
    <Row
      title={<span className="font-mono text-sm">{file}</span>}
      badges={isBroken && <Badge tone="bad">{isEnabled ? 'Partly used' : 'Not used'}</Badge>}
      detail={
        <>
          {kinds[kind]}
          {name !== kind && !file.includes(name) && `, ${name}`}
          {kind !== 'defaults' && content !== undefined && !isBroken && `: ${describeContent(content)}`}
        </>
      }
    >
      {isBroken && (
        <ul
          className="grid grid-cols-[minmax(0,1fr)] gap-1 rounded-md bg-bad-soft px-3 py-2"
          aria-label={`Errors of ${file}`}
        >
          {errors.map((note, index) => (
            <Note key={index} note={note} />
          ))}
          <li className="text-sm text-ink-2">
            {isEnabled
              ? 'The rest of the file is in use.'
              : 'Nothing of this file is in use. Mend it and save; it is read at once.'}
          </li>
        </ul>
      )}
      {differences.length > 0 && (
        <details className="text-sm">
          <summary className="text-ink-2">{count(differences.length, 'note')}</summary>
          <ul className="mt-1 grid grid-cols-[minmax(0,1fr)] gap-1">
            {differences.map((note, index) => (
              <Note key={index} note={note} />
            ))}
          </ul>
        </details>
      )}
    </Row>
  )
}

function Note({ note: { line, column, path, message } }: { note: FileNote }) {
  return (
    <li className="text-sm [overflow-wrap:anywhere]">
      {line !== null && (
        <strong className="tnum font-medium">
          Line {line}
          {column !== null && `, column ${column}`}:{' '}
        </strong>
      )}
      {path !== '' && <code className="font-mono">{path}: </code>}
      {message}
    </li>
  )
}

function Views({ views }: { views: readonly View[] }) {
  if (views.length === 0)
    return (
      <p className="p-4 text-ink-2">
        There are none: everybody sees the whole catalog. A file adds them with <code className="font-mono">views</code>
        .
      </p>
    )
  return (
    <Rows label="Views">
      {views.map((view) => (
        <Row
          key={view.name}
          title={view.name}
          badges={view.mode !== undefined && <Badge>{view.mode} mode</Badge>}
          detail={
            <>
              {view.description} {describeView(view)}
            </>
          }
        />
      ))}
    </Rows>
  )
}

/** What a file brings: 3 overrides, 1 aggregate. */
function describeContent(content: FragmentContent): string {
  const parts = [
    [content.overrides, 'override'],
    [content.hidden, 'hidden tool'],
    [content.aggregates, 'aggregate'],
    [content.pipelines, 'pipeline'],
    [content.customTools, 'custom tool'],
    [content.views, 'view'],
  ] as const
  const given = parts.filter(([number]) => number > 0).map(([number, noun]) => count(number, noun))
  return given.length === 0 ? 'nothing' : given.join(', ')
}

/** What a view shows, and to whom. */
function describeView({ include, exclude, for: whom }: View): string {
  const shows = include.length === 0 ? 'all tools' : include.map(describeSelector).join(' or ')
  const without = exclude.length === 0 ? '' : `, without ${exclude.map(describeSelector).join(' or ')}`
  const parts = Object.entries(whom ?? {}).map(([kind, names]) => `${kind} ${names.join(', ')}`)
  return `Shows ${shows}${without}. For ${parts.length === 0 ? 'servers that name it' : parts.join(' and ')}.`
}

function describeSelector(selector: ToolSelector): string {
  const parts = Object.entries(selector).map(([field, value]) => `${field} ${String(value)}`)
  return parts.length === 0 ? 'all tools' : parts.join(', ')
}
