import { expect, test } from 'vitest'
import { explainImport } from './check-imports.mjs'

const hub = 'packages/hub/src'

test.each([
  [`${hub}/gateway/serve.ts`, '../wire/index.ts'],
  [`${hub}/gateway/serve.ts`, './steps/resolve-tool.ts'],
  [`${hub}/downstream/link.ts`, '../platform/log.ts'],
  [`${hub}/hub.ts`, './trace/event-log.ts'],
  [`${hub}/cli/command/up.ts`, '../../hub.ts'],
  [`${hub}/wire/message.test.ts`, '../downstream/store.ts'],
  [`${hub}/platform/store.ts`, 'pg'],
  ['packages/contract/src/hub.ts', 'zod'],
  ['packages/web/src/hub/use-hub.ts', '@herma/contract'],
  ['packages/framework/src/serve-stdio.ts', '@modelcontextprotocol/server/stdio'],
])('%s may import %s', (path, specifier) => {
  expect(explainImport(path, specifier)).toBeNull()
})

test.each([
  [`${hub}/wire/message.ts`, '../catalog/index.ts', /wire may import platform\. Declare the interface/],
  [`${hub}/gateway/serve.ts`, '../downstream/link.ts', /through downstream\/index\.ts only/],
  [`${hub}/gateway/serve.ts`, '../downstream/store.ts', /only downstream itself sees its tables/],
  [`${hub}/hub.ts`, './downstream/table.ts', /only downstream itself sees its tables/],
  [`${hub}/gateway/serve.ts`, '../trace/index.ts', /emit an event/],
  [`${hub}/platform/log.ts`, '../wire/index.ts', /platform may import platform\./],
  [`${hub}/gateway/serve.ts`, '../cli/herma.ts', /nothing imports the command line/],
  [`${hub}/gateway/serve.ts`, '../helper/index.ts', /helper is not in scripts\/feature-imports\.mjs/],
  [`${hub}/wire/message.ts`, '../../../contract/src/errors.ts', /import the package by its name/],
  ['packages/web/src/main.tsx', '@herma/hub', /web may import @herma\/contract/],
  ['packages/contract/src/hub.ts', 'undici', /contract may import zod only/],
  ['packages/framework/src/tool.ts', '@herma/contract', /framework may import no other workspace/],
])('%s may not import %s', (path, specifier, reason) => {
  expect(explainImport(path, specifier)).toMatch(reason)
})
