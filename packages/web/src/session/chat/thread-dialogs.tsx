import { ThreadInput, type ThreadView } from '@herma/contract'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useForm } from '../../form/use-form.ts'
import { describe, Field, Input } from '../../ui/form/field.tsx'
import { Confirm } from '../../ui/overlay/dialog.tsx'
import { Failure } from '../../ui/page/page-state.tsx'

const toInput = (draft: { title: string }) => draft

export function RenameThread({ thread, onClose }: { thread: ThreadView; onClose: () => void }) {
  const form = useForm({ initial: { title: thread.title }, schema: ThreadInput, toInput })
  const { mutateAsync: rename } = useChange({
    topics: ['threads'],
    send: (body: ThreadInput) => api.renameThread({ name: thread.session, thread: thread.id, body }),
  })
  return (
    <FormDialog title="Rename thread" action="Rename" form={form} save={(input) => rename(input)} onClose={onClose}>
      <Field id="title" label="Title" error={form.problem('title')}>
        <Input
          {...describe('title', form.problem('title'))}
          value={form.draft.title}
          onChange={(event) => form.change({ title: event.target.value })}
        />
      </Field>
    </FormDialog>
  )
}

interface DeleteThreadProps {
  readonly thread: ThreadView
  readonly onClose: () => void
  readonly onDeleted: () => void
}

export function DeleteThread({ thread, onClose, onDeleted }: DeleteThreadProps) {
  const remove = useChange({
    topics: ['threads'],
    send: () => api.removeThread({ name: thread.session, thread: thread.id }),
    done: () => 'The thread is deleted.',
    onDone: () => {
      onClose()
      onDeleted()
    },
  })
  return (
    <Confirm
      isOpen
      title="Delete this thread?"
      action="Delete thread"
      pending={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p className="[overflow-wrap:anywhere]">
        “{thread.title || 'New thread'}” and all its messages are gone then. A turn under way in it ends. Its traces
        stay.
      </p>
      {remove.error !== null && <Failure title="It was not deleted." error={remove.error} />}
    </Confirm>
  )
}
