import { expect, test } from 'vitest'
import type { TurnMessage } from '../turn/types.ts'
import { readResponsesBody, toResponsesRequest } from './responses-request.ts'

const read = (body: unknown, before: TurnMessage[] = []) => toResponsesRequest(readResponsesBody(body), before)
const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'look', arguments: '{}', status: 'completed' }

test('items become messages of ours, and what an assistant did in a row is one', () => {
  const { messages, instructions } = read({
    instructions: 'Be brief.',
    input: [
      { role: 'developer', content: 'Be kind.' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is it?' },
          { type: 'input_image', detail: 'auto', image_url: 'data:image/jpeg;base64,aGk=' },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'message', role: 'assistant', id: 'msg_1', content: [{ type: 'output_text', text: 'Let me see.' }] },
      call,
      { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'a cat' }] },
    ],
  })
  expect(instructions).toBe('Be brief.\n\nBe kind.')
  expect(messages).toEqual([
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'What is it?' },
        { type: 'image', data: 'aGk=', mediaType: 'image/jpeg' },
      ],
    },
    {
      role: 'assistant',
      parts: [
        { type: 'text', text: 'Let me see.' },
        { type: 'tool-call', id: 'c1', name: 'look', arguments: {} },
      ],
    },
    { role: 'tool', parts: [{ type: 'tool-result', id: 'c1', name: 'look', text: 'a cat', isError: false }] },
  ])
})

test('a result may answer a call of the response before', () => {
  const before: TurnMessage[] = [
    {
      role: 'assistant',
      parts: [
        { type: 'tool-call', id: 'own', name: 'read_file', arguments: {} },
        { type: 'tool-call', id: 'c1', name: 'look', arguments: {} },
      ],
    },
    { role: 'tool', parts: [{ type: 'tool-result', id: 'own', name: 'read_file', text: '', isError: false }] },
  ]
  const output = { type: 'function_call_output', call_id: 'c1', output: 'a cat' }
  expect(read({ input: [output] }, before).messages).toMatchObject([{ role: 'tool', parts: [{ name: 'look' }] }])
  expect(() => read({ input: 'And?' }, before)).toThrow('c1')
})

test.each([
  [{}, 'input'],
  [{ input: 3 }, 'input'],
  [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0]'],
  [{ input: [{ type: 'computer_call' }] }, 'input[0].type'],
  [{ input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'x' }] }] }, 'input[0].content[0].type'],
  [{ input: 'x', background: true }, 'background'],
  [{ input: 'x', conversation: 'conv_1' }, 'conversation'],
  [{ input: 'x', max_output_tokens: 0 }, 'max_output_tokens'],
  [{ input: 'x', tools: [{ type: 'function' }] }, 'tools[0].name'],
  [{ input: [{ ...call, arguments: '[' }] }, 'input[0].arguments'],
])('%j names the field that is wrong', (body, param) => {
  expect(() => read(body)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMS', data: { param } }))
})
