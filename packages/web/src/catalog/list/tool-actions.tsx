import type { CatalogTool } from '@herma/contract'
import { Eye, EyeOff, ShieldCheck, Tag } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../../api/use-change.ts'
import { Button } from '../../ui/button.tsx'
import { count } from '../../ui/format.ts'
import { ActionBar } from '../../ui/page/action-bar.tsx'
import { Failure } from '../../ui/page/page-state.tsx'
import { ApproveDialog } from '../drift/approve-dialog.tsx'
import { hideTools, showTools } from './change-tools.ts'
import { TagDialog } from './tag-dialog.tsx'

/** What can be done with the tools that are selected. */
export function ToolActions({ tools, onClear }: { tools: readonly CatalogTool[]; onClear: () => void }) {
  const [dialog, setDialog] = useState<'tag' | 'approve' | null>(null)
  const visible = tools.filter(({ hiddenBecause }) => hiddenBecause === null)
  const waiting = tools.filter(({ pin }) => pin === 'pending' || pin === 'blocked')
  // What waits for approval is hidden for that alone; showing it would not help.
  const hidden = tools.filter(({ hiddenBecause, pin }) => hiddenBecause !== null && pin !== 'blocked')
  const hide = useChange({
    send: () => hideTools(visible),
    topics: ['catalog', 'servers'],
    done: () => `${count(visible.length, 'tool')} hidden from clients.`,
    onDone: onClear,
  })
  const show = useChange({
    send: () => showTools(hidden),
    topics: ['catalog', 'servers'],
    done: () => `${count(hidden.length, 'tool')} shown to clients.`,
    onDone: onClear,
  })
  const error = hide.error ?? show.error
  return (
    <>
      {error !== null && <Failure title="The tools were not changed." error={error} />}
      <ActionBar status={`${count(tools.length, 'tool')} selected`}>
        {visible.length > 0 && (
          <Button pending={hide.isPending} onClick={() => hide.mutate()}>
            <EyeOff aria-hidden />
            Hide {visible.length < tools.length && visible.length}
          </Button>
        )}
        {hidden.length > 0 && (
          <Button pending={show.isPending} onClick={() => show.mutate()}>
            <Eye aria-hidden />
            Show {hidden.length < tools.length && hidden.length}
          </Button>
        )}
        <Button onClick={() => setDialog('tag')}>
          <Tag aria-hidden />
          Tag
        </Button>
        {waiting.length > 0 && (
          <Button onClick={() => setDialog('approve')}>
            <ShieldCheck aria-hidden />
            Review {waiting.length < tools.length && waiting.length}
          </Button>
        )}
        <Button variant="ghost" onClick={onClear}>
          Clear
        </Button>
      </ActionBar>
      {dialog === 'tag' && <TagDialog tools={tools} onClose={() => setDialog(null)} onDone={onClear} />}
      {dialog === 'approve' && (
        <ApproveDialog
          places={waiting.map(({ connector, originalName }) => ({ connector, tool: originalName }))}
          onClose={() => setDialog(null)}
        />
      )}
    </>
  )
}
