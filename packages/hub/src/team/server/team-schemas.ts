import { abilitySchemas, type Ability } from '@herma/contract'
import { z } from 'zod'

/** Who answered a call of a team, and how it came to that; behind what the member itself answered. */
export const routed = {
  member: z.strictObject({
    session: z.string().describe('The session that answered.'),
    role: z.string(),
    provider: z.string(),
  }),
  routing: z.strictObject({
    because: z.array(z.string()).describe('Why this member was asked.'),
    tried: z
      .array(z.strictObject({ session: z.string(), outcome: z.string().describe('ok, or the code of the error.') }))
      .describe('Members that were asked, in this order.'),
  }),
}

/** What an ability takes, without the fields that a tool of a team does not have. */
export function inputOf(ability: Ability, without: readonly string[]): z.ZodObject {
  const { shape }: z.ZodObject = abilitySchemas[ability].input
  return z.strictObject(Object.fromEntries(Object.entries(shape).filter(([field]) => !without.includes(field))))
}

/** What an ability gives, and who did it. */
export function outputOf(ability: Ability): z.ZodObject {
  const output: z.ZodObject = abilitySchemas[ability].output
  return output.extend(routed)
}

export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io })
  return rest
}
