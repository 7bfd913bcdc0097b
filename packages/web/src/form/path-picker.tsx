import type { FolderListing } from '@herma/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ArrowUp, File, FileTerminal, Folder, House } from 'lucide-react'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Input } from '../ui/form/field.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { Failure, Loading } from '../ui/page/page-state.tsx'

interface PathPickerProps {
  readonly kind: 'folder' | 'file'
  readonly label: string
  /** Where to begin; empty = home. A file begins in its folder. */
  readonly start: string
  readonly onClose: () => void
  readonly onPick: (path: string) => void
}

type Entry = FolderListing['entries'][number]

/** The folders of the hub's machine, to choose one of them or a file in one. */
export function PathPicker({ kind, label, start, onClose, onPick }: PathPickerProps) {
  const [path, setPath] = useState(kind === 'file' ? start.slice(0, Math.max(0, start.lastIndexOf('/'))) : start)
  const [filter, setFilter] = useState('')
  const query = useQuery({
    queryKey: ['browse', kind, path],
    queryFn: ({ signal }) => api.browseFolder({ kind, ...(path !== '' && { path }) }, { signal }),
    placeholderData: keepPreviousData,
    retry: false,
  })
  const { data, error } = query
  const open = (next: string) => {
    setPath(next)
    setFilter('')
  }
  const shown = data?.entries.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase())) ?? []
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      {kind === 'folder' && (
        <Button
          variant="primary"
          disabled={data === undefined || error !== null}
          onClick={() => data && onPick(data.path)}
        >
          Choose this folder
        </Button>
      )}
    </>
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Choose ${label}`}
      hint="On the machine where the hub runs."
      footer={footer}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2 p-4">
        <div className="flex flex-wrap items-center gap-2">
          <Button size="sm" disabled={!data?.parent} onClick={() => data?.parent && open(data.parent)}>
            <ArrowUp aria-hidden />
            Up
          </Button>
          <Button size="sm" onClick={() => open(data?.home ?? '')}>
            <House aria-hidden />
            Home
          </Button>
          <output className="min-w-0 font-mono text-sm [overflow-wrap:anywhere] text-ink-2">
            {data?.path ?? path}
          </output>
        </div>
        <Input
          aria-label="Filter this folder"
          placeholder="Filter"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        {error !== null && <Failure title="This folder cannot be shown." error={error} onRetry={() => open('')} />}
        {data === undefined && error === null && <Loading what="the folder" />}
        {data !== undefined && error === null && (
          <ul aria-label="Entries" className="h-72 overflow-y-auto rounded-md border border-line">
            {shown.map((entry) => (
              <EntryRow
                key={entry.path}
                entry={entry}
                onSelect={() => (entry.kind === 'folder' ? open(entry.path) : onPick(entry.path))}
              />
            ))}
            {shown.length === 0 && (
              <li className="px-3 py-2 text-ink-3">
                {filter === '' ? 'Nothing to choose in here.' : 'Nothing here has this in its name.'}
              </li>
            )}
            {!data.isWhole && (
              <li className="px-3 py-2 text-ink-3">There is more than can be shown. Type the path instead.</li>
            )}
          </ul>
        )}
      </div>
    </Dialog>
  )
}

function EntryRow({ entry, onSelect }: { entry: Entry; onSelect: () => void }) {
  const Sign = entry.kind === 'folder' ? Folder : entry.executable ? FileTerminal : File
  return (
    <li>
      <button
        type="button"
        onClick={onSelect}
        className="flex min-h-8 w-full items-center gap-2 px-3 text-left -outline-offset-2 hover:bg-well pointer-coarse:min-h-11"
      >
        <Sign className="size-4 shrink-0 text-ink-3" aria-hidden />
        <span className="min-w-0 truncate">{entry.name}</span>
        <span className="ml-auto text-xs text-ink-3">
          {entry.kind === 'folder' ? 'folder' : entry.executable ? 'program' : 'file'}
        </span>
      </button>
    </li>
  )
}
