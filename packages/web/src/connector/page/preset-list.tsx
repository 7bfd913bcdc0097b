import type { BundleView } from '@herma/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { bundlesQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/page/page-state.tsx'
import { draftOfFound, emptyDraft, type ConnectorDraft } from '../form/draft/connector-draft.ts'

type Brought = BundleView['connectors'][number]

/** Buttons that fill the form: our presets, and what the bundles that come with Herma bring. */
export function PresetList({ onChoose }: { onChoose: (draft: ConnectorDraft) => void }) {
  // Without bundles there are the presets.
  const { data: bundles = [] } = useQuery({ ...bundlesQuery, retry: false })
  const { mutate, error } = useMutation({ mutationFn: readCommand, onSuccess: onChoose })
  const brought = bundles.filter(({ isShipped }) => isShipped).flatMap(({ connectors }) => connectors)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-sm text-ink-3">Or begin with</span>
        {presets.map(({ label, draft }) => (
          <Button key={label} size="sm" onClick={() => onChoose(draft)}>
            {label}
          </Button>
        ))}
        {brought.map((each) => (
          <Button key={each.name} size="sm" title={each.description} onClick={() => mutate(each)}>
            {each.name}
          </Button>
        ))}
      </div>
      {error !== null && <Failure title="This preset could not be read." error={error} />}
    </div>
  )
}

/** A bundle tells what would run; reading it is the same as for a line that somebody pastes. */
async function readCommand({ name, description, command, url }: Brought): Promise<ConnectorDraft> {
  const { connectors } = await api.parsePaste({ body: { text: command ?? url ?? '' } })
  const [found] = connectors
  if (found === undefined)
    throw new Error(`Nothing could be read of '${name}'. Install its bundle in Discover instead.`)
  return draftOfFound({ ...found, name, description })
}

interface Preset {
  readonly label: string
  readonly draft: ConnectorDraft
}

/** Where many begin: a well-known server with a URL, and a program of one's own. */
const presets: readonly Preset[] = [
  {
    label: 'Context7',
    draft: {
      ...emptyDraft,
      name: 'context7',
      description: 'Documentation of libraries, up to date.',
      transport: 'stream',
      baseUrl: 'https://mcp.context7.com',
      endpointPath: '/mcp',
      headers: [{ name: 'X-Api-Key', value: '', secret: true }],
    },
  },
  {
    label: 'Local stdio server',
    draft: {
      ...emptyDraft,
      name: 'my-server',
      description: 'A server of mine.',
      kind: 'server',
      transport: 'stdio',
      cmd: './bin/my_server',
      args: ['--port', '0', '--log', 'info'],
      env: [{ name: 'LOG_LEVEL', value: 'info', secret: false }],
      workingDir: '',
    },
  },
]
