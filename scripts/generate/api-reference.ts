import { errorCodes } from '@herma/contract'
import type { ApiOperation } from '@herma/contract/api'

/** The management API as a page: every operation with who may use it and what it answers. */
export function apiReference(nouns: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>): string {
  const sections = Object.entries(nouns).map(([noun, operations]) => {
    const rows = Object.entries(operations).map(([name, operation]) => describe(name, operation))
    return `## ${titleOf(noun)}\n\n| operation | request | role | what it does |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`
  })
  return `${introduction}\n${sections.join('\n')}`
}

const introduction = `# The management API

<!-- Written by npm run generate from packages/contract/src/api. -->

Everything that the CLI and the web UI do, they do with these operations. A running hub describes them with all of their
schemas at \`/api/openapi.json\`; the same document is in [schema/openapi.json](../schema/openapi.json). Who asks shows an
API key that has the scope \`admin\`, or is the operator of the machine ([Expose Herma to your team](guides/expose-to-your-team.md)).
The role is the least that may use an operation: owner, admin, member, viewer. Every refusal is
\`{ "error": { "code", "message" } }\` and names the next step.
`

function describe(name: string, { method, path, role, summary, query, errors = [] }: ApiOperation): string {
  const asked = query === undefined ? '' : `?${Object.keys(query.shape).join('&')}`
  const refusals = errors.map((code) => `\`${code}\` (${errorCodes[code].http})`)
  const text = refusals.length === 0 ? summary : `${summary} Refuses with ${refusals.join(', ')}.`
  return `| \`${name}\` | \`${method} ${path}${asked}\` | ${role ?? (method === 'GET' ? 'viewer' : 'admin')} | ${text.replaceAll('|', '\\|')} |`
}

function titleOf(noun: string): string {
  const words = noun.replace(/Operations$/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
