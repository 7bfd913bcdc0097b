import { describe, Field, Input } from '../../ui/form/field.tsx'
import { KeyValueEditor } from '../../ui/list-editor/key-value-editor.tsx'
import { OAuthFields } from './oauth-fields.tsx'
import { joinAddress } from './draft/preview-draft.ts'
import { SecretHints } from './secret-hints.tsx'
import type { ConnectorForm } from './use-connector-form.ts'

/** Where a server with a URL is, and what it is shown with every request. */
export function HttpFields({ form }: { form: ConnectorForm }) {
  const { draft, change, problem, touch } = form
  const address =
    draft.baseUrl === '' ? 'Where the server is.' : `Requests go to ${joinAddress(draft.baseUrl, draft.endpointPath)}`
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Field id="baseUrl" label="Base URL" hint={address} error={problem('baseUrl')}>
          <Input
            {...describe('baseUrl', problem('baseUrl'))}
            mono
            type="url"
            inputMode="url"
            value={draft.baseUrl}
            placeholder="https://mcp.example.com"
            onChange={(event) => change({ baseUrl: event.target.value })}
            onBlur={() => touch('baseUrl')}
          />
        </Field>
        <Field
          id="endpointPath"
          label="Endpoint path"
          optional
          hint="Comes behind the URL."
          error={problem('endpointPath')}
        >
          <Input
            {...describe('endpointPath', problem('endpointPath'))}
            mono
            value={draft.endpointPath}
            placeholder="/mcp"
            onChange={(event) => change({ endpointPath: event.target.value })}
            onBlur={() => touch('endpointPath')}
          />
        </Field>
      </div>
      <SecretHints form={form} field="baseUrl" />
      <SecretHints form={form} field="endpointPath" />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
        <h3 className="text-sm font-medium">Headers</h3>
        <p className="text-sm text-ink-3">
          Sent with every request. Secret values are encrypted and never shown again.
        </p>
        <KeyValueEditor
          id="headers"
          noun="header"
          rows={draft.headers}
          onChange={(headers) => change({ headers })}
          problem={problem}
          onTouch={touch}
          canBePersonal={draft.options.credentials === 'personal'}
          examples={['X-Api-Key', 'value']}
        />
        <SecretHints form={form} field="headers" />
      </div>
      <OAuthFields form={form} />
    </>
  )
}
