import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import type { FormPart } from './form-part.ts'
import { RouteRuleFields } from './route-rule-fields.tsx'
import type { RouteDraft } from './session-draft.ts'

const emptyRule: RouteDraft = {
  abilities: ['chat'],
  contains: [],
  isTool: true,
  connector: '',
  tool: '',
  arguments: '{\n  "query": "{input}"\n}',
}

/** Where a piece of work goes; the first rule that fits decides. */
export function RouteRules({ form }: FormPart) {
  const { routes } = form.draft
  const [spoken, setSpoken] = useState('')
  const replace = (index: number, rule: RouteDraft) => form.change({ routes: routes.with(index, rule) })
  function move(index: number, to: number) {
    form.change({ routes: routes.toSpliced(index, 1).toSpliced(to, 0, routes[index]!) })
    setSpoken(`Rule ${index + 1} is now rule ${to + 1} of ${routes.length}.`)
    requestAnimationFrame(() => document.getElementById(`routes.${to}`)?.focus())
  }
  function remove(index: number) {
    form.change({ routes: routes.toSpliced(index, 1) })
    setSpoken(`Rule ${index + 1} is removed.`)
    requestAnimationFrame(() => document.getElementById('routes')?.focus())
  }
  return (
    <div id="routes" tabIndex={-1} className="grid grid-cols-[minmax(0,1fr)] gap-3 outline-none">
      {form.problem('routes') !== undefined && <p className="text-sm text-bad">{form.problem('routes')}</p>}
      {routes.length > 0 && (
        <ol className="grid grid-cols-[minmax(0,1fr)] gap-3">
          {routes.map((rule, index) => (
            <li
              key={index}
              id={`routes.${index}`}
              tabIndex={-1}
              className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-md border border-line p-3"
            >
              <div className="flex items-center gap-1">
                <p className="mr-auto font-medium">Rule {index + 1}</p>
                {index > 0 && (
                  <IconButton label={`Move rule ${index + 1} up`} onClick={() => move(index, index - 1)}>
                    <ArrowUp aria-hidden />
                  </IconButton>
                )}
                {index < routes.length - 1 && (
                  <IconButton label={`Move rule ${index + 1} down`} onClick={() => move(index, index + 1)}>
                    <ArrowDown aria-hidden />
                  </IconButton>
                )}
                <IconButton label={`Remove rule ${index + 1}`} onClick={() => remove(index)}>
                  <Trash2 aria-hidden />
                </IconButton>
              </div>
              <RouteRuleFields form={form} index={index} rule={rule} onChange={(next) => replace(index, next)} />
            </li>
          ))}
        </ol>
      )}
      <Button size="sm" className="justify-self-start" onClick={() => form.change({ routes: [...routes, emptyRule] })}>
        <Plus aria-hidden />
        Add rule
      </Button>
      <output className="sr-only">{spoken}</output>
    </div>
  )
}
