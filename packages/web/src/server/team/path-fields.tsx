import { defaultDenied } from '@herma/contract'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { NumberField } from '../../ui/form/number-field.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { Chips } from '../../ui/list-editor/chips.tsx'
import { changers, type SectionProps } from '../form/section-props.ts'

/** How far a request may go, and which folders members may touch. */
export function PathFields({ form, mayChange }: SectionProps) {
  const { team } = form.draft
  const { setTeam } = changers(form)
  if (team === null) return null
  const { paths } = team
  const setPaths = (part: Partial<typeof paths>) => setTeam({ paths: { ...paths, ...part } })
  const isUsual = paths.denied === undefined
  function useTheUsual() {
    const { denied: _, ...rest } = paths
    setTeam({ paths: rest })
  }
  return (
    <>
      <NumberField
        id="team.hopLimit"
        label="Hop limit"
        hint="Servers that one request may pass, this one included. It ends calls that go in circles."
        value={team.hopLimit}
        onChange={(hopLimit) => setTeam({ hopLimit })}
        onBlur={() => form.touch('team.hopLimit')}
        error={form.problem('team.hopLimit')}
        min={1}
        max={20}
        disabled={!mayChange}
      />
      <Switch
        label="Enable path policy"
        hint="On: the paths below hold for every member in place of its own. Off: each session keeps to its own."
        checked={team.hasPathPolicy}
        disabled={!mayChange}
        onChange={(hasPathPolicy) => setTeam({ hasPathPolicy })}
      />
      {team.hasPathPolicy && (
        <>
          <Field
            id="team.paths.roots"
            label="Allowed roots"
            hint="Folders that members may touch, absolute or relative to the working directory. None: the working directory alone."
          >
            <fieldset disabled={!mayChange} className="min-w-0">
              <Chips
                id="team.paths.roots"
                noun="folder"
                isOrdered={false}
                placeholder="/home/you/project"
                values={paths.roots}
                onChange={(roots) => setPaths({ roots })}
                problem={form.problem}
                describedBy="team.paths.roots-hint"
              />
            </fieldset>
          </Field>
          <Field
            id="team.paths.denied"
            label="Denied paths"
            hint={
              isUsual
                ? 'Globs of what nobody may touch. These are the usual ones, which hold secrets; change them as you like.'
                : 'Globs of what nobody may touch. Without a slash they match at any depth; ** crosses folders.'
            }
          >
            <fieldset disabled={!mayChange} className="min-w-0">
              <Chips
                id="team.paths.denied"
                noun="glob"
                isOrdered={false}
                placeholder="tmp/**"
                values={paths.denied ?? defaultDenied}
                onChange={(denied) => setPaths({ denied })}
                problem={form.problem}
                describedBy="team.paths.denied-hint"
              />
            </fieldset>
          </Field>
          {mayChange && !isUsual && (
            <Button size="sm" className="justify-self-start" onClick={useTheUsual}>
              Back to the usual denied paths
            </Button>
          )}
          <Switch
            label="Allow files with a second hard link"
            hint="pnpm makes such files. They may belong to other folders too, so it is off at first."
            checked={paths.allowHardLinks === true}
            disabled={!mayChange}
            onChange={(allowHardLinks) => setPaths({ allowHardLinks })}
          />
        </>
      )}
    </>
  )
}
