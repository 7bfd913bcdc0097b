import { acceptedContent, inputRequired, type ToolExtraArguments } from 'xmcp'

export const metadata = { name: 'ask', description: 'Asks for a name.' }

export default function ask(_: unknown, { inputResponses }: ToolExtraArguments) {
  const answer = acceptedContent<{ name: string }>(inputResponses, 'name')
  if (answer) return `Hello, ${answer.name}!`
  return inputRequired({
    inputRequests: {
      name: inputRequired.elicit({
        message: 'Who are you?',
        requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      }),
    },
  })
}
