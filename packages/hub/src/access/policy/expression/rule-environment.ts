import { Environment } from '@marcbachmann/cel-js'
import { RuleAnnotations, RulePrincipal } from './rule-context.ts'

/** The types of what rules see, so that a misspelt word is an error when a rule is saved and not when it is needed. */
export const ruleTypes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Principal: {
    id: 'string',
    kind: 'string',
    name: 'string',
    role: 'string',
    scopes: 'list<string>',
    clientId: 'string',
  },
  Annotations: { readOnlyHint: 'bool', destructiveHint: 'bool', idempotentHint: 'bool', openWorldHint: 'bool' },
}

export const ruleVariables: Readonly<Record<string, string>> = {
  principal: 'Principal',
  server: 'string',
  connector: 'string',
  tool: 'string',
  original: 'string',
  method: 'string',
  target: 'string',
  arguments: 'map<string, dyn>',
  annotations: 'Annotations',
  loopback: 'bool',
  now: 'google.protobuf.Timestamp',
}

// Optional types stay off: they turn a value that cannot be read into an absent one, and a deny would pass by it.
const environment = new Environment({
  enableOptionalTypes: false,
  limits: { maxAstNodes: 1000, maxDepth: 32, maxListElements: 500, maxMapEntries: 100, maxCallArguments: 8 },
})
  .registerType('Principal', { ctor: RulePrincipal, fields: { ...ruleTypes['Principal'] } })
  .registerType('Annotations', { ctor: RuleAnnotations, fields: { ...ruleTypes['Annotations'] } })
for (const [name, type] of Object.entries(ruleVariables)) environment.registerVariable(name, type)

export const ruleEnvironment = environment
