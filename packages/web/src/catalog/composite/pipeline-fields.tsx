import { Plus } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { describe, Field, TextArea } from '../../ui/form/field.tsx'
import type { CompositePart } from './composite-basics.tsx'
import { listOf, readTemplate, textOf, withPart, type Definition } from './composite-draft.ts'
import { moved, PartFrame } from './part-frame.tsx'
import { StepFields } from './step-fields.tsx'

/** The steps of a pipeline in their order, and what is answered at the end. */
export function PipelineFields({ definition, change, form }: CompositePart) {
  const steps = listOf(definition['steps'])
  const put = (next: readonly Definition[]) => change(withPart(definition, { steps: next }))
  const result = definition['result']
  const add = () => {
    put([...steps, { id: freeId(steps), tool: '', arguments: {} }])
    requestAnimationFrame(() => document.getElementById(`definition.steps.${steps.length}.tool`)?.focus())
  }
  return (
    <>
      <section aria-label="Steps" className="grid grid-cols-[minmax(0,1fr)] gap-2">
        <div>
          <h3 className="text-base font-semibold">Steps</h3>
          <p className="text-sm text-ink-2">
            In values, <code className="font-mono">{'{{ input.name }}'}</code> stands for an argument and{' '}
            <code className="font-mono">{'{{ steps.first.text }}'}</code> for what an earlier step answered: text, json,
            structured, content or isError.
          </p>
        </div>
        <ol className="grid grid-cols-[minmax(0,1fr)] gap-2">
          {steps.map((step, index) => (
            <PartFrame
              key={index}
              label={`Step ${index + 1}`}
              isFirst={index === 0}
              isLast={index === steps.length - 1}
              onMove={(by) => put(moved(steps, index, by))}
              onRemove={() => put(steps.toSpliced(index, 1))}
            >
              {'parallel' in step ? (
                <Parallel steps={listOf(step['parallel'])} />
              ) : (
                <StepFields
                  path={`definition.steps.${index}`}
                  step={step}
                  form={form}
                  onChange={(next) => put(steps.toSpliced(index, 1, next))}
                />
              )}
            </PartFrame>
          ))}
        </ol>
        <Button size="sm" className="justify-self-start" onClick={add}>
          <Plus aria-hidden />
          Step
        </Button>
      </section>
      <Field
        id="definition.result"
        label="Result"
        optional
        error={form.problem('definition.result')}
        hint="What is answered, as text or JSON. Left empty, it is what the last step answered."
      >
        <TextArea
          {...describe('definition.result', form.problem('definition.result'))}
          mono
          rows={2}
          value={typeof result === 'string' ? result : result === undefined ? '' : JSON.stringify(result, null, 2)}
          onChange={(event) =>
            change(
              withPart(definition, {
                result: event.target.value === '' ? undefined : readTemplate(event.target.value),
              }),
            )
          }
        />
      </Field>
    </>
  )
}

function Parallel({ steps }: { steps: readonly Definition[] }) {
  return (
    <p className="text-sm text-ink-2">
      At the same time: {steps.map((step) => `${textOf(step['id'])} (${textOf(step['tool'])})`).join(', ')}. Edit these
      in the JSON.
    </p>
  )
}

function freeId(steps: readonly Definition[]): string {
  let number = steps.length + 1
  while (steps.some((step) => step['id'] === `step${number}`)) number++
  return `step${number}`
}
