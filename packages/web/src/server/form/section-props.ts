import type { Form } from '../../form/use-form.ts'
import type { HostedDraft, ServerDraft, SwitchDraft, TeamDraft } from './server-draft.ts'

/** What every section of the form of a server gets. */
export interface SectionProps {
  readonly form: Pick<Form<ServerDraft, unknown>, 'draft' | 'change' | 'problem' | 'touch'>
  /** False for those who may only look. */
  readonly mayChange: boolean
}

/** Changes parts of a draft that lie deeper. */
export function changers({ draft, change }: SectionProps['form']) {
  return {
    setServer: (part: Partial<SwitchDraft>) => change({ server: { ...draft.server, ...part } }),
    setTeam: (part: Partial<TeamDraft>) => draft.team !== null && change({ team: { ...draft.team, ...part } }),
    setHosted: (part: Partial<HostedDraft>) =>
      draft.hosted !== null && change({ hosted: { ...draft.hosted, ...part } }),
  }
}
