import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../machine/free-port.ts'
import { makeTemporaryFolder } from '../machine/temporary-folder.ts'
import { startGateway } from './start-gateway.ts'
import type { Target } from './target.ts'

/** A reverse proxy in C with one worker: what moving the bytes costs when it is written for that alone. */
export const nginx: Target = {
  name: 'nginx',
  kind: 'foreign',
  program: 'nginx',
  note: 'nginx with one worker and kept connections, no MCP',
  dialects: { legacy: 'legacy', modern: 'modern' },
  isBlind: true,
  refuses: (fleet) =>
    fleet.connectors.length > 1 || fleet.connectors[0]?.endpoint.kind === 'stdio'
      ? 'it passes HTTP on to one server'
      : null,
  async start(fleet) {
    const [port, home] = [await freePort(), await makeTemporaryFolder('nginx')]
    const endpoint = fleet.connectors[0]?.endpoint
    const { host } = new URL(endpoint?.kind === 'http' ? endpoint.url : '')
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${join(home, name)};`,
    )
    const config = join(home, 'nginx.conf')
    await writeFile(
      config,
      `daemon off; worker_processes 1; pid ${join(home, 'pid')}; error_log ${join(home, 'error')} crit;
       events { worker_connections 4096; }
       http {
         access_log off; ${temporary.join(' ')}
         keepalive_requests 100000000;
         upstream server { server ${host}; keepalive 256; keepalive_requests 100000000; }
         server {
           listen 127.0.0.1:${port};
           location / { proxy_pass http://server; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; }
         }
       }`,
    )
    const args = ['-c', config, '-p', home, '-e', join(home, 'error')]
    return startGateway({ name: 'nginx', command: 'nginx', args, port, fleet, dialect: fleet.era ?? 'legacy', home })
  },
}
