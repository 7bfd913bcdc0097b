import { CodeBox } from '../ui/code-box.tsx'
import { Section } from '../ui/section.tsx'

const steps = [
  {
    title: 'Add a server',
    hint: 'Any MCP server will do. This one comes with the clone.',
    command: 'npx herma add hello -- node examples/hello-server/server.mjs',
  },
  {
    title: 'Or bring the servers that a client already has',
    hint: 'Give the file in which the client keeps them.',
    command: 'npx herma add --file ~/.cursor/mcp.json',
  },
  { title: 'See what it offers', hint: 'These are the names that clients will see.', command: 'npx herma tools' },
]

/** What a new hub shows in place of its connectors. */
export function FirstSteps() {
  return (
    <Section title="No connectors yet" hint="A connector is one MCP server that this hub calls for its clients.">
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-4 rounded-lg border border-line bg-surface p-4">
        {steps.map(({ title, hint, command }, index) => (
          <li key={title} className="grid grid-cols-[24px_minmax(0,1fr)] gap-x-2">
            <span
              className="tnum grid size-5 place-items-center rounded-full bg-accent-soft text-xs font-medium text-accent"
              aria-hidden
            >
              {index + 1}
            </span>
            <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
              <div>
                <h3 className="font-medium">{title}</h3>
                <p className="text-ink-2">{hint}</p>
              </div>
              <CodeBox text={command} label={`the command: ${title}`} />
            </div>
          </li>
        ))}
      </ol>
    </Section>
  )
}
