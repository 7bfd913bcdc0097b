import { connectSnippets, type ConnectSnippet } from '@herma/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { cn } from '../ui/cn.ts'
import { CodeBox } from '../ui/code-box.tsx'

interface ConnectClientsProps {
  readonly endpoint: string
  /** What the server is called in the client. */
  readonly name?: string
  /** The header in which it wants a key; absent = it wants none. */
  readonly keyHeader?: string | undefined
}

/** For each client that we know, what to type or paste so that it uses a server of this hub. */
export function ConnectClients({ endpoint, name = 'herma', keyHeader }: ConnectClientsProps) {
  const snippets = connectSnippets(endpoint, name, { keyHeader })
  const [chosen, setChosen] = useState<ConnectSnippet['client']>('claude-code')
  const current = snippets.find(({ client }) => client === chosen) ?? snippets[0]
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
        <p className="text-sm font-medium">Address</p>
        <CodeBox text={endpoint} label="the address" />
      </div>
      <div role="radiogroup" aria-label="Client" className="flex flex-wrap gap-1.5">
        {snippets.map(({ client, title }) => (
          <label
            key={client}
            className={cn(
              'relative flex h-8 items-center rounded-md border border-line px-3 text-sm text-ink-2 hover:bg-well has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent pointer-coarse:h-11',
              client === current?.client && 'border-accent bg-accent-soft font-medium text-accent-text',
            )}
          >
            <input
              type="radio"
              name={`client-${name}`}
              checked={client === current?.client}
              onChange={() => setChosen(client)}
              className="absolute inset-0 m-0 opacity-0"
            />
            {title}
          </label>
        ))}
      </div>
      {current !== undefined && <Snippet {...current} />}
    </div>
  )
}

function Snippet({ title, file, text, note, needsPublicUrl }: ConnectSnippet) {
  if (needsPublicUrl)
    return (
      <p className="text-sm text-ink-2">
        {title} reaches public addresses only, and this hub has none. Put a tunnel or a proxy before it, and say under{' '}
        <Link to="/settings" hash="reachability" className="underline">
          Settings, Reachability
        </Link>{' '}
        where it is. Then its address is here.
      </p>
    )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <p className="text-sm text-ink-2">
        {file === undefined ? (
          'Run this in a terminal:'
        ) : (
          <>
            Put this into <code className="font-mono">{file}</code>:
          </>
        )}
      </p>
      <CodeBox text={text} label={`the configuration of ${title}`} />
      {note !== undefined && <p className="text-sm text-ink-2">{note}</p>}
    </div>
  )
}
