import { api } from '@herma/contract/api'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'

import { createOpenApi } from './open-api.ts'

interface Document {
  paths: Record<string, Record<string, { operationId: string; parameters?: unknown[]; requestBody?: unknown }>>
  components: { schemas: Record<string, { required?: string[]; properties?: Record<string, unknown> }> }
}
const document = createOpenApi(api) as unknown as Document

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator()
  const result = await validator.validate(JSON.parse(JSON.stringify(document)))
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
  expect(validator.version).toBe('3.1')
})

test('every route is described once under its own operation id', () => {
  const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((each) => each.operationId))
  expect(ids.toSorted()).toEqual(Object.keys(api).toSorted())
  expect(new Set(ids).size).toBe(ids.length)
})

test('every reference leads to a component, and every component is referred to', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)]
  const names = new Set(references.map((match) => match[1]))
  expect([...names].toSorted()).toEqual(Object.keys(document.components.schemas).toSorted())
})

test('what is sent may leave out what has a default, and what is answered always holds it', () => {
  const { schemas } = document.components
  expect(schemas['ConnectorInput']?.required).toEqual(['name', 'transport'])
  expect(schemas['ConnectorOptionsInput']?.required).toBeUndefined()
  expect(schemas['ConnectorOptions']?.required).toContain('idleTimeoutMs')
  expect(JSON.stringify(schemas['ConnectorInput'])).toContain('ConnectorOptionsInput')
  expect(schemas['ConnectorView']?.properties?.['options']).toEqual({ $ref: '#/components/schemas/ConnectorOptions' })
})

test('parameters of path and query are described with their limits', () => {
  expect(document.paths['/api/connectors/{name}/logs']?.['get']?.parameters).toEqual([
    { name: 'name', in: 'path', required: true, description: 'Name of a connector.', schema: { type: 'string' } },
    {
      name: 'limit',
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 10_000, default: 200 },
    },
  ])
})
