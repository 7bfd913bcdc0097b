import type { ToolDetail, ToolOverride } from '@herma/contract'
import { useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { useForm, type Form } from '../../form/use-form.ts'
import { announce } from '../../ui/overlay/toasts.tsx'
import { useShortcuts } from '../../ui/page/shortcuts.ts'
import { changesOf, OverrideForm, toDraft, type OverrideDraft } from './override-draft.ts'

const same = (draft: OverrideDraft): unknown => draft

export type OverrideEditing = Form<OverrideDraft, ToolOverride>

/** What a person says about a tool, until it is saved. */
export function useOverrideForm(detail: ToolDetail, mayChange: boolean) {
  const { connector, originalName, byHand } = detail
  const initial = useMemo(() => toDraft(byHand), [byHand])
  const form: OverrideEditing = useForm({ initial, schema: OverrideForm, toInput: same })
  const [isSaving, setSaving] = useState(false)
  const [error, setError] = useState<unknown>(null)

  async function save(): Promise<void> {
    const override = form.submit()
    if (override === null || isSaving) return
    const body = changesOf(byHand, override)
    setError(null)
    if (Object.keys(body).length === 0) return announce('Nothing to save.')
    setSaving(true)
    try {
      const saved = await api.changeOverride({ server: connector, tool: originalName, body })
      form.reset(toDraft(saved))
      announce('Saved.', 'Connected clients are told at once.')
      await queryClient.invalidateQueries({ queryKey: ['catalog'] })
    } catch (problem) {
      if (!form.refuse(problem)) setError(problem)
    } finally {
      setSaving(false)
    }
  }
  useShortcuts({ 'mod+s': () => void save() }, mayChange)
  return { form, save, isSaving, error }
}
