import type { TeamMember } from '@herma/contract'
import { arrayMove } from '@dnd-kit/sortable'
import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { MemberPicker } from './add-member.tsx'

interface NewMembersProps {
  readonly members: readonly TeamMember[]
  readonly onChange: (members: TeamMember[]) => void
}

/** The first members of a team that is not saved yet, in the order in which they are asked. */
export function NewMembers({ members, onChange }: NewMembersProps) {
  const set = (next: readonly TeamMember[]) =>
    onChange(next.map((member, index) => ({ ...member, priority: index + 1 })))
  const add = (session: string, role: string) =>
    set([...members, { session, role, priority: 1, enabled: true, maxConcurrency: null }])
  return (
    <Card>
      {members.length === 0 ? (
        <p className="px-4 py-3 text-ink-2">A team can be saved without members; nobody answers until it has one.</p>
      ) : (
        <Rows label="Members">
          {members.map(({ session, role }, index) => (
            <Row
              key={session}
              title={session}
              badges={<Badge>{role}</Badge>}
              actions={
                <>
                  <IconButton
                    label={`Move ${session} up`}
                    aria-disabled={index === 0}
                    onClick={() => index > 0 && set(arrayMove([...members], index, index - 1))}
                  >
                    <ArrowUp aria-hidden />
                  </IconButton>
                  <IconButton
                    label={`Move ${session} down`}
                    aria-disabled={index === members.length - 1}
                    onClick={() => index < members.length - 1 && set(arrayMove([...members], index, index + 1))}
                  >
                    <ArrowDown aria-hidden />
                  </IconButton>
                  <IconButton
                    label={`Remove ${session} from the team`}
                    onClick={() => set(members.filter((member) => member.session !== session))}
                  >
                    <Trash2 aria-hidden />
                  </IconButton>
                </>
              }
            />
          ))}
        </Rows>
      )}
      <div className="border-t border-line px-4 py-3">
        <MemberPicker taken={members.map(({ session }) => session)} onPick={add} />
      </div>
    </Card>
  )
}
