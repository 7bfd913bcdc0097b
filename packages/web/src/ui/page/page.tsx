import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useEffect, type ReactNode } from 'react'
import { cn } from '../cn.ts'

interface PageProps {
  readonly title: string
  /** Shown as the heading; by default the title. */
  readonly heading?: ReactNode
  readonly hint?: ReactNode
  /** At the right of the heading. */
  readonly actions?: ReactNode
  /** The pages above this one. */
  readonly above?: readonly { readonly label: string; readonly to: string }[]
  /** wide = for lists and panels side by side. */
  readonly width?: 'normal' | 'wide'
  readonly className?: string
  readonly children: ReactNode
}

/** The frame of every page: its title, its heading and its content, never wider than can be read. */
export function Page({ title, heading, hint, actions, above = [], width = 'normal', className, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Herma`
  }, [title])
  return (
    <main
      id="main"
      tabIndex={-1}
      className={cn(
        'mx-auto grid w-full grid-cols-[minmax(0,1fr)] content-start gap-5 px-3 pt-5 pb-12 outline-none sm:px-6',
        width === 'normal' ? 'max-w-[1180px]' : 'max-w-[1920px]',
        className,
      )}
    >
      <div className="grid gap-1">
        {above.length > 0 && <Crumbs above={above} title={title} />}
        <div className="flex flex-wrap items-end gap-x-3 gap-y-2">
          <div className="mr-auto min-w-0">
            <h1 className="text-2xl font-semibold tracking-tight [overflow-wrap:anywhere]">{heading ?? title}</h1>
            {hint !== undefined && <div className="mt-1 max-w-[80ch] text-ink-2">{hint}</div>}
          </div>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      </div>
      {children}
    </main>
  )
}

function Crumbs({ above, title }: { above: NonNullable<PageProps['above']>; title: string }) {
  return (
    <nav aria-label="Breadcrumb">
      <ol className="flex flex-wrap items-center gap-1 text-sm text-ink-3">
        {above.map(({ label, to }) => (
          <li key={to} className="flex items-center gap-1">
            <Link to={to} className="rounded-sm hover:text-ink hover:underline">
              {label}
            </Link>
            <ChevronRight className="size-3.5" aria-hidden />
          </li>
        ))}
        <li aria-current="page" className="text-ink-2">
          {title}
        </li>
      </ol>
    </nav>
  )
}
