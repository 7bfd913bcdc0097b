import { PathField } from '../../form/path-field.tsx'
import { describe, Field } from '../../ui/form/field.tsx'
import { NumberField } from '../../ui/form/number-field.tsx'
import { changers, type SectionProps } from './section-props.ts'

/** How much a team does at once, and where it works. */
export function LimitsFields({ form, mayChange }: SectionProps) {
  const { team } = form.draft
  const { setTeam } = changers(form)
  if (team === null) return null
  const number = (name: 'maxConcurrency' | 'maxQueue') => ({
    id: `team.${name}`,
    value: team[name],
    onChange: (value: number | null) => setTeam({ [name]: value }),
    onBlur: () => form.touch(`team.${name}`),
    error: form.problem(`team.${name}`),
    disabled: !mayChange,
  })
  const deadline = team.deadlineMs === null ? null : Math.round(team.deadlineMs / 1000)
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-3">
        <NumberField {...number('maxConcurrency')} label="Calls at once" min={1} max={256} hint="Further ones wait." />
        <NumberField
          {...number('maxQueue')}
          label="Calls that may wait"
          min={0}
          max={10_000}
          hint="Further ones are refused."
        />
        <NumberField
          id="team.deadlineMs"
          label="Time limit of a call, in seconds"
          hint="Waiting included."
          value={deadline}
          onChange={(seconds) => setTeam({ deadlineMs: seconds === null ? null : seconds * 1000 })}
          onBlur={() => form.touch('team.deadlineMs')}
          error={form.problem('team.deadlineMs')}
          min={1}
          max={86_400}
          disabled={!mayChange}
        />
      </div>
      <Field
        id="team.workingDir"
        label="Default working directory"
        optional
        error={form.problem('team.workingDir')}
        hint="Where members work when a call does not say it. Empty: where each session works."
      >
        <PathField
          {...describe('team.workingDir', form.problem('team.workingDir'))}
          kind="folder"
          label="the default working directory"
          canBrowse={mayChange}
          disabled={!mayChange}
          value={team.workingDir}
          onChange={(workingDir) => setTeam({ workingDir })}
          onBlur={() => form.touch('team.workingDir')}
        />
      </Field>
    </>
  )
}
