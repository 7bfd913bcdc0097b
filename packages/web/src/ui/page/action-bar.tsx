import type { ReactNode } from 'react'

interface ActionBarProps {
  /** Counts problems or says that all is saved. */
  readonly status: ReactNode
  /** Why it could not be saved: in sight wherever the form is scrolled to. */
  readonly problem?: ReactNode
  readonly children: ReactNode
}

/** Save, Test and Cancel of a form; always in sight. */
export function ActionBar({ status, problem, children }: ActionBarProps) {
  return (
    <div className="sticky bottom-0 z-20 -mx-3 mt-auto flex flex-wrap items-center gap-2 border-t border-line bg-bg px-3 py-2.5 sm:-mx-6 sm:px-6">
      {problem !== undefined && <div className="basis-full empty:hidden">{problem}</div>}
      <output className="mr-auto min-w-0 text-sm text-ink-2">{status}</output>
      {children}
    </div>
  )
}
