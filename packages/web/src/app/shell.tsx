import { Outlet, useNavigate } from '@tanstack/react-router'
import { Menu as MenuSign, Moon, Search, Sun } from 'lucide-react'
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { useChanges } from '../api/changes.ts'
import { useMe } from '../api/me.ts'
import { ApiProblem } from '../api/problem.ts'
import { IconButton } from '../ui/button.tsx'
import { CodeBox } from '../ui/code-box.tsx'
import { Modal } from '../ui/overlay/dialog.tsx'
import { Toasts } from '../ui/overlay/toasts.tsx'
import { Page } from '../ui/page/page.tsx'
import { useShortcuts } from '../ui/page/shortcuts.ts'
import { HubFoot } from './hub-foot.tsx'
import { HubNotice } from './hub-notice.tsx'
import { NavList } from './nav-list.tsx'
import { navigation } from './navigation.ts'
import { setDark, useIsDark } from './theme.ts'

const Palette = lazy(() => import('./palette.tsx'))
const KeyHelp = lazy(() => import('./key-help.tsx'))

/** What stays around every page: where one is, where one can go, and whether the hub is well. */
export function Shell() {
  const [open, setOpen] = useState<'palette' | 'keys' | 'navigation' | null>(null)
  const close = () => setOpen(null)
  useShellKeys(setOpen)
  return (
    <>
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-accent px-3 py-2 text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <div className="grid min-h-dvh grid-cols-[minmax(0,1fr)] lg:grid-cols-[216px_minmax(0,1fr)]">
        <aside
          aria-label="Sidebar"
          className="sticky top-0 hidden h-dvh flex-col overflow-y-auto border-r border-line bg-bg lg:flex"
        >
          <div className="flex h-12 shrink-0 items-center px-4">
            <Brand />
          </div>
          <NavList />
          <HubFoot />
        </aside>
        <div className="flex min-w-0 flex-col">
          <header className="sticky top-0 z-30 flex h-12 items-center gap-2 border-b border-line bg-bg px-3 sm:px-6">
            <IconButton label="Open navigation" className="lg:hidden" onClick={() => setOpen('navigation')}>
              <MenuSign aria-hidden />
            </IconButton>
            <span className="mr-auto lg:invisible">
              <Brand />
            </span>
            <SearchButton onClick={() => setOpen('palette')} />
            <ThemeButton />
          </header>
          <HubNotice />
          <Content />
        </div>
      </div>
      {open === 'navigation' && <PhoneNavigation onClose={close} />}
      <Suspense>
        {open === 'palette' && <Palette onClose={close} />}
        {open === 'keys' && <KeyHelp onClose={close} />}
      </Suspense>
      <Toasts />
    </>
  )
}

/** Whoever the hub does not know sees how to sign in, and nothing else. */
function Content() {
  const { error } = useMe()
  if (error instanceof ApiProblem && error.status === 401) return <SignIn />
  return <SignedIn />
}

function SignedIn() {
  useChanges()
  useFetchAhead()
  return <Outlet />
}

function useShellKeys(setOpen: (what: 'palette' | 'keys') => void): void {
  const navigate = useNavigate()
  const shortcuts = useMemo(() => {
    const pages = navigation.flatMap(({ pages: each }) => each)
    const chords = pages.map(({ key, to }) => [`g ${key}`, () => void navigate({ to })] as const)
    return {
      ...Object.fromEntries(chords),
      'mod+k': () => setOpen('palette'),
      '?': () => setOpen('keys'),
      '/': () => document.querySelector<HTMLElement>('[data-filter]')?.focus(),
    }
  }, [navigate, setOpen])
  useShortcuts(shortcuts)
}

function SearchButton({ onClick }: { onClick: () => void }) {
  return (
    <button
      type="button"
      onClick={onClick}
      aria-keyshortcuts="Control+K Meta+K"
      className="flex h-8 items-center gap-2 rounded-md border border-line-strong bg-surface px-2.5 text-sm text-ink-2 hover:bg-well pointer-coarse:h-11"
    >
      <Search className="size-4" aria-hidden />
      <span className="w-36 text-left max-md:sr-only">Search or run…</span>
      <kbd
        aria-hidden
        className="hidden rounded-sm border border-line bg-well px-1 font-sans text-xs text-ink-3 md:inline"
      >
        Ctrl K
      </kbd>
    </button>
  )
}

function ThemeButton() {
  const isDark = useIsDark()
  return (
    <IconButton label={isDark ? 'Use the light theme' : 'Use the dark theme'} onClick={() => setDark(!isDark)}>
      {isDark ? <Sun aria-hidden /> : <Moon aria-hidden />}
    </IconButton>
  )
}

function PhoneNavigation({ onClose }: { onClose: () => void }) {
  return (
    <Modal
      label="Navigation"
      onClose={onClose}
      className="fixed inset-y-0 left-0 h-dvh w-64 flex-col overflow-y-auto border-r border-line bg-bg shadow-pop open:flex"
    >
      <div className="flex h-12 shrink-0 items-center px-4">
        <Brand />
      </div>
      <NavList onGo={onClose} />
      <HubFoot />
    </Modal>
  )
}

const fetchAheadMs = 1000

/**
 * Fetches what the first page leaves out while nobody waits for it: the next one is there at once, and the pages go on
 * while the hub is away.
 */
function useFetchAhead(): void {
  useEffect(() => {
    const timer = setTimeout(
      () => void Promise.allSettled([import('./pages.ts'), import('./palette.tsx'), import('./key-help.tsx')]),
      fetchAheadMs,
    )
    return () => clearTimeout(timer)
  }, [])
}

/** For a browser that the hub does not know. */
function SignIn() {
  return (
    <Page title="Sign in">
      <div className="grid max-w-xl grid-cols-[minmax(0,1fr)] gap-3 rounded-lg border border-line bg-surface p-4">
        <p className="font-medium">Sign in to see this hub.</p>
        <p className="text-ink-2">On the machine where it runs, this opens the page signed in:</p>
        <CodeBox text="npx herma open" label="the command" />
        <p className="text-ink-2">
          You have a user here?{' '}
          <a className="underline" href="/login">
            Sign in with your name
          </a>
        </p>
      </div>
    </Page>
  )
}

/** The name of the product with its sign: three roads that meet at a pillar. */
function Brand() {
  return (
    <span className="flex items-center gap-2 text-lg font-semibold tracking-tight">
      <svg viewBox="0 0 20 20" className="size-5" fill="none" strokeWidth="1.8" strokeLinecap="round" aria-hidden>
        <path d="M10 10 3 4M10 10l7-6M10 10v8" className="stroke-accent" />
        <circle cx="10" cy="10" r="3" className="fill-bg stroke-ink" />
      </svg>
      Herma
    </span>
  )
}
