import { useSortable } from '@dnd-kit/sortable'
import type { TeamMemberPatch, TeamMemberView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowDown, ArrowUp, GripVertical, Trash2 } from 'lucide-react'
import { useId, useState, type KeyboardEvent, type ReactNode } from 'react'
import { api } from '../../api/client.ts'
import { IconButton } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Input } from '../../ui/form/field.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { count, formatMs } from '../../ui/format.ts'
import { StatusDot } from '../../ui/status-dot.tsx'
import { describeMember } from './describe-member.ts'
import { RoleInput } from './role-input.tsx'

interface MemberRowProps {
  readonly member: TeamMemberView
  readonly place: number
  readonly total: number
  readonly mayChange: boolean
  /** Whether figures of its calls are asked for. */
  readonly hasFigures: boolean
  readonly onMove: (by: -1 | 1, part: 'handle' | 'up' | 'down') => void
  readonly onChange: (patch: TeamMemberPatch, done: string) => void
  readonly onRemove: () => void
}

/** One member of a team: where it stands, what it is there for, and how it is. */
export function MemberRow(props: MemberRowProps) {
  const { member, place, total, mayChange, hasFigures, onMove, onChange, onRemove } = props
  const { session } = member
  const sortable = useSortable({ id: session, disabled: !mayChange })
  const { transform, transition, isDragging, attributes, listeners, setNodeRef, setActivatorNodeRef } = sortable
  const style = transform === null ? undefined : { transform: `translate(0, ${transform.y}px)`, transition }
  function onKeyDown(event: KeyboardEvent) {
    const by = event.altKey ? ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key] : undefined
    if (by === undefined) return listeners?.['onKeyDown']?.(event)
    event.preventDefault()
    onMove(by, 'handle')
  }
  return (
    <li
      ref={setNodeRef}
      style={style}
      className={cn(
        'grid grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-x-3 gap-y-2 bg-surface px-2 py-2.5 sm:px-3 xl:grid-cols-[auto_minmax(9rem,1.2fr)_8rem_5rem_6rem_minmax(8rem,1.4fr)_auto] xl:items-center',
        isDragging && 'relative z-10 shadow-pop',
      )}
    >
      <div className="flex items-center">
        {mayChange && (
          <button
            type="button"
            id={`member-${session}-handle`}
            ref={setActivatorNodeRef}
            {...attributes}
            {...listeners}
            onKeyDown={onKeyDown}
            aria-label={`Move ${session}, ${place} of ${total}`}
            aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
            className="grid size-7 cursor-grab touch-none place-items-center rounded-md text-ink-3 hover:text-ink pointer-coarse:size-11"
          >
            <GripVertical className="size-4" aria-hidden />
          </button>
        )}
        <span className="tnum w-5 text-right text-ink-3">{place}</span>
      </div>
      <div className="min-w-0">
        <Link to="/sessions/$name" params={{ name: session }} className="rounded-sm font-medium hover:underline">
          {session}
        </Link>
        <p className="truncate text-sm text-ink-3">
          {member.provider === null
            ? 'The session is gone'
            : [member.provider, member.model].filter(Boolean).join(' · ')}
        </p>
      </div>
      <Actions {...props} onRemove={onRemove} className="xl:order-last" />
      <div className="col-span-full grid grid-cols-3 gap-2 xl:contents">
        <Labelled label="Role">
          <RoleInput
            label={`Role of ${session}`}
            value={member.role}
            disabled={!mayChange}
            onCommit={(role) => onChange({ role }, `${session} is there for ${role} now`)}
          />
        </Labelled>
        <Labelled label="Priority">
          <Figure
            label={`Priority of ${session}`}
            value={member.priority}
            max={1000}
            disabled={!mayChange}
            onCommit={(priority) =>
              priority !== null && onChange({ priority }, `${session} has priority ${priority} now`)
            }
          />
        </Labelled>
        <Labelled label="At once">
          <Figure
            label={`Calls at once of ${session}`}
            value={member.maxConcurrency}
            placeholder="as team"
            max={256}
            disabled={!mayChange}
            onCommit={(maxConcurrency) =>
              onChange({ maxConcurrency }, `${session} takes ${maxConcurrency ?? 'as many as the team'} at once now`)
            }
          />
        </Labelled>
      </div>
      <div className="col-span-full min-w-0 xl:col-span-1">
        <MemberHealth member={member} hasFigures={hasFigures} />
      </div>
    </li>
  )
}

