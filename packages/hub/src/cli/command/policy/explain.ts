import type { AccessQuestion, Decision } from '@herma/contract'
import { Command } from 'commander'

import { oneLine } from '../../clean-text.ts'
import { type Cli, connectHub } from '../../cli.ts'
import { exitCodes } from '../../exit-codes.ts'
import { jsonInput, type JsonOption, parseJsonObject } from '../../json-option.ts'

const inputLimitBytes = 16_777_216

interface ExplainFlags {
  server?: string
  method?: string
  remote?: boolean
  json?: JsonOption
}

export function explainCommand(cli: Cli): Command {
  return new Command('explain')
    .description('say whether somebody may call something, and why; nothing is called')
    .argument('<principal>', 'operator, user:NAME, key:NAME or client:ID')
    .argument('[target]', 'name of the tool or prompt, or URI of the resource')
    .option('--server <name>', 'the served server; absent: facade')
    .option('--method <method>', 'what is asked for; absent: tools/call')
    .option('--remote', 'as if the request came from another machine')
    .addOption(jsonInput('ARGUMENTS'))
    .addHelpText('after', `\nExit code ${exitCodes.failed} when it is refused.`)
    .action(async (principal: string, target: string | undefined, flags: ExplainFlags) => {
      const { server, method, remote, json } = flags
      const text = json?.text === '-' ? await cli.terminal.readInput(inputLimitBytes) : json?.text
      const question: AccessQuestion = {
        principal,
        ...(target !== undefined && { target }),
        ...(server !== undefined && { server }),
        ...(method !== undefined && { method }),
        ...(text !== undefined && { arguments: parseJsonObject(text, 'The arguments') }),
        loopback: remote !== true,
      }
      const hub = await connectHub(cli)
      const decision = await hub.send<Decision>('POST', '/api/access/explain', question)
      if (!decision.allowed) cli.exitCode = exitCodes.failed
      cli.terminal.answer(decision, () => describeDecision(cli, decision))
    })
}

function describeDecision({ terminal }: Cli, { allowed, why, trail }: Decision): string {
  const verdict = allowed ? terminal.style('green', 'Allowed.') : terminal.style('red', 'Refused.')
  const steps = trail.flatMap(({ step, outcome, note, values }) => [
    `${outcome.padEnd(8)}  ${step}  ${oneLine(note)}`,
    ...Object.entries(values).map(([field, value]) =>
      terminal.style('dim', `            ${field} = ${oneLine(value)}`),
    ),
  ])
  return [`${verdict} ${oneLine(why)}`, '', ...steps].join('\n')
}
