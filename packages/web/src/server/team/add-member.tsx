import type { TeamMemberInput, TeamView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { sessionsQuery } from '../../api/queries.ts'
import { useChange } from '../../api/use-change.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/form/field.tsx'
import { Failure, Loaded } from '../../ui/page/page-state.tsx'
import { usualRoles } from './role-input.tsx'

/** Makes a session a member, at the end of the order. */
export function AddMember({ team }: { team: Pick<TeamView, 'name' | 'members'> }) {
  const add = useChange({
    send: (body: TeamMemberInput) => api.addTeamMember({ name: team.name, body }),
    topics: ['teams', 'servers', 'sessions'],
    done: (_, { session }) => `${session} is a member now`,
  })
  const last = Math.max(0, ...team.members.map(({ priority }) => priority))
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 border-t border-line px-4 py-3">
      <MemberPicker
        taken={team.members.map(({ session }) => session)}
        pending={add.isPending}
        onPick={(session, role) => add.mutate({ session, role, priority: Math.min(1000, last + 1) })}
      />
      {add.error !== null && <Failure title="The session was not added." error={add.error} />}
    </div>
  )
}

interface MemberPickerProps {
  readonly taken: readonly string[]
  readonly pending?: boolean
  readonly onPick: (session: string, role: string) => void
}

/** A session that is not taken yet, and what it is to do. */
export function MemberPicker({ taken, pending, onPick }: MemberPickerProps) {
  const found = useQuery(sessionsQuery)
  const sessions = found.data ?? []
  const free = sessions.filter(({ name }) => !taken.includes(name))
  const [chosen, setChosen] = useState('')
  const [role, setRole] = useState<string>(usualRoles[0])
  const session = free.some(({ name }) => name === chosen) ? chosen : (free[0]?.name ?? '')
  if (found.data === undefined)
    return (
      <Loaded query={found} what="the sessions">
        {() => null}
      </Loaded>
    )
  if (free.length === 0)
    return (
      <p className="text-ink-2">
        {sessions.length === 0 ? 'There is no session yet.' : 'Every session is a member already.'}{' '}
        <Link to="/sessions/new" id="add-member" className="underline">
          Make a session
        </Link>
      </p>
    )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_8rem] items-end gap-2 sm:flex sm:flex-wrap">
      <Field id="new-member" label="Add existing session" className="sm:w-60">
        <Select id="new-member" value={session} onChange={(event) => setChosen(event.target.value)}>
          {free.map(({ name, provider }) => (
            <option key={name} value={name}>
              {name} ({provider})
            </option>
          ))}
        </Select>
      </Field>
      <Field id="new-member-role" label="Role" className="sm:w-36">
        <Select id="new-member-role" value={role} onChange={(event) => setRole(event.target.value)}>
          {usualRoles.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </Select>
      </Field>
      <Button id="add-member" className="h-8.5" pending={pending} onClick={() => onPick(session, role)}>
        <Plus aria-hidden />
        Add member
      </Button>
    </div>
  )
}