function Actions({
  member,
  place,
  total,
  mayChange,
  onMove,
  onChange,
  onRemove,
  className,
}: MemberRowProps & { className: string }) {
  const { session } = member
  return (
    <div className={cn('flex items-center', className)}>
      <Switch
        isLabelHidden
        label={`${session} is enabled in this team`}
        checked={member.enabled}
        disabled={!mayChange}
        onChange={(enabled) => onChange({ enabled }, `${session} is ${enabled ? 'enabled' : 'disabled'} in this team`)}
      />
      {mayChange && (
        <>
          <IconButton
            id={`member-${session}-up`}
            label={`Move ${session} up`}
            aria-disabled={place === 1}
            onClick={() => onMove(-1, 'up')}
          >
            <ArrowUp aria-hidden />
          </IconButton>
          <IconButton
            id={`member-${session}-down`}
            label={`Move ${session} down`}
            aria-disabled={place === total}
            onClick={() => onMove(1, 'down')}
          >
            <ArrowDown aria-hidden />
          </IconButton>
          <IconButton label={`Remove ${session} from the team`} onClick={onRemove}>
            <Trash2 aria-hidden />
          </IconButton>
        </>
      )}
    </div>
  )
}

function Labelled({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <p aria-hidden className="text-xs text-ink-3">
        {label}
      </p>
      {children}
    </div>
  )
}

interface FigureProps {
  readonly label: string
  readonly value: number | null
  readonly max: number
  readonly placeholder?: string
  readonly disabled: boolean
  readonly onCommit: (value: number | null) => void
}

/** A number that is taken over when it is left or Enter is pressed. */
function Figure({ label, value, max, onCommit, ...rest }: FigureProps) {
  const id = useId()
  const [text, setText] = useState<string | null>(null)
  const next = text === '' ? null : Number(text)
  const isFit =
    text === null ||
    (next === null ? rest.placeholder !== undefined : Number.isInteger(next) && next >= 1 && next <= max)
  function commit() {
    if (text === null || !isFit) return
    setText(null)
    if (next !== value) onCommit(next)
  }
  return (
    <>
      <Input
        {...rest}
        type="number"
        min={1}
        max={max}
        aria-label={label}
        aria-invalid={isFit ? undefined : true}
        aria-describedby={isFit ? undefined : id}
        value={text ?? value ?? ''}
        onChange={(event) => setText(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => event.key === 'Enter' && commit()}
        className="tnum"
      />
      {!isFit && (
        <p id={id} className="text-sm text-bad">
          Use 1 to {max}.
        </p>
      )}
    </>
  )
}

const figuresMs = 30_000

function MemberHealth({
  member: { session, health, running, enabled },
  hasFigures,
}: {
  member: TeamMemberView
  hasFigures: boolean
}) {
  const latencies = useQuery({
    queryKey: ['latencies', 'session', session],
    queryFn: ({ signal }) => api.getLatencies({ session, minutes: 60 }, { signal }),
    enabled: hasFigures,
    refetchInterval: figuresMs,
  }).data
  const { tone, text } = describeMember(health, enabled)
  const figures = [
    health?.latencyMs == null ? null : `${formatMs(health.latencyMs)} lately`,
    latencies?.total.p95 == null ? null : `p95 ${formatMs(latencies.total.p95)}`,
    (health?.failures ?? 0) > 0 ? `${count(health!.failures, 'failure')} in a row` : null,
    running > 0 ? `${count(running, 'call')} now` : null,
  ].filter((figure) => figure !== null)
  return (
    <>
      <StatusDot tone={tone}>{text}</StatusDot>
      {figures.length > 0 && <p className="tnum pl-4 text-sm text-ink-3">{figures.join(', ')}</p>}
    </>
  )
}
