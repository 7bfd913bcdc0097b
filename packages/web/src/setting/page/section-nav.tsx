import { useEffect, useState } from 'react'
import { cn } from '../../ui/cn.ts'
import { Select } from '../../ui/form/field.tsx'
import type { SettingSection } from './settings-page.tsx'

interface SectionNavProps {
  readonly sections: readonly SettingSection[]
  /** Ids of those with changes that were not saved. */
  readonly dirty: ReadonlySet<string>
}

/** Leads to each section and shows which one is being read: a list at the side, a choice on a phone. */
export function SectionNav({ sections, dirty }: SectionNavProps) {
  const current = useCurrentSection(sections)
  const groups = [...new Set(sections.map(({ group }) => group))]
  return (
    <>
      <nav aria-label="Settings" className="sticky top-17 hidden content-start gap-4 self-start lg:grid">
        {groups.map((group) => (
          <div key={group} className="grid gap-px">
            <p className="px-2 pb-1 text-xs font-medium text-ink-3">{group}</p>
            {sections
              .filter((section) => section.group === group)
              .map(({ id, title }) => (
                <a
                  key={id}
                  href={`#${id}`}
                  onClick={(event) => {
                    event.preventDefault()
                    goTo(id)
                  }}
                  aria-current={id === current ? 'location' : undefined}
                  className={cn(
                    'flex h-7 items-center gap-2 rounded-md px-2 text-sm text-ink-2 hover:bg-well hover:text-ink',
                    id === current && 'bg-accent-soft font-medium text-accent-text hover:bg-accent-soft',
                  )}
                >
                  {title}
                  {dirty.has(id) && <DirtyMark />}
                </a>
              ))}
          </div>
        ))}
      </nav>
      <div className="sticky top-12 z-20 -mx-3 border-b border-line bg-bg px-3 py-2 sm:-mx-6 sm:px-6 lg:hidden">
        <Select aria-label="Go to" value={current} onChange={(event) => goTo(event.target.value)}>
          {groups.map((group) => (
            <optgroup key={group} label={group}>
              {sections
                .filter((section) => section.group === group)
                .map(({ id, title }) => (
                  <option key={id} value={id}>
                    {title}
                    {dirty.has(id) && ' (not saved)'}
                  </option>
                ))}
            </optgroup>
          ))}
        </Select>
      </div>
    </>
  )
}

function DirtyMark() {
  return (
    <span className="ml-auto size-1.5 rotate-45 bg-warn">
      <span className="sr-only">not saved</span>
    </span>
  )
}

/** The address tells the section, without a step back for each one that was looked at. */
function goTo(id: string): void {
  history.replaceState(history.state, '', `#${id}`)
  const section = document.getElementById(id)
  section?.scrollIntoView()
  section?.focus({ preventScroll: true })
}

function useCurrentSection(sections: readonly SettingSection[]): string | undefined {
  const [current, setCurrent] = useState(sections[0]?.id)
  // Some appear only once the hub has said who is looking.
  const ids = sections.map(({ id }) => id).join(' ')
  useEffect(() => {
    const wanted = location.hash.slice(1)
    if (ids.split(' ').includes(wanted)) goTo(wanted)
  }, [ids])
  useEffect(() => {
    const look = () => setCurrent((last) => findRead()?.id ?? last)
    look()
    addEventListener('scroll', look, { passive: true })
    return () => removeEventListener('scroll', look)
  }, [])
  return current
}

/** The section at the top of the window. The last ones may be too short to get there: then it is the one in the address. */
function findRead(): HTMLElement | undefined {
  const all = [...document.querySelectorAll<HTMLElement>('[data-section]')]
  const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2
  const named = isAtEnd ? all.find(({ id }) => `#${id}` === location.hash) : undefined
  return named ?? all.findLast((section) => section.getBoundingClientRect().top < 160) ?? all[0]
}
