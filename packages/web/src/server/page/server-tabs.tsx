import type { ServerView, TeamView } from '@herma/contract'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Form } from '../../form/use-form.ts'
import { Card } from '../../ui/card.tsx'
import { Field, Input, TextArea, describe } from '../../ui/form/field.tsx'
import { Facts } from '../../ui/rows.tsx'
import type { Tab } from '../../ui/tabs.tsx'
import { kindTexts, sessionOf } from '../describe-server.ts'
import { AccessFields } from '../form/access-fields.tsx'
import { AddressList } from '../form/address-list.tsx'
import { HostedFields } from '../form/hosted-fields.tsx'
import { LimitsFields } from '../form/limits-fields.tsx'
import { ModeFields } from '../form/mode-fields.tsx'
import type { ServerDraft } from '../form/server-draft.ts'
import { ServerKeys } from '../form/server-keys.tsx'
import { CallsCard } from '../team/calls-card.tsx'
import { DispatchFields } from '../team/dispatch-fields.tsx'
import { MembersCard } from '../team/members-card.tsx'
import { PathFields } from '../team/path-fields.tsx'
import { PathTrial } from '../team/path-trial.tsx'
import { RulesCard } from '../team/rules-card.tsx'
import { LatencyCard } from './latency-card.tsx'
import { ServerTrial, type Trial } from './server-trial.tsx'
import { SignInCard } from './sign-in-card.tsx'
import { ToolList } from './tool-list.tsx'

export type TabId = 'basic' | 'transport' | 'routing' | 'security' | 'diagnostics' | 'access' | 'tools'

interface TabProps {
  readonly server: ServerView
  readonly team: TeamView | undefined
  readonly form: Form<ServerDraft, unknown>
  readonly mayChange: boolean
  readonly mayTest: boolean
  readonly trial: Trial
}

/** The sections of a server, as far as they apply to its kind. */
export function serverTabs(props: TabProps): Tab<TabId>[] {
  const { server, team } = props
  const tab = (id: TabId, label: string, body: ReactNode): Tab<TabId> => ({
    id,
    label,
    body: <div className="grid grid-cols-[minmax(0,1fr)] gap-5 pt-5 pb-8">{body}</div>,
  })
  const isOwn = server.kind === 'management'
  return [
    tab('basic', 'Basic', <BasicTab {...props} />),
    tab('transport', 'Transport', <TransportTab {...props} />),
    ...(team === undefined
      ? []
      : [
          tab('routing', 'Routing & Members', <RoutingTab {...props} team={team} />),
          tab('security', 'Security & Paths', <SecurityTab {...props} />),
        ]),
    tab('diagnostics', 'Diagnostics', <DiagnosticsTab {...props} />),
    ...(isOwn ? [] : [tab('access', 'Access', <AccessTab {...props} />)]),
    tab('tools', 'Tools', <ToolsTab {...props} />),
  ]
}

/** The tab that a field of the form is in. */
export function tabOfField(path: string): TabId {
  if (/^(connector|server\.sse)/.test(path)) return 'transport'
  if (path.startsWith('team.routing')) return 'routing'
  if (/^team\.(paths|hopLimit|hasPathPolicy)/.test(path)) return 'security'
  if (/^server\.(access|keyHeader)/.test(path)) return 'access'
  return /^(team\.dispatch|server\.)/.test(path) ? 'tools' : 'basic'
}

function BasicTab({ server, form, mayChange }: TabProps) {
  const session = sessionOf(server)
  const isFixed = session !== null || server.kind === 'management'
  const error = form.problem('description')
  return (
    <Panel title="Basic" hint={kindTexts[server.kind].meaning}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
        <Field id="server-name" label="Name" hint="Its address is made of it, so that it stays.">
          <Input id="server-name" aria-describedby="server-name-hint" mono readOnly value={server.name} />
        </Field>
        <Field
          id="description"
          label="Description"
          optional
          error={error}
          hint={session === null ? 'For people.' : 'That of its session.'}
        >
          <TextArea
            {...describe('description', error)}
            rows={2}
            value={form.draft.description}
            readOnly={isFixed || !mayChange}
            onChange={(event) => form.change({ description: event.target.value })}
            onBlur={() => form.touch('description')}
          />
        </Field>
      </div>
      <LimitsFields form={form} mayChange={mayChange} />
      {session !== null && (
        <p>
          Everything else is set at{' '}
          <Link to="/sessions/$name/edit" params={{ name: session }} className="underline">
            the session itself
          </Link>
          .
        </p>
      )}
    </Panel>
  )
}

