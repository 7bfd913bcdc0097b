import { CustomTool } from '@herma/contract'
import { onTestFinished } from 'vitest'
import { startProcessWatchdog, type ProcessWatchdog } from '../../../platform/process/process-watchdog.ts'
import { createLog } from '../../../platform/log.ts'
import { createTemporaryHome } from '../../../platform/testing/temporary-home.ts'
import { facadeName, localOperator, modernRevision, type Caller } from '../../../wire/index.ts'
import type { OwnTool, ToolContext } from '../../core/own-tool.ts'
import { createCustomTool } from '../create-custom-tool.ts'

export interface TestTools {
  readonly configHome: string
  readonly watchdog: ProcessWatchdog
  /** Makes a tool of an entry of custom_tools.json that has no name. */
  create(entry: Partial<CustomTool> & { readonly command: string }): OwnTool
  context(signal?: AbortSignal): ToolContext
}

const caller: Caller = {
  server: facadeName,
  principal: localOperator,
  era: 'modern',
  revision: modernRevision,
  clientInfo: null,
  capabilities: {},
  connectionId: null,
  logLevel: null,
}

function uncalled(): Promise<never> {
  return Promise.reject(new Error('a command asks nothing of the hub'))
}

/** Custom tools in a config home of their own, which is gone after the test. The word hunter2 is a secret. */
export async function setUpTools(environment: NodeJS.ProcessEnv = { PATH: process.env['PATH'] }): Promise<TestTools> {
  const home = await createTemporaryHome()
  const watchdog = startProcessWatchdog()
  onTestFinished(async () => {
    watchdog.stop()
    await home.remove()
  })
  const options = {
    configHome: home.path,
    stateHome: `${home.path}/state`,
    watchdog,
    log: createLog('silent'),
    environment,
    redact: (text: string) => text.replaceAll('hunter2', '••••'),
  }
  return {
    configHome: home.path,
    watchdog,
    create: (entry) =>
      createCustomTool({ ...CustomTool.parse({ name: 'tool', ...entry }), origin: 'custom_tools.json' }, options),
    context: (signal = new AbortController().signal) => ({
      signal,
      caller,
      workContext: () => {
        throw new Error('Commands do no errands.')
      },
      call: uncalled,
      callExposed: uncalled,
      readResource: uncalled,
      progress: () => undefined,
    }),
  }
}
