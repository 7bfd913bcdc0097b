import type { AccessRuleView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, EllipsisVertical, Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { useChange } from '../../api/use-change.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmChange } from '../../ui/overlay/confirm-change.tsx'
import { Menu } from '../../ui/overlay/menu.tsx'
import { Failure, Loaded } from '../../ui/page/page-state.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { rulesQuery } from '../setting-queries.ts'
import { EditRule } from './edit-rule.tsx'
import { ExplainAccess } from './explain-access.tsx'

/** What is allowed or refused besides what roles say, in order, and a way to ask why. */
export function RulesSection() {
  const rules = useQuery(rulesQuery)
  const mayChange = useMay('owner')
  const [editing, setEditing] = useState<AccessRuleView | 'new' | null>(null)
  const [removing, setRemoving] = useState<AccessRuleView | null>(null)
  const order = useChange({
    send: (ids: string[]) => api.orderAccessRules({ body: { ids } }),
    topics: ['access'],
    done: () => 'The rules have another order.',
  })
  const flip = useChange({
    send: ({ id, enabled }: AccessRuleView) => api.updateAccessRule({ id, body: { enabled: !enabled } }),
    topics: ['access'],
    done: (_, { enabled }) => (enabled ? 'The rule is off.' : 'The rule holds from the next call on.'),
  })
  const remove = useChange({
    send: (id: string) => api.removeAccessRule({ id }),
    topics: ['access'],
    done: () => 'The rule is gone.',
    onDone: () => setRemoving(null),
  })
  const addButton = (
    <Button size="sm" onClick={() => setEditing('new')}>
      <Plus aria-hidden /> Add rule
    </Button>
  )
  const problem = order.error ?? flip.error
  return (
    <Card
      title="Rules of access"
      hint="Exceptions to what roles may do. A rule that denies always wins."
      {...(mayChange ? { actions: addButton } : {})}
    >
      {problem !== null && <Failure title="It was not changed." error={problem} />}
      <Loaded query={rules} what="the rules">
        {(found) => (
          <>
            {found.length === 0 && (
              <p className="px-4 py-3 text-ink-2">No rules: roles, keys and scopes decide alone.</p>
            )}
            <Rows label="Rules of access">
              {found.map((rule, index) => (
                <Row
                  key={rule.id}
                  title={rule.description === '' ? `Rule ${index + 1}` : rule.description}
                  badges={
                    <>
                      <Badge tone={rule.effect === 'deny' ? 'bad' : 'ok'}>{rule.effect}</Badge>
                      {!rule.enabled && <Badge>off</Badge>}
                    </>
                  }
                  detail={<code className="font-mono">{rule.when}</code>}
                  actions={
                    mayChange && (
                      <RuleActions
                        position={index + 1}
                        count={found.length}
                        isOn={rule.enabled}
                        onMove={(step) => order.mutate(moved(found, index, step))}
                        onEdit={() => setEditing(rule)}
                        onFlip={() => flip.mutate(rule)}
                        onRemove={() => setRemoving(rule)}
                      />
                    )
                  }
                >
                  {rule.problem !== null && <p className="text-sm text-bad">{rule.problem}</p>}
                </Row>
              ))}
            </Rows>
          </>
        )}
      </Loaded>
      {mayChange && <ExplainAccess />}
      {editing !== null && (
        <EditRule
          rule={editing === 'new' ? null : editing}
          others={rules.data ?? []}
          onClose={() => setEditing(null)}
        />
      )}
      {removing !== null && (
        <ConfirmChange
          title="Remove this rule?"
          action="Remove rule"
          change={remove}
          input={removing.id}
          onClose={() => setRemoving(null)}
        >
          <p>It stops to hold with the next call. To try without it first, switch it off.</p>
          <code className="font-mono text-sm [overflow-wrap:anywhere]">{removing.when}</code>
        </ConfirmChange>
      )}
    </Card>
  )
}

interface RuleActionsProps {
  /** From 1. */
  readonly position: number
  readonly count: number
  readonly isOn: boolean
  readonly onMove: (step: -1 | 1) => void
  readonly onEdit: () => void
  readonly onFlip: () => void
  readonly onRemove: () => void
}

function RuleActions({ position, count, isOn, onMove, onEdit, onFlip, onRemove }: RuleActionsProps) {
  const items = [
    { label: 'Edit', onSelect: onEdit },
    { label: isOn ? 'Switch off' : 'Switch on', onSelect: onFlip },
    { label: 'Remove', isDanger: true, onSelect: onRemove },
  ]
  return (
    <>
      <IconButton
        label={`Move rule ${position} up`}
        aria-disabled={position === 1}
        onClick={() => position > 1 && onMove(-1)}
      >
        <ArrowUp aria-hidden />
      </IconButton>
      <IconButton
        label={`Move rule ${position} down`}
        aria-disabled={position === count}
        onClick={() => position < count && onMove(1)}
      >
        <ArrowDown aria-hidden />
      </IconButton>
      <Menu label={`Actions for rule ${position}`} items={items}>
        <EllipsisVertical aria-hidden />
      </Menu>
    </>
  )
}

function moved(rules: readonly AccessRuleView[], index: number, step: -1 | 1): string[] {
  const ids = rules.map(({ id }) => id)
  const [id] = ids.splice(index, 1)
  ids.splice(index + step, 0, id!)
  return ids
}
