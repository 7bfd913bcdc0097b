const headers = { 'content-type': 'application/json' }

/** Makes a server the only downstream of a hub; returns where the hub serves it, and how to remove it again. */
export async function addConnector(hubUrl: string, serverUrl: string) {
  const { origin, pathname } = new URL(serverUrl)
  const connector = {
    name: 'suite',
    transport: 'stream',
    baseUrl: origin,
    endpointPath: pathname,
    options: { prefix: '', era: 'auto' },
  }
  const connectors = new URL('/api/connectors', hubUrl).href
  await request(connectors, { method: 'POST', headers, body: JSON.stringify(connector) })
  return {
    url: new URL('/mcp', hubUrl).href,
    remove: () => request(`${connectors}/suite`, { method: 'DELETE' }),
  }
}

async function request(url: string, init: RequestInit): Promise<void> {
  const response = await fetch(url, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`The hub refused ${init.method} ${url} with ${response.status}: ${text}`)
}
