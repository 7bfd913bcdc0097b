import { Pause, Play } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

interface LiveSwitchProps {
  readonly isLive: boolean
  readonly isPaused: boolean
  readonly onChange: (isPaused: boolean) => void
}

/** Whether new calls appear by themselves, and the button that holds them. */
export function LiveSwitch({ isLive, isPaused, onChange }: LiveSwitchProps) {
  return (
    <>
      <span className="text-sm">
        {isPaused ? (
          <StatusDot tone="off">Paused</StatusDot>
        ) : isLive ? (
          <StatusDot tone="ok">Live</StatusDot>
        ) : (
          <StatusDot tone="warn">Not live, trying again</StatusDot>
        )}
      </span>
      <Button onClick={() => onChange(!isPaused)}>
        {isPaused ? <Play aria-hidden /> : <Pause aria-hidden />}
        <span className="max-sm:sr-only">{isPaused ? 'Resume' : 'Pause'}</span>
      </Button>
    </>
  )
}
