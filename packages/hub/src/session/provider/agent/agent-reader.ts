import { StringDecoder } from 'node:string_decoder'
import { LineSplitter } from '../../../platform/text/line-splitter.ts'
import { isObject } from '../../../wire/index.ts'
import type { AgentTalk } from './agent-talk.ts'
import { createClaudeReader } from './claude-reader.ts'
import type { AgentDialect } from './command-line.ts'
import { readCodexEvent } from './read-codex-event.ts'

/** Turns what an agent prints into its talk. */
export interface AgentReader {
  push(chunk: Buffer): void
  end(): void
}

const maxLineLength = 8 * 1024 * 1024

export function createAgentReader(dialect: AgentDialect, talk: AgentTalk): AgentReader {
  if (dialect === 'text') return createTextReader(talk)
  const read = dialect === 'codex' ? readCodexEvent : createClaudeReader()
  return new LineSplitter({
    maxLength: maxLineLength,
    onLine(line, isCut) {
      if (isCut) return talk.warn('The agent printed a line that is too long to read.')
      const event = parseEvent(line.trim())
      if (event !== null) read(event, talk)
    },
  })
}

/** Banners and remarks between events are nobody's fault; an agent that says nothing else did not answer. */
function parseEvent(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : null
  } catch {
    // See above.
    return null
  }
}

/** All that it prints is its answer. */
function createTextReader(talk: AgentTalk): AgentReader {
  const decoder = new StringDecoder('utf8')
  return {
    push: (chunk) => talk.sayOn(decoder.write(chunk)),
    end: () => {
      talk.sayOn(decoder.end())
      talk.text = talk.text.trim()
    },
  }
}
