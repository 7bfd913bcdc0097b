import { ContainerIsolation, describeContainer, type Isolation } from '@herma/contract'
import { describe, Field, Input, Select } from '../../ui/form/field.tsx'
import { Chips } from '../../ui/list-editor/chips.tsx'
import { Touches } from '../touches.tsx'
import { type IsolationDraft, toIsolation } from './draft/isolation-draft.ts'

const types: readonly { readonly id: Isolation['type']; readonly label: string }[] = [
  { id: 'process', label: 'Process: the state of the hub is hidden from it' },
  { id: 'container', label: 'Container: Docker or Podman, and what is listed here' },
  { id: 'none', label: 'None: it sees the files of the hub' },
]

/** A form that says what a program may touch: of a connector, or of what is installed or imported. */
export interface IsolationForm {
  readonly draft: {
    readonly isolation: IsolationDraft
    /** As far as it is known. */
    readonly cmd: string
  }
  readonly change: (part: { readonly isolation: IsolationDraft }) => void
  readonly problem: (path: string) => string | undefined
  readonly touch: (path: string) => void
}

/** What the program may touch. */
export function IsolationFields({ form, hint }: { form: IsolationForm; hint?: string }) {
  const { draft, change, problem, touch } = form
  const { isolation } = draft
  const set = (part: Partial<IsolationDraft>) => change({ isolation: { ...isolation, ...part } })
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Field
        id="isolation"
        label="Isolation"
        hint={hint ?? 'What the program may touch. Another choice starts it anew.'}
        error={problem('isolation')}
      >
        <Select
          {...describe('isolation', problem('isolation'))}
          value={isolation.type}
          onChange={(event) => set({ type: event.target.value as Isolation['type'] })}
          onBlur={() => touch('isolation')}
        >
          {types.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      {isolation.type === 'process' && (
        <IsolationField
          form={form}
          name="user"
          label="Run as another user"
          hint="For a hub that is root: a user of the machine, or uid:gid. Keeps it from the other files of root."
          placeholder="mcp"
        />
      )}
      {isolation.type === 'container' && <ContainerFields form={form} set={set} />}
    </div>
  )
}

function ContainerFields({ form, set }: { form: IsolationForm; set: (part: Partial<IsolationDraft>) => void }) {
  const { draft, problem } = form
  const { isolation } = draft
  const checked = ContainerIsolation.safeParse(toIsolation(isolation))
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <IsolationField
          form={form}
          name="image"
          label="Image"
          hint="npx and uvx have one by themselves. Without an executable it runs the image’s own."
          placeholder="mcp/fetch"
        />
        <IsolationField
          form={form}
          name="network"
          label="Network"
          hint="none, or a network of the engine. npx and uvx need one to fetch their package."
          placeholder="none"
        />
        <IsolationField form={form} name="memoryMb" label="Memory" hint="In MB, with /tmp." />
        <IsolationField form={form} name="cpus" label="Processors" hint="A part of one is fine: 0.5" />
        <IsolationField form={form} name="processes" label="Processes" hint="At once, with threads." />
        <Field id="isolation.engine" label="Engine" hint="Docker where it answers, else Podman.">
          <Select
            {...describe('isolation.engine')}
            value={isolation.engine}
            onChange={(event) => set({ engine: event.target.value })}
          >
            <option value="">the one that answers</option>
            <option>docker</option>
            <option>podman</option>
          </Select>
        </Field>
      </div>
      <Field
        id="isolation.mounts"
        label="Mounted folders"
        optional
        error={problem('isolation.mounts') ?? mountProblem(isolation, problem)}
        hint="It sees no others. For reading only; :rw at the end lets it write, :/path in between puts it there."
      >
        <Chips
          id="isolation.mounts"
          noun="folder"
          isOrdered={false}
          values={isolation.mounts}
          onChange={(mounts) => set({ mounts })}
          placeholder="/srv/project:rw"
          isInvalid={problem('isolation.mounts') !== undefined}
          describedBy="isolation.mounts-hint"
        />
      </Field>
      {checked.success && <Touches touches={describeContainer(checked.data, draft.cmd.trim())} title="It may touch" />}
    </>
  )
}

function mountProblem({ mounts }: IsolationDraft, problem: IsolationForm['problem']): string | undefined {
  const at = (index: number) => ['source', 'target'].map((part) => problem(`isolation.mounts.${index}.${part}`))
  return mounts.flatMap((_, index) => at(index)).find((text) => text !== undefined)
}

interface IsolationFieldProps {
  readonly form: IsolationForm
  readonly name: 'user' | 'image' | 'network' | 'memoryMb' | 'cpus' | 'processes'
  readonly label: string
  readonly hint: string
  readonly placeholder?: string
}

function IsolationField({ form, name, label, hint, placeholder }: IsolationFieldProps) {
  const { draft, change, problem, touch } = form
  const id = `isolation.${name}`
  return (
    <Field id={id} label={label} hint={hint} error={problem(id)} optional={name === 'user' || name === 'image'}>
      <Input
        {...describe(id, problem(id))}
        mono
        value={draft.isolation[name]}
        placeholder={placeholder}
        onChange={(event) => change({ isolation: { ...draft.isolation, [name]: event.target.value } })}
        onBlur={() => touch(id)}
      />
    </Field>
  )
}
