import { setTimeout as sleep } from 'node:timers/promises'
import type { ToolExtraArguments } from 'xmcp'

export const metadata = { name: 'steps', description: 'Reports progress.' }

export default async function steps(_: unknown, { _meta, sendNotification }: ToolExtraArguments) {
  const report = (progress: number) =>
    sendNotification({
      method: 'notifications/progress',
      params: { progressToken: _meta?.progressToken, progress, total: 2 },
    })
  await report(1)
  await sleep(300)
  await report(2)
  await sleep(300)
  return 'done'
}
