import type { ToolFinding } from '@herma/contract'
import { Command } from 'commander'

import { oneLine } from '../../clean-text.ts'
import { type Cli, connectHub } from '../../cli.ts'
import { exitCodes } from '../../exit-codes.ts'
import { describeFindings } from './describe-findings.ts'

export function scanCommand(cli: Cli): Command {
  return new Command('scan')
    .description('look for hidden characters, injected instructions and look-alike names; danger makes it fail')
    .action(async () => {
      const hub = await connectHub(cli)
      const answer = await hub.send<{ findings: ToolFinding[] }>('GET', '/api/catalog/findings')
      if (answer.findings.some(({ severity }) => severity === 'danger')) cli.exitCode = exitCodes.failed
      cli.terminal.answer(answer, () => describeScan(cli, answer.findings))
    })
}

function describeScan({ terminal }: Cli, findings: readonly ToolFinding[]): string {
  if (findings.length === 0) return 'Nothing was found.'
  const byTool = new Map<string, ToolFinding[]>()
  for (const finding of findings) {
    const key = `${finding.connector} ${finding.tool}`
    byTool.set(key, [...(byTool.get(key) ?? []), finding])
  }
  return [...byTool]
    .map(([tool, found]) => `${terminal.style('bold', oneLine(tool))}\n${describeFindings(found, terminal)}`)
    .join('\n\n')
}
