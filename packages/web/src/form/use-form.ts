import { useCallback, useMemo, useState } from 'react'
import type { ZodType } from 'zod'
import { ApiProblem } from '../api/problem.ts'

interface FormOptions<Draft, Output> {
  /** What the form shows at first; a new object with other content begins anew, unless something was changed. */
  readonly initial: Draft
  /** The same schema as the API's. */
  readonly schema: ZodType<Output>
  /** What is sent for a draft; it is what the schema checks. */
  readonly toInput: (draft: Draft) => unknown
}

export interface Form<Draft, Output> {
  readonly draft: Draft
  /** What it began with: what somebody else saves meanwhile is no change of this one. */
  readonly saved: Draft
  readonly isDirty: boolean
  readonly change: (part: Partial<Draft>) => void
  /** Begins anew with what was saved. */
  readonly reset: (draft: Draft) => void
  /** What is wrong with a field: `env.0.name`. Shown once the field was left, or saving was tried. */
  readonly problem: (path: string) => string | undefined
  /** How many problems can be seen. */
  readonly problemCount: number
  /** For onBlur of a field. */
  readonly touch: (path: string) => void
  /** The checked input, or null after moving the focus to the first problem. */
  readonly submit: () => Output | null
  /** Puts what the hub found wrong at its fields; false when nothing of it belongs to a field. */
  readonly refuse: (error: unknown) => boolean
}

/**
 * A draft that the contract's schema checks while it is edited. Controls have the path of their field as id, with the dots
 * as they are, so that the first problem can be focused; a problem without a control of its own belongs to the nearest one.
 */
export function useForm<Draft extends object, Output>(options: FormOptions<Draft, Output>): Form<Draft, Output> {
  const { initial, schema, toInput } = options
  // What the form began with last: only other content begins anew, or what was just saved would give way to what was there.
  const [begun, setBegun] = useState(initial)
  const [saved, setSaved] = useState(initial)
  const [draft, setDraft] = useState(initial)
  const [touched, setTouched] = useState<ReadonlySet<string> | 'all'>(new Set())
  const [refused, setRefused] = useState<Readonly<Record<string, string>>>({})
  const isDirty = useMemo(() => JSON.stringify(draft) !== JSON.stringify(saved), [draft, saved])
  if (initial !== begun && !isDirty && JSON.stringify(initial) !== JSON.stringify(begun)) {
    setBegun(initial)
    setSaved(initial)
    setDraft(initial)
  }

  const checked = useMemo(() => schema.safeParse(toInput(draft)), [schema, toInput, draft])
  const problems = useMemo(() => {
    const found: Record<string, string> = { ...refused }
    for (const { path, message } of checked.error?.issues ?? []) found[path.join('.')] ??= message
    return found
  }, [checked, refused])
  const isShown = (path: string) => touched === 'all' || path in refused || covers(touched, path)

  const change = useCallback((part: Partial<Draft>) => {
    setDraft((last) => ({ ...last, ...part }))
    setRefused({})
  }, [])
  const reset = useCallback((next: Draft) => {
    setSaved(next)
    setDraft(next)
    setTouched(new Set())
    setRefused({})
  }, [])

  return {
    draft,
    saved,
    isDirty,
    change,
    reset,
    problem: (path) => (isShown(path) ? problems[path] : undefined),
    problemCount: Object.keys(problems).filter(isShown).length,
    touch: (path) => setTouched((last) => (last === 'all' || last.has(path) ? last : new Set([...last, path]))),
    submit: () => {
      setTouched('all')
      if (checked.success && Object.keys(refused).length === 0) return checked.data
      const first = checked.error?.issues[0]?.path.join('.') ?? Object.keys(refused)[0]
      if (first !== undefined) focusField(first)
      return null
    },
    refuse: (error) => {
      if (!(error instanceof ApiProblem) || error.issues.length === 0) return false
      setRefused(Object.fromEntries(error.issues.map(({ path, message }) => [path, message])))
      setTouched('all')
      focusField(error.issues[0]!.path)
      return true
    },
  }
}

function covers(touched: ReadonlySet<string>, path: string): boolean {
  return touched.has(path) || [...touched].some((each) => path.startsWith(`${each}.`))
}

/** Moves the focus to the control of a field, or of the nearest field around it. */
function focusField(path: string): void {
  // Problems appear with the next paint, and may push the field away.
  requestAnimationFrame(() => {
    for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
      const control = document.getElementById(at)
      if (control === null) continue
      control.focus()
      control.scrollIntoView({ block: 'center' })
      return
    }
  })
}
