import { Ability } from '@herma/contract'
import { Check } from '../../../ui/form/check.tsx'
import { Switch } from '../../../ui/form/switch.tsx'
import type { FormPart } from './form-part.ts'

export const abilityTexts: Readonly<Record<Ability, string>> = {
  'code.advice': 'Answers questions about code.',
  'code.generate': 'Writes and changes code.',
  'tests.generate': 'Writes tests.',
  'tests.run': 'Runs the tests of a project.',
  'search.web': 'Searches the web.',
  'search.code': 'Searches the files of a project.',
  'plan.task': 'Makes a plan of steps.',
  'review.changes': 'Reviews changes.',
}

/** What clients and teams may ask of it. */
export function AbilityFields({ form }: FormPart) {
  const { abilities } = form.draft
  const toggle = (ability: Ability, isOn: boolean) =>
    form.change({
      abilities: Ability.options.filter((each) => (each === ability ? isOn : (abilities ?? []).includes(each))),
    })
  return (
    <div id="abilities" tabIndex={-1} className="grid grid-cols-[minmax(0,1fr)] gap-2 outline-none">
      <Switch
        checked={abilities === null}
        onChange={(isAll) => form.change({ abilities: isAll ? null : [...Ability.options] })}
        label="Offer all that it can do"
        hint="With a folder it also works on files; with a search tool it also searches the web."
      />
      {abilities !== null && (
        <fieldset className="grid grid-cols-[minmax(0,1fr)] gap-x-4 gap-y-2 sm:grid-cols-2">
          <legend className="sr-only">What it offers</legend>
          {Ability.options.map((ability) => (
            <Check
              key={ability}
              checked={abilities.includes(ability)}
              onChange={(isOn) => toggle(ability, isOn)}
              label={<span className="font-mono text-sm">{ability}</span>}
              hint={abilityTexts[ability]}
            />
          ))}
        </fieldset>
      )}
    </div>
  )
}
