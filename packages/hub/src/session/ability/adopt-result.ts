import { abilitySchemas, type Ability } from '@herma/contract'
import { TurnError } from '../turn/turn-error.ts'
import type { WorkResult } from '../work/types.ts'
import type { OutputOf } from './ability-tool.ts'

/** The answer of an ability as it is in the result of a tool, where the tool answers in the same form; else null. */
export function adoptResult<Name extends Ability>(name: Name, { toolResult, text }: WorkResult): OutputOf<Name> | null {
  if (toolResult === null) return null
  const { output } = abilitySchemas[name]
  for (const candidate of [toolResult.structuredContent, parseJson(text)]) {
    const parsed = output.safeParse(candidate)
    if (parsed.success) return parsed.data as OutputOf<Name>
  }
  return null
}

/** What a model wrote by the schema of an ability. Throws when it did not. */
export function requireStructured<Name extends Ability>(name: Name, work: WorkResult): OutputOf<Name> {
  const parsed = abilitySchemas[name].output.safeParse(work.structured)
  if (parsed.success) return parsed.data as OutputOf<Name>
  const { hadEffect, usage, costUsd } = work
  const text = `The model did not answer ${name} in the form that was asked of it, twice. Try again, or use another model.`
  throw new TurnError('PROVIDER_FAILED', text, { hadEffect, usage, costUsd })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Words are an answer too.
    return undefined
  }
}
