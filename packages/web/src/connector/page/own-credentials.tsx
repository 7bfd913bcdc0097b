import type { CredentialsView, PersonalValueView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { SecretInput } from '../../ui/form/secret-input.tsx'
import { Failure, Loaded } from '../../ui/page/page-state.tsx'
import { credentialsQuery } from '../connectors-query.ts'
import { SignInBox, useSignIn } from '../sign-in-box.tsx'

/** What the one who looks gives the server of a connector: values of their own, and their sign-in. */
export function OwnCredentials({ name }: { name: string }) {
  const query = useQuery(credentialsQuery(name))
  const signIn = useSignIn(name)
  return (
    <div className="grid max-w-xl grid-cols-[minmax(0,1fr)] gap-4 pt-4">
      <p className="text-ink-2">Each person gives their own. Nobody else sees or uses yours.</p>
      <SignInBox name={name} signIn={signIn} isWanted={false} />
      <Loaded query={query} what="your credentials">
        {(view) => (view.values.length === 0 ? null : <Values name={name} view={view} />)}
      </Loaded>
    </div>
  )
}

function Values({ name, view }: { name: string; view: CredentialsView }) {
  const [typed, setTyped] = useState<Readonly<Record<string, string | undefined>>>({})
  const [isTried, setTried] = useState(false)
  const keyOf = ({ place, name: field }: PersonalValueView) => `${place}.${field}`
  const given = view.values.filter((value) => typed[keyOf(value)])
  const save = useChange({
    send: () => {
      const of = (place: PersonalValueView['place']) =>
        Object.fromEntries(
          given.filter((each) => each.place === place).map((each) => [each.name, typed[keyOf(each)] ?? '']),
        )
      return api.setOwnCredentials({ name, body: { headers: of('headers'), env: of('env') } })
    },
    topics: ['connectors'],
    done: () => 'Your values are stored',
    onDone: () => {
      setTyped({})
      setTried(false)
    },
  })
  const forget = useChange({
    send: () => api.removeOwnCredentials({ name }),
    topics: ['connectors'],
    done: () => 'Your values are gone',
  })
  return (
    <form
      className="grid grid-cols-[minmax(0,1fr)] gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (given.length > 0) save.mutate()
      }}
    >
      {view.values.map((value) => (
        <Field
          key={keyOf(value)}
          id={keyOf(value)}
          label={value.name}
          hint={value.place === 'env' ? 'A variable of its program.' : 'A header of its requests.'}
        >
          <SecretInput
            id={keyOf(value)}
            aria-describedby={`${keyOf(value)}-hint`}
            label={value.name}
            isStored={value.stored}
            value={typed[keyOf(value)]}
            onChange={(text) => setTyped({ ...typed, [keyOf(value)]: text })}
          />
        </Field>
      ))}
      {isTried && given.length === 0 && !save.isPending && (
        <p className="text-sm text-bad">Type a value first; Replace opens one that is stored.</p>
      )}
      {save.error !== null && <Failure title="Your values were not stored." error={save.error} />}
      {forget.error !== null && <Failure title="Your values are still there." error={forget.error} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" pending={save.isPending}>
          Store my values
        </Button>
        {view.values.some(({ stored }) => stored) && (
          <Button variant="danger" pending={forget.isPending} onClick={() => forget.mutate()}>
            Forget mine
          </Button>
        )}
      </div>
    </form>
  )
}
