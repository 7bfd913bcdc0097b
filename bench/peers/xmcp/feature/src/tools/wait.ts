import type { ToolExtraArguments } from 'xmcp'

export const metadata = { name: 'wait', description: 'Waits until it is cancelled.' }

export default async function wait(_: unknown, { signal }: ToolExtraArguments) {
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  // Tools are bundled apart from each other, so that what they share lives in the process.
  process.env.WAS_CANCELLED = 'true'
  return 'stopped'
}
