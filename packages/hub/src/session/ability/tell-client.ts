import type { WorkContext } from '../../wire/index.ts'
import type { WorkEvent } from '../work/types.ts'

/** Lets the client hear how the work goes: every step and tool, and the text while it is written. */
export function tellClient(workContext: WorkContext): (event: WorkEvent) => void {
  let done = 0
  const tell = (message: string) => workContext.progress(++done, undefined, message)
  return (event) => {
    switch (event.type) {
      case 'text-delta':
        return workContext.partial(event.text)
      case 'tool-call':
        return tell(`uses ${event.name}`)
      case 'tool-result':
        return event.isError ? tell(`${event.name} failed`) : undefined
      case 'approval-wanted':
        return tell(`waits for an approval of ${event.name}`)
      case 'step-finished':
        return tell('finished a step')
      case 'retry':
        return tell(`tries again in ${event.delayMs} ms: ${event.because}`)
      case 'warning':
        return tell(event.text)
      case 'diff':
        return tell(`changes ${event.files.length === 1 ? event.files[0] : `${event.files.length} files`}`)
      case 'reasoning-delta':
        return undefined
    }
  }
}
