import { useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { bindingsQuery, connectorsQuery, pinsQuery, serversQuery, sessionsQuery } from '../api/queries.ts'
import { cn } from '../ui/cn.ts'
import { navigation, type PagePath } from './navigation.ts'

/** The pages, with how much is on them. */
export function NavList({ onGo }: { onGo?: () => void }) {
  const path = useRouterState({ select: (state) => state.location.pathname })
  const counts = useCounts()
  return (
    <nav aria-label="Main" className="grid gap-4 px-2 py-3">
      {navigation.map(({ group, pages }) => (
        <div key={group ?? 'hub'} className="grid gap-px">
          {group !== null && <p className="px-2 pb-1 text-xs font-medium text-ink-3">{group}</p>}
          {pages.map(({ to, label, icon: Icon }) => {
            const isHere = to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`)
            return (
              <Link
                key={to}
                to={to}
                {...(onGo === undefined ? {} : { onClick: onGo })}
                aria-current={isHere ? 'page' : undefined}
                className={cn(
                  'flex h-8 items-center gap-2.5 rounded-md px-2 text-base text-ink-2 hover:bg-well hover:text-ink pointer-coarse:h-11',
                  isHere && 'bg-accent-soft font-medium text-accent-text hover:bg-accent-soft hover:text-accent-text',
                )}
              >
                <Icon className="size-4 shrink-0" aria-hidden />
                <span className="flex-1">{label}</span>
                {counts[to]}
              </Link>
            )
          })}
        </div>
      ))}
    </nav>
  )
}

function useCounts(): Partial<Record<PagePath, ReactNode>> {
  const connectors = useQuery(connectorsQuery).data
  const bindings = useQuery(bindingsQuery).data
  const sessions = useQuery(sessionsQuery).data
  const servers = useQuery(serversQuery).data
  const drifted = useQuery(pinsQuery).data?.filter(({ state }) => state !== 'approved').length ?? 0
  return {
    '/connectors': <Count number={connectors?.length} />,
    '/bindings': <Count number={bindings?.length} />,
    '/sessions': <Count number={sessions?.length} />,
    '/servers': <Count number={servers?.length} />,
    '/catalog': drifted > 0 && (
      <span className="tnum inline-flex h-4 items-center rounded-sm bg-warn-soft px-1 text-xs font-medium text-warn">
        {drifted}
        <span className="sr-only"> {drifted === 1 ? 'tool waits' : 'tools wait'} for approval</span>
      </span>
    ),
  }
}

function Count({ number }: { number: number | undefined }) {
  if (number === undefined || number === 0) return null
  return <span className="tnum text-xs font-normal text-ink-3">{number}</span>
}
