/** One command of a guide, and what the guide shows as its output. */
export interface GuideStep {
  readonly command: string
  readonly output: string
}

/** The commands of all console blocks, in order. */
export function readConsoleSteps(markdown: string): GuideStep[] {
  const blocks = [...markdown.matchAll(/^```console\n(.*?)^```/gms)].map(([, block = '']) => block)
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .filter((part) => part !== '')
      .map((part) => {
        const end = part.indexOf('\n')
        return { command: part.slice(0, end), output: part.slice(end + 1) }
      }),
  )
}

/** Columns are as wide as what stands in them, so spaces do not count; empty lines do not, either. */
export function squeeze(text: string): string {
  const lines = text.split('\n').map((line) => line.replaceAll(/\s+/g, ' ').trim())
  return lines.filter((line) => line !== '' && !/^(Testing|Calling) .* …$/.test(line)).join('\n')
}

/**
 * What fits a shown output: a line `…` stands for any lines, `…` in a line for anything, and times, keys, ids of traces
 * and bars of time for any others.
 */
export function outputPattern(shown: string): RegExp {
  const lines = squeeze(shown).split('\n')
  const patterns = lines.map((line) =>
    line === '…' ? '[^]*?' : `${line.split(' …').map(linePattern).join('.*')}(?:\\n|$)`,
  )
  return new RegExp(`^${lines[0] === '' ? '' : patterns.join('')}$`)
}

function linePattern(text: string): string {
  const escaped = text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return escaped
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+\\\.\d+Z/g, String.raw`\S+Z`)
    .replaceAll(/\d+ ms\b/g, String.raw`[\d.]+ m?s`)
    .replaceAll(/ (ok|error|cancelled) \d+ /g, String.raw` $1 [\d.]+ `)
    .replaceAll(/hk_\w+…/g, '.+')
    .replaceAll(/\b[0-9a-f]{32}\b/g, '[0-9a-f]{32}')
    .replace(/^\\\+\S+ \S+ /, String.raw`\+\S+ [=.|]+ `)
}