function TransportTab({ server, form, mayChange }: TabProps) {
  return (
    <>
      {server.kind === 'custom' && (
        <Panel title="What it serves" hint={describeServed(server, form.draft.hosted !== null)}>
          {form.draft.hosted !== null ? (
            <HostedFields form={form} mayChange={mayChange} />
          ) : server.connector !== null ? (
            <p>
              It is set up at{' '}
              <Link to="/connectors/$name" params={{ name: server.connector }} className="underline">
                the connector {server.connector}
              </Link>
              .
            </p>
          ) : (
            <p>
              What is in it is decided in{' '}
              <Link to="/catalog" className="underline">
                the catalog
              </Link>
              , and by the view under Tools.
            </p>
          )}
        </Panel>
      )}
      <Panel title="Where clients find it" hint="Hosted here, at all of these at once.">
        <AddressList
          form={form}
          mayChange={mayChange}
          name={server.name}
          paths={server}
          canSetSse={server.kind !== 'management'}
        />
      </Panel>
    </>
  )
}

function describeServed({ connector }: ServerView, isOwn: boolean): string {
  if (connector === null) return 'Your catalog once more.'
  return isOwn ? 'One server alone, under its own names.' : `The connector ${connector} alone, under its own names.`
}

function RoutingTab({ team, form, mayChange }: TabProps & { team: TeamView }) {
  const isDirty = JSON.stringify(form.draft.team?.routing) !== JSON.stringify(team.routing)
  return (
    <>
      <MembersCard team={team} mayChange={mayChange} />
      <RulesCard form={form} mayChange={mayChange} team={team.name} members={team.members} isDirty={isDirty} />
      <CallsCard team={team.name} />
    </>
  )
}

function SecurityTab({ server, form, mayChange, mayTest }: TabProps) {
  const { team } = form.draft
  return (
    <>
      <Panel title="Security & Paths">
        <PathFields form={form} mayChange={mayChange} />
      </Panel>
      {team !== null && team.hasPathPolicy && mayTest && <PathTrial team={server.name} draft={team} />}
    </>
  )
}

function DiagnosticsTab({ server, mayTest, trial }: TabProps) {
  return (
    <>
      {mayTest && <ServerTrial server={server} trial={trial} />}
      <LatencyCard name={server.name} mayRead={mayTest} />
    </>
  )
}

function AccessTab({ server, form, mayChange }: TabProps) {
  return (
    <>
      <Panel title="Protection">
        <AccessFields form={form} mayChange={mayChange} />
      </Panel>
      <ServerKeys server={server.name} keyHeader={server.keyHeader} />
      <SignInCard path={server.path} />
    </>
  )
}

function ToolsTab({ server, form, mayChange }: TabProps) {
  const hasOwnTools = server.kind === 'team' || server.kind === 'session'
  const serves = hasOwnTools ? 'own' : server.connector === null ? 'catalog' : 'connector'
  return (
    <>
      {server.kind === 'management' ? (
        <Card title="How it is served">
          <Facts facts={[['Access', 'Only with a key or token for managing the hub']]} />
        </Card>
      ) : (
        <Panel title="How tools are shown">
          <ModeFields form={form} mayChange={mayChange} serves={serves} />
          <DispatchFields form={form} mayChange={mayChange} />
        </Panel>
      )}
      <ToolList server={server} />
    </>
  )
}

/** A card whose fields stand below each other. */
export function Panel({ title, hint, children }: { title: string; hint?: ReactNode; children: ReactNode }) {
  return (
    <Card title={title} {...(hint !== undefined && { hint })}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4">{children}</div>
    </Card>
  )
}
