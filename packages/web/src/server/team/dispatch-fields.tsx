import { Field } from '../../ui/form/field.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { Chips } from '../../ui/list-editor/chips.tsx'
import { changers, type SectionProps } from '../form/section-props.ts'

/** Whether clients may reach further tools of members by name. */
export function DispatchFields({ form, mayChange }: SectionProps) {
  const { team } = form.draft
  const { setTeam } = changers(form)
  if (team === null) return null
  const { dispatch } = team
  return (
    <>
      <Switch
        label="Offer team.dispatch"
        hint="One more tool, which calls any tool of a member that is allowed below."
        checked={dispatch.enabled}
        disabled={!mayChange}
        onChange={(enabled) => setTeam({ dispatch: { ...dispatch, enabled } })}
      />
      {dispatch.enabled && (
        <Field
          id="team.dispatch.allow"
          label="Allowed tools"
          hint="Globs of tool names, such as review.changes or search.*. None: nothing can be called."
        >
          <fieldset disabled={!mayChange} className="min-w-0">
            <Chips
              id="team.dispatch.allow"
              noun="tool"
              isOrdered={false}
              placeholder="review.*"
              values={dispatch.allow}
              onChange={(allow) => setTeam({ dispatch: { ...dispatch, allow } })}
              problem={form.problem}
              describedBy="team.dispatch.allow-hint"
            />
          </fieldset>
        </Field>
      )}
    </>
  )
}
