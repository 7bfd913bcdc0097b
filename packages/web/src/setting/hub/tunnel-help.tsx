import { useStatus } from '../../api/queries.ts'
import { CodeBox } from '../../ui/code-box.tsx'
import { Tabs } from '../../ui/tabs.tsx'

/** How others get to a hub that has no address of its own: with a program that makes a tunnel. */
export function TunnelHelp() {
  const { data: status } = useStatus()
  if (status === undefined) return null
  const { origin, port } = new URL(status.endpoint)
  const ways = [
    { id: 'cloudflared', text: `cloudflared tunnel --url ${origin}` },
    { id: 'tailscale', text: `tailscale funnel ${port}` },
    { id: 'ngrok', text: `ngrok http ${port}` },
    { id: 'ssh', text: `ssh -R 8080:127.0.0.1:${port} you@your-server` },
    { id: 'caddy', text: `caddy reverse-proxy --from mcp.example.com --to 127.0.0.1:${port}` },
  ]
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2 border-t border-line p-4">
      <h3 className="text-sm font-medium text-ink-2">A tunnel to this hub</h3>
      <p className="text-ink-2">
        Herma starts no tunnel itself. Start one of these on the machine of the hub, write the https address that it
        prints into Public URL above, save, and check it.
      </p>
      <Tabs
        label="Tunnels"
        listClassName="px-0"
        tabs={ways.map(({ id, text }) => ({
          id,
          label: id,
          body: (
            <div className="grid grid-cols-[minmax(0,1fr)] gap-2 pt-3">
              <CodeBox text={text} label="the command" />
              {id === 'ssh' && (
                <p className="text-sm text-ink-2">
                  It brings bare bytes: on your server a web server with a certificate has to pass them on to port 8080.
                </p>
              )}
            </div>
          ),
        }))}
      />
    </div>
  )
}
