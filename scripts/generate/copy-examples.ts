import { extname } from 'node:path'

const languages: Record<string, string> = { '.mjs': 'js', '.js': 'js', '.ts': 'ts', '.json': 'json', '.sh': 'sh' }

/**
 * Puts the text of an example into the code block after its marker `<!-- example: path -->`, or adds the block.
 * So the code in documents is code that runs.
 */
export function copyExamples(document: string, read: (path: string) => string): string {
  const marker = /^<!-- example: (\S+) -->\n(\n*^```(\S*)\n.*?^```\n)?/gms
  return document.replaceAll(marker, (_, path: string, block: string | undefined, found: string | undefined) => {
    const language = languages[extname(path)] ?? ''
    // A block in another language is the author's own.
    const kept = block === undefined || found === language ? '' : block
    return `<!-- example: ${path} -->\n\n\`\`\`${language}\n${read(path).trimEnd()}\n\`\`\`\n${kept}`
  })
}
