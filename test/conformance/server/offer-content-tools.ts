import { setTimeout as sleep } from 'node:timers/promises'
import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import { audio, embedded, image, text, textResult } from './content.ts'

const pauseMs = 50

/** Tools that answer by themselves: every kind of content, an error, log messages and progress. */
export function offerContentTools(mcp: McpServer): void {
  mcp.registerTool('test_simple_text', { description: 'Answers with one text.' }, () =>
    textResult('This is a simple text response for testing.'),
  )
  mcp.registerTool('test_image_content', { description: 'Answers with an image.' }, () => ({ content: [image] }))
  mcp.registerTool('test_audio_content', { description: 'Answers with a sound.' }, () => ({ content: [audio] }))
  mcp.registerTool('test_embedded_resource', { description: 'Answers with an embedded resource.' }, () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }))
  mcp.registerTool('test_multiple_content_types', { description: 'Answers with text, image and resource.' }, () => ({
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', JSON.stringify({ test: 'data', value: 123 })),
    ],
  }))
  mcp.registerTool('test_error_handling', { description: 'Always fails.' }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  mcp.registerTool('test_tool_with_logging', { description: 'Logs three times while it works.' }, callWithLogging)
  mcp.registerTool(
    'test_logging_tool',
    { description: 'Logs, so that a client that did not ask hears nothing.' },
    callWithLogging,
  )
  mcp.registerTool('test_tool_with_progress', { description: 'Reports progress three times.' }, callWithProgress)
}

async function callWithLogging({ mcpReq }: ServerContext) {
  await mcpReq.log('info', 'Tool execution started')
  await sleep(pauseMs)
  await mcpReq.log('info', 'Tool processing data')
  await sleep(pauseMs)
  await mcpReq.log('info', 'Tool execution completed')
  return textResult('Logged three messages.')
}

async function callWithProgress({ mcpReq }: ServerContext) {
  const { _meta: meta } = mcpReq
  const progressToken = meta?.progressToken
  for (const progress of [0, 50, 100]) {
    if (progress > 0) await sleep(pauseMs)
    if (progressToken === undefined) continue
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
  }
  return textResult('Reported progress three times.')
}
