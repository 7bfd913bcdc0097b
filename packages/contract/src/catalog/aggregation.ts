import { z } from 'zod'
import { ExposedName, HiddenTool, JsonObject, Tag, ToolAnnotations } from './override.ts'

const Path = z.string().min(1).max(1000).describe('Dotted path, such as filter.limit; "$" is the whole.')
const TimeoutSeconds = z.number().positive().max(86_400)

/** How one value of the result is made. */
export const MappingRule = z.strictObject({
  target: Path,
  source: Path.optional(),
  from: Path.optional().describe('The same as source. Absent = the path of the target.'),
  value: z.unknown().optional().describe('A literal, whatever was given.'),
  literal: z.unknown().optional().describe('The same as value.'),
  default: z.unknown().optional().describe('When nothing was given.'),
  required: z.boolean().optional(),
  allowNull: z.boolean().optional(),
  stripIfNull: z.boolean().optional(),
})
export type MappingRule = z.infer<typeof MappingRule>

export const Operation = z.strictObject({
  value: z.string().min(1).describe('What the selector says for this operation.'),
  aliases: z.array(z.string().min(1)).optional(),
  description: z.string().optional(),
  downstreamServer: z.string().min(1).optional().describe('Name of the connector.'),
  downstreamTool: z.string().min(1).describe("The tool's own name; without a server also the name that clients see."),
  timeoutSeconds: TimeoutSeconds.optional(),
  argumentMappings: z.array(MappingRule).optional().describe('Absent or empty = the arguments as they come.'),
  responseMappings: z.array(MappingRule).optional(),
  requireAnyOf: z
    .array(z.array(z.string().min(1)).min(1))
    .optional()
    .describe('Of each group at least one argument.'),
})
export type Operation = z.infer<typeof Operation>

export const StateField = z.strictObject({
  type: z.enum(['path', 'list', 'value']).optional(),
  root: z.string().optional().describe('A path field never leaves this folder.'),
  maxLength: z.int().min(1).max(10_000).optional(),
})

export const ValueSource = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('argument'), path: Path }),
  z.strictObject({ type: z.literal('literal'), value: z.unknown() }),
  z.strictObject({ type: z.literal('state'), key: z.string().min(1) }),
])
export type ValueSource = z.infer<typeof ValueSource>

export const StateMutation = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('set'),
    key: z.string().min(1),
    source: ValueSource,
    asPath: z.boolean().optional(),
    relativeToCurrent: z.boolean().optional(),
    requireExists: z.boolean().optional(),
  }),
  z.strictObject({
    action: z.literal('append'),
    key: z.string().min(1),
    value: z.record(z.string(), ValueSource),
    maxLength: z.int().min(1).max(10_000).optional(),
  }),
])
export type StateMutation = z.infer<typeof StateMutation>

export const StateOperation = z.strictObject({
  value: z.string().min(1).describe('The operation that this is about.'),
  mode: z.enum(['passthrough', 'state_only']).optional().describe('state_only answers without calling a server.'),
  preloadArguments: z
    .array(
      z.strictObject({
        argument: z.string().min(1),
        stateKey: z.string().min(1),
        onlyIfMissing: z.boolean().optional(),
      }),
    )
    .optional(),
  mutations: z.array(StateMutation).optional(),
  response: z
    .strictObject({
      type: z.enum(['value', 'history']),
      key: z.string().min(1),
      template: z.string().optional().describe('{value} stands for the value.'),
      structuredField: z.string().optional(),
      maxArgument: z.string().min(1).optional(),
    })
    .optional(),
})
export type StateOperation = z.infer<typeof StateOperation>

/** What an aggregate remembers between calls. */
export const AggregationState = z.strictObject({
  path: z.string().min(1).describe('Where it is kept: a file inside the state home.'),
  defaults: JsonObject.optional(),
  fields: z.record(z.string(), StateField).optional(),
  operations: z.array(StateOperation),
})
export type AggregationState = z.infer<typeof AggregationState>

/** One tool over many: a selector argument says which of them is called. */
export const Aggregation = z.strictObject({
  name: ExposedName,
  title: z.string().max(500).optional(),
  description: z.string().min(1),
  annotations: ToolAnnotations.optional().describe('Absent hints are derived from the members, the careful way.'),
  tags: z.array(Tag).optional(),
  inputSchema: JsonObject,
  outputSchema: JsonObject.nullable().optional(),
  selector: z
    .strictObject({ field: z.string().min(1), caseInsensitive: z.boolean() })
    .partial()
    .optional(),
  timeoutSeconds: TimeoutSeconds.optional(),
  operations: z.array(Operation).min(1).max(500),
  state: AggregationState.optional(),
  hideTools: z.array(HiddenTool).optional(),
})
export type Aggregation = z.infer<typeof Aggregation>

/** What aggregates and pipelines of a fragment have in common. */
export const CompositeDefaults = z
  .strictObject({
    selectorField: z.string().min(1),
    caseInsensitiveSelector: z.boolean(),
    timeoutSeconds: TimeoutSeconds,
  })
  .partial()
export type CompositeDefaults = z.infer<typeof CompositeDefaults>
