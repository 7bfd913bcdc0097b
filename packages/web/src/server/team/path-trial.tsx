import type { PathVerdict, TeamPathQuestion } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../../api/client.ts'
import { Card } from '../../ui/card.tsx'
import { explain } from '../../ui/explain.ts'
import { Field, Input } from '../../ui/form/field.tsx'
import { StatusDot, type Tone } from '../../ui/status-dot.tsx'
import { toTeamInput, type TeamDraft } from '../form/server-draft.ts'

const typingMs = 250

/** Type a path and see at once what the policy on the page says of it, saved or not. */
export function PathTrial({ team, draft }: { team: string; draft: TeamDraft }) {
  const [path, setPath] = useState('')
  const { paths, workingDir } = toTeamInput(draft)
  const asked = useSettled(JSON.stringify({ path: path.trim(), paths, workingDir }))
  const { data, error } = useQuery({
    queryKey: ['teams', team, 'path', asked],
    queryFn: ({ signal }) => api.testTeamPath({ name: team, body: JSON.parse(asked) as TeamPathQuestion }, { signal }),
    enabled: (JSON.parse(asked) as TeamPathQuestion).path !== '',
    // What was said of the path before stays until there is a new verdict, so that nothing flickers.
    placeholderData: (last) => last,
    retry: false,
    gcTime: 0,
  })
  return (
    <Card title="Try a path" hint="With the policy on this page, before you save it.">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
        <Field id="path-trial" label="Path" hint="Absolute, or relative to the working directory.">
          <Input
            id="path-trial"
            mono
            aria-describedby="path-trial-hint"
            placeholder="src/index.ts"
            value={path}
            onChange={(event) => setPath(event.target.value)}
          />
        </Field>
        <output className="block min-h-10">
          {path.trim() !== '' && error !== null && <StatusDot tone="bad">{explain(error)}</StatusDot>}
          {path.trim() !== '' && error === null && data !== undefined && <Verdict verdict={data} />}
        </output>
      </div>
    </Card>
  )
}

function Verdict({ verdict: { allowed, writable, path, root, because } }: { verdict: PathVerdict }) {
  const [tone, text]: [Tone, string] = !allowed
    ? ['bad', 'Refused']
    : writable
      ? ['ok', 'May be read and written']
      : ['warn', 'May be read']
  return (
    <StatusDot tone={tone}>
      <span className="font-medium">{text}</span>: {because}.
      {root !== null && <span className="block font-mono text-sm text-ink-3">{path}</span>}
    </StatusDot>
  )
}

/** The value once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), typingMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
