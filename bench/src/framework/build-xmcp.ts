import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { freePort } from '../machine/free-port.ts'
import type { Program } from './contender.ts'
import { benchPath } from './framework-path.ts'

const run = promisify(execFile)
const maxBuffer = 64 * 1024 * 1024

export interface XmcpBuild {
  folder: string
  port: number
}

const builds = new Map<string, Promise<XmcpBuild>>()

/** Compiles a program for xmcp, once for each run of the bench: its tools are files, and its port is compiled in. */
export function buildXmcp(program: Program, tools: number): Promise<XmcpBuild> {
  const key = `${program}-${tools}`
  const building = builds.get(key) ?? build(program, tools, benchPath(`peers/xmcp/dist/${key}`))
  builds.set(key, building)
  return building
}

async function build(program: Program, tools: number, folder: string): Promise<XmcpBuild> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(`${folder}/src/tools`, { recursive: true })
  if (program === 'load') writeTools(`${folder}/src/tools`, tools)
  else
    cpSync(benchPath(program === 'hello' ? 'src/framework/hello/xmcp' : 'peers/xmcp/feature'), folder, {
      recursive: true,
    })
  const port = await freePort()
  if (program !== 'hello') {
    const paths = program === 'load' ? { prompts: false, resources: false } : undefined
    const config = { stdio: true, http: { host: '127.0.0.1', port }, paths }
    writeFileSync(`${folder}/xmcp.config.ts`, `export default ${JSON.stringify(config)}\n`)
  }
  const compilerOptions = { target: 'es2022', module: 'commonjs', moduleResolution: 'node', skipLibCheck: true }
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions }))
  writeFileSync(`${folder}/package.json`, JSON.stringify({ name: 'bench', private: true }))
  await run(process.execPath, [benchPath('peers/xmcp/node_modules/xmcp/dist/cli.js'), 'build'], {
    cwd: folder,
    maxBuffer,
  })
  return { folder, port }
}

function writeTools(folder: string, tools: number): void {
  for (let index = 0; index < tools; index++) {
    const name = index === 0 ? 'add' : `add${index}`
    const lines = [
      `import { z } from 'zod'`,
      `export const metadata = { name: '${name}', description: 'Adds two numbers.' }`,
      `export const schema = { a: z.number(), b: z.number() }`,
      `export default ({ a, b }: { a: number; b: number }) => String(a + b)`,
    ]
    writeFileSync(`${folder}/${name}.ts`, `${lines.join('\n')}\n`)
  }
}

/** Installs xmcp with its compiler when it is missing or another version. */
export async function installXmcp(say: (line: string) => void): Promise<void> {
  const { dependencies } = readJson('peers/xmcp/package.json') as { dependencies: Record<string, string> }
  const isInstalled = Object.entries(dependencies).every(([name, version]) => {
    const manifest = `peers/xmcp/node_modules/${name}/package.json`
    return existsSync(benchPath(manifest)) && (readJson(manifest) as { version: string }).version === version
  })
  if (isInstalled) return
  say('Installing xmcp into bench/peers/xmcp (once, about 110 MB) …')
  await run('npm', ['ci'], { cwd: benchPath('peers/xmcp'), maxBuffer })
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(benchPath(path), 'utf8'))
