import type { ThreadView } from '@herma/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MoreHorizontal, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Input } from '../../ui/form/field.tsx'
import { count, formatAgo } from '../../ui/format.ts'
import { Menu } from '../../ui/overlay/menu.tsx'
import { Failure, Loading } from '../../ui/page/page-state.tsx'
import { formatCost } from '../format-cost.ts'
import { threadsQuery } from '../threads-query.ts'
import { DeleteThread, RenameThread } from './thread-dialogs.tsx'

interface ThreadListProps {
  readonly session: string
  readonly open: string | undefined
  readonly mayTalk: boolean
  readonly onOpen: (thread: string | undefined) => void
  /** One of the list was opened. */
  readonly onPick: () => void
}

/** Your threads with a session: begin one, find one, rename, delete. */
export function ThreadList({ session, open, mayTalk, onOpen, onPick }: ThreadListProps) {
  const query = useInfiniteQuery(threadsQuery(session))
  const [text, setText] = useState('')
  const [acted, setActed] = useState<{ readonly thread: ThreadView; readonly what: 'rename' | 'delete' } | null>(null)
  const all = query.data?.pages.flatMap(({ threads }) => threads) ?? []
  const wanted = text.trim().toLowerCase()
  const shown = all.filter(({ title }) => title.toLowerCase().includes(wanted))
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      {mayTalk && (
        <Button onClick={() => onOpen(undefined)} className="shrink-0 justify-start">
          <Plus aria-hidden />
          New thread
        </Button>
      )}
      <Input
        data-filter
        type="search"
        aria-label="Search threads"
        placeholder="Search threads"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {query.data === undefined && query.error === null && <Loading what="your threads" />}
      {query.error !== null && query.data === undefined && (
        <Failure title="Cannot show your threads." error={query.error} onRetry={() => void query.refetch()} />
      )}
      <ul aria-label="Threads" className="-mx-1 grid min-h-0 content-start gap-0.5 overflow-y-auto px-1 pb-3">
        {shown.map((thread) => (
          <Entry
            key={thread.id}
            thread={thread}
            isOpen={thread.id === open}
            mayTalk={mayTalk}
            onPick={onPick}
            onAct={(what) => setActed({ thread, what })}
          />
        ))}
        {query.data !== undefined && shown.length === 0 && (
          <li className="px-2 py-1 text-sm text-ink-3">
            {all.length === 0 ? 'What you talk about is kept here.' : 'No thread has these words in its title.'}
          </li>
        )}
        {query.hasNextPage && (
          <li>
            <Button size="sm" pending={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {wanted === '' ? 'Show older threads' : 'Search in older threads too'}
            </Button>
          </li>
        )}
      </ul>
      {acted?.what === 'rename' && <RenameThread thread={acted.thread} onClose={() => setActed(null)} />}
      {acted?.what === 'delete' && (
        <DeleteThread
          thread={acted.thread}
          onClose={() => setActed(null)}
          onDeleted={() => {
            if (acted.thread.id === open) onOpen(undefined)
          }}
        />
      )}
    </div>
  )
}

interface EntryProps {
  readonly thread: ThreadView
  readonly isOpen: boolean
  readonly mayTalk: boolean
  readonly onAct: (what: 'rename' | 'delete') => void
  readonly onPick: () => void
}

function Entry({ thread, isOpen, mayTalk, onAct, onPick }: EntryProps) {
  const title = thread.title || 'New thread'
  const figures = [
    formatAgo(thread.updatedAt),
    ...(thread.usage.totalTokens === 0 ? [] : [count(thread.usage.totalTokens, 'token')]),
    ...(thread.costUsd === null ? [] : [formatCost(thread.costUsd)]),
  ]
  return (
    <li className={cn('flex items-center rounded-md hover:bg-well', isOpen && 'bg-accent-soft hover:bg-accent-soft')}>
      <Link
        to="/sessions/$name"
        params={{ name: thread.session }}
        search={{ thread: thread.id }}
        aria-current={isOpen ? 'page' : undefined}
        onClick={onPick}
        className="grid min-w-0 flex-1 rounded-md px-2 py-1.5"
      >
        <span className={cn('truncate', isOpen && 'font-medium text-accent-text')}>{title}</span>
        <span className="tnum truncate text-sm text-ink-3">{thread.isRunning ? 'At work…' : figures.join(' · ')}</span>
      </Link>
      {mayTalk && (
        <Menu
          label={`Actions of ${title}`}
          items={[
            {
              label: (
                <>
                  <Pencil aria-hidden /> Rename
                </>
              ),
              onSelect: () => onAct('rename'),
            },
            {
              label: (
                <>
                  <Trash2 aria-hidden /> Delete
                </>
              ),
              onSelect: () => onAct('delete'),
              isDanger: true,
            },
          ]}
        >
          <MoreHorizontal aria-hidden />
        </Menu>
      )}
    </li>
  )
}
