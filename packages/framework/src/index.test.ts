import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import * as framework from '@herma/framework'

test('the public names of the package are exactly these', () => {
  expect(Object.keys(framework).sort()).toEqual([
    'ChildFailed',
    'ConfigError',
    'Denied',
    'McpError',
    'NotFound',
    'StaleRevision',
    'ToolError',
    'content',
    'errorCode',
    'generated',
    'jsonSchema',
    'memoryBackend',
    'memoryBus',
    'memoryEventLog',
    'memoryRegistry',
    'memoryStore',
    'on',
    'prompt',
    'resource',
    'server',
    'serverOf',
    'startTask',
    'supervise',
    'tasks',
    'tool',
    'versions',
  ])
})

test('the package has exactly these entries', async () => {
  const { exports } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    exports: Record<string, unknown>
  }
  expect(Object.keys(exports).sort()).toEqual([
    '.',
    './apps',
    './auth',
    './gen',
    './openapi',
    './opentelemetry',
    './postgres',
    './remote',
    './telemetry',
    './testing',
    './wire',
  ])
})
