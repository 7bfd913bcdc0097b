import { readdirSync, readFileSync, statSync } from 'node:fs'
import { requestResult } from '../client/mcp-client.ts'
import { StreamableClient } from '../client/streamable-client.ts'
import { LEGACY_REVISION } from '../wire/protocol.ts'
import { servesStdio, type Contender } from './contender.ts'
import { benchPath } from './framework-path.ts'
import { makeLaunch } from './launch.ts'
import { startHttp } from './start-http.ts'
import { StdioPeer, type Params } from './stdio-peer.ts'

export interface Hello {
  contender: string
  lines: number
  files: number
}

type Ask = (method: string, params: Params) => Promise<Record<string, unknown>>

/** Runs the hello world, calls its tool, its resource template and its prompt, and counts its lines. */
export async function measureHello(contender: Contender, cwd: string): Promise<Hello> {
  await (servesStdio(contender) ? checkOverStdio(contender, cwd) : checkOverHttp(contender, cwd))
  const name = contender.name
  const files =
    name === 'xmcp' ? listFiles(benchPath('src/framework/hello/xmcp')) : [benchPath(`src/framework/hello/${name}.mjs`)]
  const lines = files.reduce((sum, file) => sum + countLines(readFileSync(file, 'utf8')), 0)
  return { contender: name, lines, files: files.length }
}

/** Lines with code: neither empty nor a comment. All files are formatted by the same formatter at 120 columns. */
export function countLines(text: string): number {
  return text.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length
}

async function checkOverStdio(contender: Contender, cwd: string): Promise<void> {
  const peer = new StdioPeer(await makeLaunch(contender, 'hello', { way: 'stdio/legacy' }), cwd)
  try {
    await peer.initialize(LEGACY_REVISION)
    await checkAnswers(contender, async (method, params) => {
      const { result, error } = await peer.request(method, params)
      if (!result) throw new Error(`${contender.name} answers ${method} with ${JSON.stringify(error)}`)
      return result
    })
  } finally {
    await peer.stop()
  }
}

async function checkOverHttp(contender: Contender, cwd: string): Promise<void> {
  const { url, started } = await startHttp(await makeLaunch(contender, 'hello', { way: 'http/legacy' }), cwd)
  const client = new StreamableClient({ url }, 'legacy', 10_000)
  try {
    await client.open()
    await checkAnswers(contender, (method, params) => requestResult(client, method, params))
  } finally {
    client.disconnect()
    await started.stop()
  }
}

async function checkAnswers({ name }: Contender, ask: Ask): Promise<void> {
  const answers = [
    { wanted: '"3"', got: await ask('tools/call', { name: 'add', arguments: { a: 1, b: 2 } }) },
    { wanted: 'Hello, Ana!', got: await ask('resources/read', { uri: 'greeting://Ana' }) },
    { wanted: String.raw`Review:\nx`, got: await ask('prompts/get', { name: 'review', arguments: { code: 'x' } }) },
  ]
  for (const { wanted, got } of answers) {
    const text = JSON.stringify(got)
    if (!text.includes(wanted)) throw new Error(`the hello world of ${name} answered ${text} instead of ${wanted}`)
  }
}

function listFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = `${folder}/${name}`
    return statSync(path).isDirectory() ? listFiles(path) : [path]
  })
}
