import type { InteropAgent } from '../runner/client.ts'
import type { AgentName } from '../runner/options.ts'
import type { Programs } from '../runner/programs.ts'
import { describeClaudeCode } from './claude-code.ts'
import { describeCodex } from './codex.ts'
import { describeGeminiCli } from './gemini-cli.ts'
import { describeOpencode } from './opencode.ts'

/** How each agent is found, once it is installed. */
export const agentDescriptions: Record<AgentName, (programs: Programs) => Promise<InteropAgent>> = {
  'claude-code': describeClaudeCode,
  codex: describeCodex,
  'gemini-cli': describeGeminiCli,
  opencode: describeOpencode,
}
