import { TeamTool, type RoutingRule, type TeamDecision } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleAlert } from 'lucide-react'
import { Card } from '../../ui/card.tsx'
import { Select } from '../../ui/form/field.tsx'
import { Chips } from '../../ui/list-editor/chips.tsx'
import { Failure } from '../../ui/page/page-state.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { changers, type SectionProps } from '../form/section-props.ts'
import { decisionsQuery } from './team-query.ts'

const toolTexts: Record<TeamTool, string> = {
  'team.generate_code': 'Writes code. Asks members with the role code.',
  'team.run_tests': 'Runs tests. Asks members with the role test.',
  'team.search_web': 'Searches the web. Asks members with the role search.',
  'team.plan_task': 'Makes a plan. Asks members with the role planner.',
}

interface RulesCardProps extends SectionProps {
  /** Absent while the team is not saved: then nobody would answer. */
  readonly team?: string
  readonly members: readonly { readonly session: string; readonly provider: string | null }[]
  /** Whether the rules on the page are not those that hold. */
  readonly isDirty?: boolean
}

/** Whom each tool of a team prefers and falls back to, and beside it who would answer now. */
export function RulesCard({ form, mayChange, team, members, isDirty = false }: RulesCardProps) {
  const decisions = useQuery({ ...decisionsQuery(team ?? ''), enabled: team !== undefined })
  const { setTeam } = changers(form)
  const routing = form.draft.team?.routing ?? {}
  return (
    <Card
      title="Prefer and fallback"
      hint="Prefer says who of those with the role is asked first; fall back may name anybody, and is asked when they cannot. These rules hold once they are saved."
    >
      {decisions.isLoadingError && (
        <div className="px-4 pt-4">
          <Failure
            title="Cannot show who would answer."
            error={decisions.error}
            onRetry={() => void decisions.refetch()}
          />
        </div>
      )}
      <ul className="divide-y divide-line">
        {TeamTool.options.map((tool) => (
          <li key={tool} className="grid grid-cols-[minmax(0,1fr)] gap-4 px-4 py-4 lg:grid-cols-2">
            <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-3">
              <div>
                <h3 className="font-mono text-sm font-medium">{tool}</h3>
                <p className="text-sm text-ink-3">{toolTexts[tool]}</p>
              </div>
              <RuleEditor
                tool={tool}
                rule={routing[tool] ?? noRule}
                members={members}
                mayChange={mayChange}
                problem={form.problem}
                onChange={(rule) => setTeam({ routing: { ...routing, [tool]: rule } })}
              />
            </div>
            {team !== undefined && !decisions.isLoadingError && (
              <Decision decision={decisions.data?.find((each) => each.tool === tool)} tool={tool} isDirty={isDirty} />
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

const noRule: RoutingRule = { prefer: [], fallback: [] }

interface RuleEditorProps {
  readonly tool: TeamTool
  readonly rule: RoutingRule
  readonly members: RulesCardProps['members']
  readonly mayChange: boolean
  readonly problem: (path: string) => string | undefined
  readonly onChange: (rule: RoutingRule) => void
}

function RuleEditor({ tool, rule, members, mayChange, problem, onChange }: RuleEditorProps) {
  const providers = [...new Set(members.flatMap(({ provider }) => provider ?? []))]
  const targets = [...members.map(({ session }) => session), ...providers]
  return (['prefer', 'fallback'] as const).map((list) => {
    const id = `team.routing.${tool}.${list}`
    const label = list === 'prefer' ? 'Prefer' : 'Fall back to'
    const free = targets.filter((target) => !rule[list].includes(target))
    const add = (target: string) => target !== '' && onChange({ ...rule, [list]: [...rule[list], target] })
    return (
      <div key={list} className="grid grid-cols-[minmax(0,1fr)] gap-1">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {mayChange ? (
          <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2">
            <Chips
              id={id}
              noun="member or provider"
              placeholder="Session or provider"
              values={rule[list]}
              problem={problem}
              onChange={(values) => onChange({ ...rule, [list]: values })}
            />
            <Select
              aria-label={`Add to ${label.toLowerCase()} for ${tool}`}
              className="h-9.5 w-24"
              value=""
              onChange={(event) => add(event.target.value)}
            >
              <option value="">Add…</option>
              {free.map((target) => (
                <option key={target}>{target}</option>
              ))}
            </Select>
          </div>
        ) : (
          <p id={id}>{rule[list].join(' → ') || 'Nobody in particular'}</p>
        )}
      </div>
    )
  })
}

interface DecisionProps {
  readonly decision: TeamDecision | undefined
  readonly tool: string
  readonly isDirty: boolean
}

/** Who would answer a tool now, and why. */
function Decision({ decision, tool, isDirty }: DecisionProps) {
  if (decision === undefined) return <p className="text-sm text-ink-3">Finding out who would answer…</p>
  const { chosen, wouldWait, candidates, warnings } = decision
  return (
    <section aria-label={`Who would answer ${tool} now`} className="min-w-0 self-start rounded-md bg-well px-3 py-2.5">
      <p className="text-sm text-ink-3">Would answer now{isDirty && ', as it was saved last'}</p>
      <output className="block font-medium">
        {chosen === null ? (
          <StatusDot tone="bad">Nobody</StatusDot>
        ) : (
          <StatusDot tone={wouldWait ? 'warn' : 'ok'}>
            <Link to="/sessions/$name" params={{ name: chosen }} className="text-ink underline">
              {chosen}
            </Link>
            {wouldWait && ', after a wait'}
          </StatusDot>
        )}
      </output>
      {candidates.length > 0 && (
        <ol className="mt-2 grid gap-1 text-sm">
          {candidates.map(({ session, eligible, because }, index) => (
            <li key={session} className="grid grid-cols-[1.25rem_minmax(0,1fr)]">
              <span className="tnum text-ink-3">{eligible ? `${index + 1}.` : '–'}</span>
              <span className={eligible ? 'text-ink-2' : 'text-ink-3'}>
                <span className="font-medium">{session}</span>: {because.join(', ')}
              </span>
            </li>
          ))}
        </ol>
      )}
      {warnings.map((warning) => (
        <p key={warning} className="mt-2 flex gap-1.5 text-sm text-warn">
          <CircleAlert className="mt-0.5 size-3.5 shrink-0" aria-hidden />
          {warning}
        </p>
      ))}
    </section>
  )
}
