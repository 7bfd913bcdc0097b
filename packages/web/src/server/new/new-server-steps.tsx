import type { ServerView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { connectorsQuery, sessionsQuery } from '../../api/queries.ts'
import type { Form } from '../../form/use-form.ts'
import { describe, Field, Input, Select, TextArea } from '../../ui/form/field.tsx'
import { FormSection } from '../../ui/form/form-section.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { Loaded } from '../../ui/page/page-state.tsx'
import { kindTexts } from '../describe-server.ts'
import { AccessFields } from '../form/access-fields.tsx'
import { AddressList } from '../form/address-list.tsx'
import { HostedFields } from '../form/hosted-fields.tsx'
import { LimitsFields } from '../form/limits-fields.tsx'
import { ModeFields } from '../form/mode-fields.tsx'
import type { SectionProps } from '../form/section-props.ts'
import { NewMembers } from '../team/new-members.tsx'
import { PathFields } from '../team/path-fields.tsx'
import { RulesCard } from '../team/rules-card.tsx'
import type { NewServerDraft, Serves } from './new-server-draft.ts'

interface StepProps {
  readonly form: Form<NewServerDraft, unknown>
}

/** The sections of a server take the form of a new one as well. */
function sectionProps({ form }: StepProps): SectionProps {
  return { form: form as unknown as SectionProps['form'], mayChange: true }
}

export function BasicStep({ form }: StepProps) {
  const { draft, change } = form
  const error = form.problem('name') ?? form.problem('connector.name')
  return (
    <FormSection id="basic-step" title="Basic">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2">
        <Field id="name" label="Name" error={error} hint="Up to 40 of a-z, 0-9 and “-”. Its address is made of it.">
          <Input
            {...describe('name', error)}
            mono
            placeholder="team-alpha"
            value={draft.name}
            onChange={(event) => change({ name: event.target.value })}
            onBlur={() => draft.name !== '' && form.touch('name')}
          />
        </Field>
        <Field id="kind" label="Kind" hint={kindTexts[draft.kind].meaning}>
          <Select
            {...describe('kind')}
            value={draft.kind}
            onChange={(event) => change({ kind: event.target.value as NewServerDraft['kind'] })}
          >
            <option value="team">Team of sessions</option>
            <option value="custom">Custom server</option>
          </Select>
        </Field>
      </div>
      <Field id="description" label="Description" optional hint="For people." error={form.problem('description')}>
        <TextArea
          {...describe('description', form.problem('description'))}
          rows={2}
          value={draft.description}
          onChange={(event) => change({ description: event.target.value })}
        />
      </Field>
      <Switch
        label="Enabled"
        hint="Off: it is kept, and answers nobody."
        checked={draft.enabled}
        onChange={(enabled) => change({ enabled })}
      />
      {draft.kind === 'team' && <LimitsFields {...sectionProps({ form })} />}
    </FormSection>
  )
}

const servesTexts: Record<Serves, string> = {
  hosted: 'A server of its own: a command, or another address',
  connector: 'A connector that you have',
  catalog: 'Your catalog once more',
}

export function TransportStep({ form }: StepProps) {
  const { draft, change } = form
  const section = sectionProps({ form })
  return (
    <FormSection
      id="transport-step"
      title="Transport"
      hint="Streamable HTTP suits clients anywhere. STDIO is for programs on the same machine, which start what they use."
    >
      {draft.kind === 'custom' && (
        <>
          <Field id="serves" label="What it serves">
            <Select
              id="serves"
              value={draft.serves}
              onChange={(event) => change({ serves: event.target.value as Serves })}
            >
              {Object.entries(servesTexts).map(([id, text]) => (
                <option key={id} value={id}>
                  {text}
                </option>
              ))}
            </Select>
          </Field>
          {draft.serves === 'hosted' && <HostedFields {...section} />}
          {draft.serves === 'connector' && <ConnectorField form={form} />}
          {draft.serves === 'catalog' && <ModeFields {...section} serves="catalog" />}
        </>
      )}
      <h3 className="font-medium">Host here</h3>
      <AddressList {...section} name={shownName(draft)} paths={pathsOf(shownName(draft))} canSetSse />
      <h3 className="font-medium">API key protection</h3>
      <AccessFields {...section} />
      <Switch
        label="Make a key for it when it is saved"
        hint="It is shown once, to copy. Only its hash is stored."
        checked={draft.makesKey}
        onChange={(makesKey) => change({ makesKey })}
      />
    </FormSection>
  )
}

function ConnectorField({ form }: StepProps) {
  const found = useQuery(connectorsQuery)
  const error = form.problem('host')
  return (
    <Loaded query={found} what="the connectors">
      {(connectors) => (
        <Field
          id="host"
          label="Connector"
          error={error}
          hint={
            connectors.length === 0 ? (
              <>
                There is none yet.{' '}
                <Link to="/connectors/new" className="underline">
                  Add a connector
                </Link>
              </>
            ) : (
              'It is served alone, under its own names.'
            )
          }
        >
          <Select
            {...describe('host', error)}
            value={form.draft.connector}
            onChange={(event) => form.change({ connector: event.target.value })}
          >
            <option value="">Choose a connector</option>
            {connectors.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </Field>
      )}
    </Loaded>
  )
}

export function RoutingStep({ form }: StepProps) {
  const { draft, change } = form
  const { data: sessions = [] } = useQuery(sessionsQuery)
  const members = draft.members.map(({ session }) => ({
    session,
    provider: sessions.find(({ name }) => name === session)?.provider ?? null,
  }))
  return (
    <FormSection
      id="routing-step"
      title="Routing & Members"
      hint="Who answers is decided by role, then by the rules, then by priority. All of it can be changed later."
    >
      <NewMembers members={draft.members} onChange={(next) => change({ members: next })} />
      {members.length > 0 && (
        <details>
          <summary className="text-ink-2">Prefer and fallback for each tool</summary>
          <div className="mt-3">
            <RulesCard {...sectionProps({ form })} members={members} />
          </div>
        </details>
      )}
    </FormSection>
  )
}

export function PathStep({ form }: StepProps) {
  return (
    <FormSection id="path-step" title="Security & Paths" hint="Once it is saved you can try single paths here.">
      <PathFields {...sectionProps({ form })} />
    </FormSection>
  )
}

function shownName({ name }: NewServerDraft): string {
  return name.trim() === '' ? 'name' : name.trim()
}

/** As the hub will name them. */
function pathsOf(name: string): Pick<ServerView, 'path' | 'rpcPath' | 'ssePath'> {
  const base = `/api/mcp/servers/${name}`
  return { path: `${base}/stream`, rpcPath: `${base}/rpc`, ssePath: `${base}/sse` }
}
