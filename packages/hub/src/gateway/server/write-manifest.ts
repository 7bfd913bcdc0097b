import { catalogKinds, type Scope } from '../../catalog/index.ts'
import { hubInfo } from '../../downstream/index.ts'
import { revisions } from '../../wire/index.ts'
import type { Introduction } from './introduction.ts'

/** What a server says and shows, as one document; the lists are copied as they are. */
export function writeManifest(
  origin: string,
  { capabilities, instructions }: Introduction,
  scope: Pick<Scope, 'wholeList'>,
): Buffer {
  const head = {
    ...hubInfo,
    description: 'One MCP endpoint for all of your servers, agents and teams.',
    protocolVersions: [...revisions],
    endpoints: [{ type: 'streamable-http', url: `${origin}/mcp` }],
    capabilities,
    ...(instructions !== undefined && { instructions }),
  }
  const lists = catalogKinds.flatMap((kind) => [Buffer.from(`,"${kind}":`), scope.wholeList(kind)])
  return Buffer.concat([Buffer.from(JSON.stringify(head).slice(0, -1)), ...lists, Buffer.from('}\n')])
}
