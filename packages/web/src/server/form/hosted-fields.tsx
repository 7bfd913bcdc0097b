import { quoteWord, type Transport } from '@herma/contract'
import { argumentTokens } from '../../connector/form/stdio-fields.tsx'
import { PathField } from '../../form/path-field.tsx'
import { CodeBox } from '../../ui/code-box.tsx'
import { describe, Field, Input, Select } from '../../ui/form/field.tsx'
import { Chips } from '../../ui/list-editor/chips.tsx'
import { KeyValueEditor } from '../../ui/list-editor/key-value-editor.tsx'
import { changers, type SectionProps } from './section-props.ts'
import type { HostedDraft } from './server-draft.ts'

const transports: Record<Transport, string> = {
  stream: 'Streamable HTTP, preferred',
  stdio: 'STDIO, a command on the machine of the hub',
  http: 'HTTP with plain JSON answers',
  sse: 'HTTP+SSE of 2024, for old servers',
}

const tokens = argumentTokens.filter(({ token }) => ['{cwd}', '{server_id}'].includes(token))

/** What a custom server hosts: a command that Herma runs, or a server at another address. */
export function HostedFields({ form, mayChange }: SectionProps) {
  const { hosted } = form.draft
  const { setHosted } = changers(form)
  if (hosted === null) return null
  return (
    <>
      <Field id="connector.transport" label="Transport" hint={<TransportHelp transport={hosted.transport} />}>
        <Select
          {...describe('connector.transport')}
          value={hosted.transport}
          disabled={!mayChange}
          onChange={(event) => setHosted({ transport: event.target.value as Transport })}
        >
          {Object.entries(transports).map(([id, label]) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      {hosted.transport === 'stdio' ? (
        <CommandFields form={form} mayChange={mayChange} hosted={hosted} />
      ) : (
        <AddressFields form={form} mayChange={mayChange} hosted={hosted} />
      )}
    </>
  )
}

type HostedProps = SectionProps & { readonly hosted: HostedDraft }

function CommandFields({ form, mayChange, hosted }: HostedProps) {
  const { setHosted } = changers(form)
  const error = form.problem('connector.cmd')
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
        <Field id="connector.cmd" label="Executable" error={error} hint="A name on the PATH of the hub, or a path.">
          <PathField
            {...describe('connector.cmd', error)}
            kind="file"
            label="the executable"
            canBrowse={mayChange}
            disabled={!mayChange}
            placeholder="npx"
            value={hosted.cmd}
            onChange={(cmd) => setHosted({ cmd })}
            onBlur={() => form.touch('connector.cmd')}
          />
        </Field>
        <Field id="connector.workingDir" label="Working directory" optional hint="Where the command runs.">
          <PathField
            {...describe('connector.workingDir')}
            kind="folder"
            label="the working directory"
            canBrowse={mayChange}
            disabled={!mayChange}
            value={hosted.workingDir}
            onChange={(workingDir) => setHosted({ workingDir })}
          />
        </Field>
      </div>
      <Field
        id="connector.args"
        label="Arguments"
        optional
        hint="Enter adds one; a pasted command line is split. Drag, or Alt with the arrow keys, to reorder."
      >
        <fieldset disabled={!mayChange} className="min-w-0">
          <Chips
            id="connector.args"
            noun="argument"
            values={hosted.args}
            onChange={(args) => setHosted({ args })}
            tokens={tokens}
            problem={form.problem}
            describedBy="connector.args-hint"
          />
        </fieldset>
      </Field>
      <div className="grid gap-1">
        <h3 className="text-sm font-medium">Environment variables</h3>
        <KeyValueEditor
          id="connector.env"
          noun="variable"
          rows={hosted.env}
          onChange={(env) => setHosted({ env })}
          problem={form.problem}
          onTouch={form.touch}
          disabled={!mayChange}
          examples={['LOG_LEVEL', 'info']}
        />
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
        <h3 className="text-sm font-medium">Command preview</h3>
        <CodeBox label="the command" text={previewCommand(hosted)} />
      </div>
    </>
  )
}

function AddressFields({ form, mayChange, hosted }: HostedProps) {
  const { setHosted } = changers(form)
  const error = form.problem('connector.baseUrl')
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
        <Field id="connector.baseUrl" label="Base URL" error={error} hint="Where the server is.">
          <Input
            {...describe('connector.baseUrl', error)}
            mono
            type="url"
            disabled={!mayChange}
            placeholder="https://mcp.example.com"
            value={hosted.baseUrl}
            onChange={(event) => setHosted({ baseUrl: event.target.value })}
            onBlur={() => form.touch('connector.baseUrl')}
          />
        </Field>
        <Field id="connector.endpointPath" label="Endpoint path" optional hint="Empty: the path of the base URL.">
          <Input
            {...describe('connector.endpointPath')}
            mono
            disabled={!mayChange}
            placeholder="/mcp"
            value={hosted.endpointPath}
            onChange={(event) => setHosted({ endpointPath: event.target.value })}
          />
        </Field>
      </div>
      <div className="grid gap-1">
        <h3 className="text-sm font-medium">Headers</h3>
        <KeyValueEditor
          id="connector.headers"
          noun="header"
          rows={hosted.headers}
          onChange={(headers) => setHosted({ headers })}
          problem={form.problem}
          onTouch={form.touch}
          disabled={!mayChange}
          examples={['X-Api-Key', 'your key']}
        />
      </div>
    </>
  )
}

function TransportHelp({ transport }: { transport: Transport }) {
  if (transport === 'stdio')
    return 'Herma starts the command when it is needed and speaks with it over its input and output. For servers that run on this machine.'
  if (transport === 'stream')
    return 'The server runs elsewhere and is reached over HTTP, with answers that may come in parts. For everything that has an address.'
  return transport === 'http'
    ? 'Like Streamable HTTP, for servers that answer every request at once.'
    : 'Only for servers that know nothing newer.'
}

/** Exactly what runs, with secrets left out. */
function previewCommand({ cmd, args, env, workingDir }: HostedDraft): string {
  const place = workingDir.trim() === '' ? '' : `${quoteWord(workingDir.trim())} $ `
  const variables = env
    .filter(({ name }) => name.trim() !== '')
    .map(({ name, value, secret }) => `${name.trim()}=${secret ? '•••' : quoteWord(value ?? '')}`)
  const words = [
    cmd.trim() === '' ? '…' : quoteWord(cmd.trim()),
    ...args.map((arg) => (arg === '' ? "''" : quoteWord(arg))),
  ]
  return place + [...variables, ...words].join(' ')
}
