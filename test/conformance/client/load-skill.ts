import { createHash } from 'node:crypto'
import { fromJsonSchema, type Client } from '@modelcontextprotocol/client'

type Skill = {
  uri: string
  frontmatter: Record<string, unknown>
  resources: { uri: string; digest: string; size: number }[]
}

const listResult = fromJsonSchema<{ skills: Skill[] }>({
  type: 'object',
  properties: { skills: { type: 'array' } },
  required: ['skills'],
})

/** The skills of a server (SEP-2640). */
export async function listSkills(client: Client): Promise<Skill[]> {
  const { skills } = await client.request({ method: 'skills/list', params: {} }, listResult)
  return skills
}

/** Loads the first skill as a host must: each file is verified before the next one is read. */
export async function loadSkill(client: Client): Promise<void> {
  const [skill] = await listSkills(client)
  if (!skill) throw new Error('No skill is listed.')
  for (const { uri, digest, size } of skill.resources) {
    const text = await readText(client, uri)
    const found = `sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`
    if (Buffer.byteLength(text) !== size || found !== digest) return
    if (uri === skill.uri && !hasFrontmatter(text, skill.frontmatter)) return
  }
}

async function readText(client: Client, uri: string): Promise<string> {
  const { contents } = await client.readResource({ uri })
  const [content] = contents
  if (!content || !('text' in content)) throw new Error(`${uri} has no text.`)
  return content.text
}

/** The suite's frontmatter is one `name: value` a line. */
function hasFrontmatter(text: string, expected: Record<string, unknown>): boolean {
  const block = /^---\n([^]*?)\n---\n/.exec(text)?.[1] ?? ''
  const found = Object.fromEntries(block.split('\n').map((line) => line.split(/:\s*(.*)/, 2)))
  return Object.entries(expected).every(([name, value]) => found[name] === value)
}
