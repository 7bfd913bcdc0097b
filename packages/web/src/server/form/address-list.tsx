import type { ReactNode } from 'react'
import { CodeBox } from '../../ui/code-box.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { bridgeCommand } from '../describe-server.ts'
import { changers, type SectionProps } from './section-props.ts'

interface AddressListProps extends SectionProps {
  /** As it is, or as it will be. */
  readonly name: string
  readonly paths: { readonly path: string; readonly rpcPath: string; readonly ssePath: string }
  /** Whether HTTP+SSE can be switched for this server. */
  readonly canSetSse: boolean
}

/** Where clients find a server, by each way that it is served. */
export function AddressList({ form, mayChange, name, paths, canSetSse }: AddressListProps) {
  const { setServer } = changers(form)
  const { sse } = form.draft.server
  const at = (path: string) => location.origin + path
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Way title="Streamable HTTP" hint="Hosted here, under this path. Most clients use it.">
        <CodeBox label="the address" text={at(paths.path)} />
      </Way>
      <Way
        title="STDIO"
        hint="For clients on this machine that launch their servers: this command is a bridge to the address above."
      >
        <CodeBox label="the command" text={bridgeCommand(name)} />
      </Way>
      <Way title="HTTP" hint="One JSON-RPC request, one answer, for scripts.">
        <CodeBox label="the address for single requests" text={at(paths.rpcPath)} />
      </Way>
      {canSetSse && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
          <Switch
            label="HTTP+SSE, legacy"
            hint="Turn it on only for a client that knows nothing newer."
            checked={sse}
            disabled={!mayChange}
            onChange={(next) => setServer({ sse: next })}
          />
          {sse && <CodeBox label="the address for HTTP+SSE" text={at(paths.ssePath)} />}
        </div>
      )}
    </div>
  )
}

function Way({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <h3 className="text-sm font-medium">{title}</h3>
      {children}
      <p className="text-sm text-ink-3">{hint}</p>
    </div>
  )
}
