import { setTimeout as sleep } from 'node:timers/promises'
import { content, ToolError, type AnyApp, type Context } from '@herma/framework'
import { audio, embedded, image } from '../server/content.ts'

const pauseMs = 50

/** Tools that answer by themselves: every kind of content, an error, log messages and progress. */
export function offerContent(app: AnyApp): void {
  app
    .tool('test_simple_text', { description: 'One text.' }, () => 'This is a simple text response for testing.')
    .tool('test_image_content', { description: 'An image.' }, () => image)
    .tool('test_audio_content', { description: 'A sound.' }, () => audio)
    .tool('test_embedded_resource', { description: 'An embedded resource.' }, () =>
      content.embed('test://embedded-resource', 'This is an embedded resource content.', 'text/plain'),
    )
    .tool('test_multiple_content_types', { description: 'Text, image and resource.' }, () => [
      content.text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', JSON.stringify({ test: 'data', value: 123 })),
    ])
    .tool('test_error_handling', { description: 'Always fails.' }, () => {
      throw new ToolError('This tool intentionally returns an error for testing')
    })
    .tool('test_tool_with_logging', { description: 'Logs three times while it works.' }, callWithLogging)
    .tool('test_logging_tool', { description: 'Logs; who did not ask hears nothing.' }, callWithLogging)
    .tool('test_tool_with_progress', { description: 'Reports progress three times.' }, async (_, context) => {
      for (const done of [0, 50, 100]) {
        if (done > 0) await sleep(pauseMs)
        context.progress(done, 100)
      }
      return 'Reported progress three times.'
    })
}

async function callWithLogging(_: object, { log }: Context) {
  log.info('Tool execution started')
  await sleep(pauseMs)
  log.info('Tool processing data')
  await sleep(pauseMs)
  log.info('Tool execution completed')
  return 'Logged three messages.'
}
