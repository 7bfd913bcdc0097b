import { ConnectorOAuth } from '@herma/contract'
import { useState } from 'react'
import { describe, Field, Input, Select } from '../../ui/form/field.tsx'
import { SecretInput } from '../../ui/form/secret-input.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import type { OAuthDraft } from './draft/connector-draft.ts'
import type { ConnectorForm } from './use-connector-form.ts'

/** How the hub signs in to a server that wants OAuth. Most servers need none of it. */
export function OAuthFields({ form }: { form: ConnectorForm }) {
  const { draft, change, problem } = form
  const { oauth } = draft
  const set = (part: Partial<OAuthDraft>) => change({ oauth: { ...oauth, ...part } })
  return (
    <div id="oauth" tabIndex={-1} className="grid grid-cols-[minmax(0,1fr)] gap-3 outline-none">
      <Switch
        checked={oauth.isOn}
        onChange={(isOn) => set({ isOn })}
        label="Settings of the sign-in (OAuth)"
        hint="Leave this off unless its provider gave you a client id. Herma registers itself where a server asks for a sign-in."
      />
      {problem('oauth') !== undefined && <p className="text-sm text-bad">{problem('oauth')}</p>}
      {oauth.isOn && <OAuthInputs form={form} set={set} />}
    </div>
  )
}

function OAuthInputs({ form, set }: { form: ConnectorForm; set: (part: Partial<OAuthDraft>) => void }) {
  const { draft, problem, touch } = form
  const { oauth } = draft
  const [usesKey, setUsesKey] = useState(oauth.hasPrivateKey)
  const text = (field: 'clientId' | 'scope' | 'clientMetadataUrl') => ({
    ...describe(`oauth.${field}`, problem(`oauth.${field}`)),
    mono: true,
    value: oauth[field],
    onChange: ({ target }: { target: { value: string } }) => set({ [field]: target.value }),
    onBlur: () => touch(`oauth.${field}`),
  })
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 border-l-2 border-line pl-4 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <Field id="oauth.grant" label="Who signs in" hint={grants[oauth.grant]} error={problem('oauth.grant')}>
        <Select
          {...describe('oauth.grant')}
          value={oauth.grant}
          onChange={(event) => set({ grant: event.target.value as OAuthDraft['grant'] })}
        >
          <option value="authorization_code">a person (authorization code)</option>
          <option value="client_credentials">the hub by itself (client credentials)</option>
        </Select>
      </Field>
      <Field
        id="oauth.scope"
        label="Scopes"
        optional
        hint="Separated by spaces. Empty = what the server names."
        error={problem('oauth.scope')}
      >
        <Input {...text('scope')} placeholder="read write" />
      </Field>
      <Field
        id="oauth.clientId"
        label="Client id"
        optional={oauth.grant === 'authorization_code'}
        hint="Empty = Herma registers itself."
        error={problem('oauth.clientId')}
      >
        <Input {...text('clientId')} />
      </Field>
      <Field
        id="oauth.clientMetadataUrl"
        label="Client metadata URL"
        optional
        error={problem('oauth.clientMetadataUrl')}
      >
        <Input {...text('clientMetadataUrl')} placeholder="https://…" />
      </Field>
      <Field id="oauth.clientSecret" label="Client secret" optional error={problem('oauth.clientSecret')}>
        <SecretInput
          {...describe('oauth.clientSecret', problem('oauth.clientSecret'))}
          label="the client secret"
          value={oauth.clientSecret}
          isStored={oauth.hasClientSecret}
          onChange={(clientSecret) => set({ clientSecret })}
        />
      </Field>
      <div className="grid content-end">
        <Switch checked={usesKey} onChange={setUsesKey} label="Use a private key" hint="In place of a client secret." />
      </div>
      {usesKey && (
        <>
          <Field id="oauth.privateKey" label="Private key" hint="PKCS#8 in PEM." error={problem('oauth.privateKey')}>
            <SecretInput
              {...describe('oauth.privateKey', problem('oauth.privateKey'))}
              label="the private key"
              value={oauth.privateKey}
              isStored={oauth.hasPrivateKey}
              onChange={(privateKey) => set({ privateKey })}
              onPaste={(event) => {
                // A field of one line would drop the breaks of a PEM file.
                event.preventDefault()
                set({ privateKey: event.clipboardData.getData('text') })
              }}
            />
          </Field>
          <Field id="oauth.algorithm" label="Algorithm" error={problem('oauth.algorithm')}>
            <Select
              {...describe('oauth.algorithm', problem('oauth.algorithm'))}
              value={oauth.algorithm}
              onChange={(event) => set({ algorithm: event.target.value })}
            >
              <option value="">choose</option>
              {ConnectorOAuth.shape.algorithm.unwrap().options.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </Select>
          </Field>
        </>
      )}
    </div>
  )
}

const grants = {
  authorization_code: 'You sign in once in the browser; Herma keeps it fresh.',
  client_credentials: 'Needs a client id with a secret or a key.',
}
