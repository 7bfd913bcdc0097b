import { useIsLive } from '../api/changes.ts'
import { useMe } from '../api/me.ts'
import { useStatus } from '../api/queries.ts'
import { StatusDot } from '../ui/status-dot.tsx'

/** Bottom-left: which hub this is, whether its changes arrive, and as whom one looks. */
export function HubFoot() {
  const { data: status } = useStatus()
  const { data: me } = useMe()
  const isLive = useIsLive()
  if (status === undefined) return null
  return (
    <div className="mt-auto grid gap-1 border-t border-line px-4 py-3 text-xs text-ink-3">
      <StatusDot tone={isLive ? 'ok' : 'warn'}>
        {new URL(status.endpoint).host} · v{status.version}
        <span className="sr-only">{isLive ? ', live' : ', asking every few seconds'}</span>
      </StatusDot>
      {me !== undefined && (
        <span>
          {me.kind === 'user' ? (
            <a href="/auth/account" className="rounded-sm underline underline-offset-2 hover:text-ink">
              {me.name}
            </a>
          ) : (
            me.name
          )}
          , {me.role}
        </span>
      )}
    </div>
  )
}
