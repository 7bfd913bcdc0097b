import type { Session } from '@herma/contract'
import type { Form } from '../../../form/use-form.ts'
import type { SessionDraft } from './session-draft.ts'

/** What every part of the form gets. */
export interface FormPart {
  readonly form: Form<SessionDraft, Session>
}
