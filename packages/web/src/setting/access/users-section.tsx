import type { PasswordSetup, UserSetup, UserView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { EllipsisVertical, Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/me.ts'
import { useChange } from '../../api/use-change.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { formatAgo, formatTime } from '../../ui/format.ts'
import { ConfirmChange } from '../../ui/overlay/confirm-change.tsx'
import { Menu } from '../../ui/overlay/menu.tsx'
import { Once } from '../../ui/overlay/once.tsx'
import { Loaded } from '../../ui/page/page-state.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { usersQuery } from '../setting-queries.ts'
import { AddUser } from './add-user.tsx'
import { EditUser } from './edit-user.tsx'
import { GrantRows } from './grant-rows.tsx'

type Open =
  | { readonly what: 'add' }
  | { readonly what: 'edit' | 'reset' | 'remove'; readonly user: UserView }
  | { readonly what: 'code'; readonly user: string; readonly setup: PasswordSetup }

/** Who signs in, and what they allowed programs to do in their name. */
export function UsersSection() {
  const users = useQuery(usersQuery)
  const mayChange = useMay('admin')
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const showCode = ({ user, setup }: UserSetup) => setOpen({ what: 'code', user: user.name, setup })
  const reset = useChange({
    send: (name: string) => api.resetUser({ name }),
    topics: ['access'],
    onDone: showCode,
  })
  const remove = useChange({
    send: (name: string) => api.removeUser({ name }),
    topics: ['access'],
    done: (_, name) => `${name} is gone.`,
    onDone: close,
  })
  const addButton = (
    <Button size="sm" onClick={() => setOpen({ what: 'add' })}>
      <Plus aria-hidden /> Add user
    </Button>
  )
  return (
    <Card
      title="Users"
      hint="People who sign in with a name of their own."
      {...(mayChange ? { actions: addButton } : {})}
    >
      <Loaded query={users} what="the users">
        {(found) =>
          found.length === 0 ? (
            <p className="px-4 py-3 text-ink-2">
              Nobody yet: only the operator of this machine gets in. Add users before you let others reach the hub.
            </p>
          ) : (
            <Rows label="Users">
              {found.map((user) => (
                <UserRow key={user.name} user={user} mayChange={mayChange} onOpen={setOpen} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      <GrantRows />
      {open?.what === 'add' && <AddUser onClose={close} onAdded={showCode} />}
      {open?.what === 'edit' && <EditUser user={open.user} onClose={close} />}
      {open?.what === 'code' && <SetupCode name={open.user} setup={open.setup} onClose={close} />}
      {open?.what === 'reset' && (
        <ConfirmChange
          title={`Reset the access of ${open.user.name}?`}
          action="Reset"
          change={reset}
          input={open.user.name}
          onClose={close}
        >
          <p>Password, second factor, signed-in browsers and everything allowed to programs are forgotten.</p>
          <p>You get a new code to hand over. The user and their role stay.</p>
        </ConfirmChange>
      )}
      {open?.what === 'remove' && (
        <ConfirmChange
          title={`Remove ${open.user.name}?`}
          action="Remove user"
          change={remove}
          input={open.user.name}
          onClose={close}
        >
          <p>Sign-ins, tokens and credentials of {open.user.name} end at once. What was recorded stays.</p>
        </ConfirmChange>
      )}
    </Card>
  )
}

interface UserRowProps {
  readonly user: UserView
  readonly mayChange: boolean
  readonly onOpen: (open: Open) => void
}

function UserRow({ user, mayChange, onOpen }: UserRowProps) {
  const isOwner = useMay('owner')
  const { name, role, email, disabled, hasPassword, twoFactor, providers, lastSignInAt } = user
  const detail = [
    email,
    hasPassword || providers.length > 0 ? null : 'no password set yet',
    twoFactor ? 'second factor' : null,
    providers.length > 0 ? `through ${providers.join(', ')}` : null,
    lastSignInAt === null ? 'never signed in' : `signed in ${formatAgo(lastSignInAt)}`,
  ]
  const items = [
    { label: 'Change role or address', onSelect: () => onOpen({ what: 'edit', user }) },
    { label: 'Reset access', onSelect: () => onOpen({ what: 'reset', user }) },
    { label: 'Remove', isDanger: true, onSelect: () => onOpen({ what: 'remove', user }) },
  ]
  return (
    <Row
      title={name}
      badges={
        <>
          <Badge>{role}</Badge>
          {disabled && <Badge tone="warn">disabled</Badge>}
        </>
      }
      detail={detail.filter((part) => part !== null).join(' · ')}
      actions={
        mayChange &&
        (isOwner || (role !== 'owner' && role !== 'admin')) && (
          <Menu label={`Actions for ${name}`} items={items}>
            <EllipsisVertical aria-hidden />
          </Menu>
        )
      }
    />
  )
}

function SetupCode({ name, setup, onClose }: { name: string; setup: PasswordSetup; onClose: () => void }) {
  return (
    <Once title={`The code for ${name}`} label="the code" value={setup.code} onClose={onClose}>
      <p>
        Hand it to {name}. It works once, until {formatTime(setup.expiresAt)}.
      </p>
      <p>
        With it, {name} sets a password at{' '}
        <a href={setup.url} className="underline [overflow-wrap:anywhere]">
          {setup.url}
        </a>
      </p>
    </Once>
  )
}
