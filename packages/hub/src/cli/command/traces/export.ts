import { writeFile } from 'node:fs/promises'
import { TraceFormat } from '@herma/contract'
import { Command, Option } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatBytes } from '../../format-quantity.ts'
import { addFilterFlags, readFilterFlags, type FilterFlags } from './filter-flags.ts'
import { requestText } from './request-text.ts'

interface Flags extends FilterFlags {
  readonly format: TraceFormat
  readonly output?: string
}

export function exportCommand(cli: Cli): Command {
  return addFilterFlags(new Command('export'))
    .description('write a trace, or all events that match, as a file for another tool')
    .argument('[trace]', 'id of a trace; absent: the newest 10,000 events that match the flags')
    .addOption(new Option('-f, --format <format>', 'the form').choices(TraceFormat.options).default('json'))
    .option('-o, --output <file>', 'where it goes; absent: standard output')
    .addHelpText('after', `\n${formats}`)
    .action(async (traceId: string | undefined, flags: Flags) => {
      const query = traceId === undefined ? readFilterFlags(flags) : new URLSearchParams()
      query.set('format', flags.format)
      const hub = await connectHub(cli)
      const place = traceId === undefined ? 'download' : `${encodeURIComponent(traceId)}/download`
      const text = await requestText(new URL(`/api/traces/${place}?${query.toString()}`, hub.url))
      if (flags.output === undefined) return cli.terminal.printForeign(text)
      // Recorded bodies may be nobody else's business.
      await writeFile(flags.output, text, { mode: 0o600 })
      const size = Buffer.byteLength(text)
      cli.terminal.answer({ file: flags.output, bytes: size }, () => `Wrote ${flags.output} (${formatBytes(size)}).`)
    })
}

const formats = `Forms:
  json              the events as they are stored
  codex             a session file of Codex (JSON lines)
  claude            a transcript of Claude Code (JSON lines)
  gemini            contents of the Gemini API
  openai            messages of the chat completions API
  openai-responses  items of the responses API
  otlp              spans for an OpenTelemetry collector
  har               requests and answers, for herma traces replay --file

Arguments and results are in it when the server's capture level was bodies: herma traces capture`
