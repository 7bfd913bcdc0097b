import {
  closestCenter,
  DndContext,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
  type Announcements,
  type ScreenReaderInstructions,
} from '@dnd-kit/core'
import { arrayMove, SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from '@dnd-kit/sortable'
import type { TeamMemberPatch, TeamView } from '@herma/contract'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { Card } from '../../ui/card.tsx'
import { Failure } from '../../ui/page/page-state.tsx'
import { AddMember } from './add-member.tsx'
import { MemberRow } from './member-row.tsx'

const topics = ['teams', 'servers', 'sessions']

/** The members of a team in the order in which they are asked. What is changed here holds at once. */
export function MembersCard({ team, mayChange }: { team: TeamView; mayChange: boolean }) {
  const { name: own } = team
  // The order that was asked for is shown until the hub tells what it has.
  const [wanted, setWanted] = useState<readonly string[] | null>(null)
  const focus = useRef<string | null>(null)
  useEffect(() => {
    if (focus.current !== null) document.getElementById(focus.current)?.focus()
    focus.current = null
  })
  const stored = team.members.toSorted((a, b) => a.priority - b.priority)
  const members =
    wanted === null ? stored : wanted.flatMap((name) => stored.find(({ session }) => session === name) ?? [])
  const names = members.map(({ session }) => session)
  const order = useChange({
    send: (sessions: string[]) => api.orderTeamMembers({ name: own, body: { sessions } }),
    topics,
  })
  const change = useChange({
    send: ({ session, patch }: { session: string; patch: TeamMemberPatch; done: string }) =>
      api.updateTeamMember({ name: own, session, body: patch }),
    topics,
    done: (_, { done }) => done,
  })
  const remove = useChange({
    send: (session: string) => api.removeTeamMember({ name: own, session }),
    topics,
    done: (_, session) => `${session} is no member any more`,
    onDone: () => document.getElementById('add-member')?.focus(),
  })
  const [spoken, setSpoken] = useState('')

  function move(from: number, to: number, part: string) {
    const name = names[from]
    if (name === undefined || to < 0 || to >= names.length || from === to) return
    const next = arrayMove(names, from, to)
    focus.current = `member-${name}-${part}`
    setWanted(next)
    setSpoken(`${name} is now ${to + 1} of ${names.length}.`)
    order.mutate(next, { onSettled: () => setWanted(null) })
  }
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )
  const problem = order.error ?? change.error ?? remove.error
  return (
    <Card title="Members" hint="Asked from the top. Changes of members hold at once.">
      {members.length === 0 && (
        <p className="px-4 py-4 text-ink-2">
          Nobody answers yet. Add a session and say what it is there for: code, test, search or planner.
        </p>
      )}
      <output className="sr-only">{spoken}</output>
      <DndContext
        sensors={sensors}
        collisionDetection={closestCenter}
        accessibility={speakOrder({
          noun: 'member',
          nameOf: String,
          placeOf: (name) => names.indexOf(String(name)) + 1,
          total: names.length,
        })}
        onDragEnd={({ active, over }) => {
          if (over !== null) move(names.indexOf(String(active.id)), names.indexOf(String(over.id)), 'handle')
        }}
      >
        <SortableContext items={names} strategy={verticalListSortingStrategy} disabled={!mayChange}>
          <ol aria-label="Members" className="divide-y divide-line">
            {members.map((member, index) => (
              <MemberRow
                key={member.session}
                member={
                  change.isPending && change.variables.session === member.session
                    ? { ...member, ...change.variables.patch }
                    : member
                }
                place={index + 1}
                total={members.length}
                mayChange={mayChange}
                hasFigures={members.length <= 20}
                onMove={(by, part) => move(index, index + by, part)}
                onChange={(patch, done) => change.mutate({ session: member.session, patch, done })}
                onRemove={() => remove.mutate(member.session)}
              />
            ))}
          </ol>
        </SortableContext>
      </DndContext>
      {problem !== null && (
        <div className="px-4 py-3">
          <Failure title="The team was not changed." error={problem} />
        </div>
      )}
      {mayChange && <AddMember team={team} />}
    </Card>
  )
}

interface Order {
  /** What is moved: 'argument'. */
  readonly noun: string
  readonly nameOf: (key: unknown) => string
  /** From 1. */
  readonly placeOf: (key: unknown) => number
  readonly total: number
}

/** What is said while something is moved to another place, in words in place of ids. */
function speakOrder({ noun, nameOf, placeOf, total }: Order): {
  announcements: Announcements
  screenReaderInstructions: ScreenReaderInstructions
} {
  const place = (key: unknown) => `${placeOf(key)} of ${total}`
  return {
    screenReaderInstructions: {
      draggable: `Press Space to pick up the ${noun}, arrow keys to move it, Space to drop it, Escape to leave it where it was.`,
    },
    announcements: {
      onDragStart: ({ active }) => `Picked up ${nameOf(active.id)}, ${place(active.id)}.`,
      onDragOver: ({ active, over }) =>
        over === null
          ? `${nameOf(active.id)} is over nothing.`
          : over.id === active.id
            ? // The first thing it is over is its own place, which must not drown that it was picked up.
              `Picked up ${nameOf(active.id)}, ${place(active.id)}.`
            : `${nameOf(active.id)} would be ${place(over.id)}.`,
      onDragEnd: ({ active, over }) =>
        over === null
          ? `${nameOf(active.id)} stays where it was.`
          : `Dropped ${nameOf(active.id)} at ${place(over.id)}.`,
      onDragCancel: ({ active }) => `${nameOf(active.id)} stays where it was.`,
    },
  }
}
