import * as contract from '@herma/contract'
import type { ApiOperation } from '@herma/contract/api'
import { z } from 'zod'

import { type Components, nameSchemas, onlyUsed, type ApiSchema, type SchemaNames } from './name-schemas.ts'
import type { NamedOperation } from './route.ts'

/** Describes a table of operations as an OpenAPI 3.1 document. The schemas of the contract become components of the same name. */
export function createOpenApi(operations: Readonly<Record<string, ApiOperation>>): ApiSchema {
  const routes = Object.entries(operations).map(([id, operation]) => ({ ...operation, id }))
  const names = nameSchemas(routes)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route, names) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Herma management API', version: '1', description: 'Connectors, tools and state of a Herma hub.' },
    servers: [{ url: '/' }],
    paths,
    components: { schemas: onlyUsed(names.components, paths) },
  }
}

function describeRoute(route: NamedOperation, { sent, answered }: SchemaNames): ApiSchema {
  const parameters = [
    ...describeParameters('path', route.params, route.path.match(/(?<=:)\w+/g) ?? []),
    ...describeParameters('query', route.query),
  ]
  const json = (schema: ApiSchema) => ({ 'application/json': { schema } })
  const responses = Object.entries(route.responses).map(([status, { description, schema }]) => [
    status,
    { description, ...(schema === undefined ? {} : { content: json(answered(schema)) }) },
  ])
  return {
    operationId: route.id,
    summary: route.summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: !route.body.safeParse(undefined).success,
            content: json(sent(route.body)),
          },
        }),
    responses: {
      ...Object.fromEntries(responses),
      ...describeErrors(route.errors ?? [], json(answered(contract.Problem))),
      default: {
        description: 'What is wrong, and the next step.',
        content: json(answered(contract.Problem)),
      },
    },
  }
}

/** By status, each with its codes. */
function describeErrors(codes: readonly contract.ErrorCode[], content: ApiSchema): ApiSchema {
  const byStatus = new Map<number, contract.ErrorCode[]>()
  for (const code of codes) {
    const { http } = contract.errorCodes[code]
    byStatus.set(http, [...(byStatus.get(http) ?? []), code])
  }
  return Object.fromEntries([...byStatus].map(([status, same]) => [status, { description: same.join(', '), content }]))
}

function describeParameters(place: 'path' | 'query', schema?: z.ZodObject, names: readonly string[] = []): ApiSchema[] {
  const whole = schema === undefined ? {} : (z.toJSONSchema(schema, { io: 'input' }) as ApiSchema)
  const properties = (whole['properties'] ??
    Object.fromEntries(names.map((name) => [name, { type: 'string' }]))) as Components
  const required = (whole['required'] ?? []) as string[]
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    }
  })
}
