import { z } from 'zod'
import { ExposedName, JsonObject, Tag, ToolAnnotations } from './override.ts'

const StepId = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,39}$/, 'An id begins with a letter; up to 40 letters, digits, "_".')
const TimeoutSeconds = z.number().positive().max(86_400)

/**
 * Any JSON value. In its strings `{{ input.path }}` and `{{ steps.id.path }}` stand for values; a string that is nothing
 * else becomes the value itself, with its type.
 */
export const Template = z.unknown().describe('JSON in which {{ input.x }} and {{ steps.id.x }} stand for values.')

export type Condition =
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition }
  | {
      value: unknown
      exists?: boolean
      equals?: unknown
      notEquals?: unknown
      contains?: unknown
      above?: number
      below?: number
    }

/** Without a test the value only has to be there and not be false, null, 0 or empty. */
export const Condition: z.ZodType<Condition> = z
  .lazy(() =>
    z.union([
      z.strictObject({ all: z.array(Condition).min(1) }),
      z.strictObject({ any: z.array(Condition).min(1) }),
      z.strictObject({ not: Condition }),
      z.strictObject({
        value: Template,
        exists: z.boolean().optional(),
        equals: z.unknown().optional(),
        notEquals: z.unknown().optional(),
        contains: z.unknown().optional(),
        above: z.number().optional(),
        below: z.number().optional(),
      }),
    ]),
  )
  .meta({ id: 'Condition' })

export const CallStep = z.strictObject({
  id: StepId,
  server: z.string().min(1).optional().describe('Name of the connector.'),
  tool: z.string().min(1).describe("The tool's own name; without a server also the name that clients see."),
  arguments: z.record(z.string(), Template).default({}),
  when: Condition.optional().describe('The step is left out when this does not hold.'),
  forEach: Template.optional().describe('A list; the step runs once for each, as {{ item }}.'),
  onError: z.enum(['fail', 'continue']).default('fail'),
  timeoutSeconds: TimeoutSeconds.optional(),
})
export type CallStep = z.infer<typeof CallStep>

export const Step = z.union([z.strictObject({ parallel: z.array(CallStep).min(1).max(20) }), CallStep])
export type Step = z.infer<typeof Step>

/** A tool made of steps that use the results of earlier ones. */
export const Pipeline = z.strictObject({
  name: ExposedName,
  title: z.string().max(500).optional(),
  description: z.string().min(1),
  annotations: ToolAnnotations.optional().describe('Absent hints are derived from the members, the careful way.'),
  tags: z.array(Tag).optional(),
  inputSchema: JsonObject.default({ type: 'object' }),
  outputSchema: JsonObject.nullable().optional(),
  timeoutSeconds: TimeoutSeconds.optional().describe('For the whole.'),
  steps: z.array(Step).min(1).max(50),
  result: Template.optional().describe('What is answered. Absent = the result of the last step that ran.'),
})
export type Pipeline = z.infer<typeof Pipeline>
