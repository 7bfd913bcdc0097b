import { basename } from 'node:path'

/** A legal name for a connector, or an empty text when nothing of it can be used. */
export function toConnectorName(text: string): string {
  return text
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 40)
}

/** Proposes a name from a package, program or image: `@scope/server-files@1.2` is `files`. */
export function guessNameOf(program: string): string {
  const last = basename(program.replace(/(?<=.)@[^/]*$/, '').replace(/[/\\]+$/, ''))
  const bare = last
    .replace(/:.*$/, '')
    .replace(/\.(?:[cm]?[jt]s|py|rb|sh|exe)$/i, '')
    .replace(/^(?:mcp-server-|server-|mcp-|mcp_server_|mcp_)/i, '')
    .replace(/(?:-mcp-server|-mcp|-server|_mcp|_server|_mcp_server)$/i, '')
  return finish(bare === '' || bare === 'mcp' ? last : bare)
}

/** Proposes a name from an address: `https://mcp.context7.com/mcp` is `context7`. */
export function guessNameOfUrl(url: URL): string {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (/^[\d.:]+$/.test(host) || host === 'localhost') return finish(`local-${url.port || '80'}`)
  const labels = host.split('.').filter((label) => !/^(?:www|mcp|api|app|server|sse)$/i.test(label))
  // The last label is the top-level domain.
  return finish(labels.length > 1 ? labels.at(-2)! : (labels[0] ?? host))
}

// The name of Herma's own tools is taken.
function finish(text: string): string {
  const name = toConnectorName(text)
  if (name === '') return 'server'
  return name === 'herma' ? 'herma-server' : name
}
