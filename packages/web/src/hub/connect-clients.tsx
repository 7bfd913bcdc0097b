import { connectSnippets } from '@herma/contract'
import { CodeBox } from '../ui/code-box.tsx'
import { Section } from '../ui/section.tsx'

/** The endpoint and, for each client that we know, what to type or paste. */
export function ConnectClients({ endpoint }: { endpoint: string }) {
  return (
    <Section title="Connect a client" hint="Every client uses the same address; it offers the tools of all connectors.">
      <CodeBox text={endpoint} label="the endpoint" />
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-3 lg:grid-cols-[repeat(2,minmax(0,1fr))]">
        {connectSnippets(endpoint).map(({ client, title, file, text }) => (
          <li
            key={client}
            className="grid grid-cols-[minmax(0,1fr)] content-start gap-2 rounded-lg border border-line bg-surface p-4"
          >
            <div className="flex flex-wrap items-baseline gap-x-2">
              <h3 className="font-medium">{title}</h3>
              <p className="text-sm text-ink-3">{file ?? 'In a terminal'}</p>
            </div>
            <CodeBox text={text} label={`the configuration of ${title}`} />
          </li>
        ))}
      </ul>
    </Section>
  )
}
