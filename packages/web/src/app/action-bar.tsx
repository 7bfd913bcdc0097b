import type { ReactNode } from 'react'

/** Save, Test and Cancel of a form; always in sight. `status` counts problems or says that all is saved. */
export function ActionBar({ status, children }: { status: ReactNode; children: ReactNode }) {
  return (
    <div className="sticky bottom-0 z-20 -mx-3 mt-auto flex flex-wrap items-center gap-2 border-t border-line bg-bg px-3 py-2.5 sm:-mx-6 sm:px-6">
      <output className="mr-auto min-w-0 text-sm text-ink-2">{status}</output>
      {children}
    </div>
  )
}
