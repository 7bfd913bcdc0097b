import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { toolQuery, toolsQuery } from '../../api/queries.ts'
import { Field, Input, describe } from '../../ui/form/field.tsx'
import { toolKey } from '../arrange-tools.ts'
import { objectOf } from './composite-draft.ts'

/** A tool as a composite names it. */
export interface ToolRef {
  readonly server: string | undefined
  readonly tool: string
}

interface ToolInputProps {
  readonly id: string
  readonly value: ToolRef
  readonly error: string | undefined
  readonly onChange: (value: ToolRef) => void
}

/** Chooses a tool of a server by a few letters of its name. Hidden ones too: composites may call them. */
export function ToolInput({ id, value, error, onChange }: ToolInputProps) {
  const list = useId()
  const tools = useQuery(toolsQuery).data
  const text = value.server === undefined ? value.tool : `${value.server}/${value.tool}`
  const isKnown = tools === undefined || text === '' || tools.some((tool) => isMeant(tool, value))
  return (
    <Field id={id} label="Tool" error={error} {...(isKnown ? {} : { hint: 'No server has this tool now.' })}>
      <Input
        {...describe(id, error)}
        mono
        list={list}
        placeholder="server/tool"
        value={text}
        onChange={(event) => onChange(readRef(event.target.value))}
      />
      <datalist id={list}>
        {tools?.map((tool) => (
          <option key={toolKey(tool)}>{toolKey(tool)}</option>
        ))}
      </datalist>
    </Field>
  )
}

function readRef(text: string): ToolRef {
  const slash = text.indexOf('/')
  return slash < 0 ? { server: undefined, tool: text } : { server: text.slice(0, slash), tool: text.slice(slash + 1) }
}

function isMeant(
  tool: { connector: string; originalName: string; name: string | null },
  { server, tool: named }: ToolRef,
) {
  return server === undefined
    ? tool.name === named || tool.originalName === named
    : tool.connector === server && tool.originalName === named
}

/** The arguments of a tool: their names, and which of them it needs. */
export function useToolArguments({
  server,
  tool,
}: ToolRef): { name: string; isRequired: boolean; property: unknown }[] {
  const tools = useQuery(toolsQuery).data
  const found = tools?.find((each) => isMeant(each, { server, tool }))
  const { data } = useQuery({
    ...toolQuery(found?.connector ?? '', found?.originalName ?? ''),
    enabled: found !== undefined,
  })
  const schema = objectOf(data?.fields.find(({ field }) => field === 'inputSchema')?.exposed)
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(objectOf(schema['properties'])).map(([name, property]) => ({
    name,
    isRequired: required.includes(name),
    property,
  }))
}
