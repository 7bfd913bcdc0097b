import { describe, expect, test } from 'vitest'
import { readChatRequest } from './chat-request.ts'

const ask = { role: 'user', content: 'hello' }
const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":"x"}' } }
const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } }

test('messages of all roles become instructions and messages of ours', () => {
  const read = readChatRequest({
    model: 'ignored',
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=', detail: 'low' } },
        ],
      },
      { role: 'assistant', content: 'Let me see.', tool_calls: [call, { ...call, id: 'c2' }] },
      { role: 'tool', tool_call_id: 'c2', content: 'two' },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'one' }] },
      { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
      { role: 'assistant', content: null },
      { role: 'user', name: 'ann', content: 'And now?' },
    ],
  })
  expect(read.instructions).toBe('Be brief.\n\nBe kind.')
  expect(read.messages).toEqual([
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'What is it?' },
        { type: 'image', data: 'aGk=', mediaType: 'image/png' },
      ],
    },
    {
      role: 'assistant',
      parts: [
        { type: 'text', text: 'Let me see.' },
        { type: 'tool-call', id: 'c1', name: 'look', arguments: { at: 'x' } },
        { type: 'tool-call', id: 'c2', name: 'look', arguments: { at: 'x' } },
      ],
    },
    { role: 'tool', parts: [{ type: 'tool-result', id: 'c2', name: 'look', text: 'two', isError: false }] },
    { role: 'tool', parts: [{ type: 'tool-result', id: 'c1', name: 'look', text: 'one', isError: false }] },
    { role: 'user', parts: [{ type: 'text', text: 'And now?' }] },
  ])
})

test('settings, formats and tools are read, nulls and unknown fields are left alone', () => {
  const read = readChatRequest({
    messages: [ask],
    temperature: 0.2,
    top_p: null,
    max_tokens: 10,
    max_completion_tokens: 20,
    stop: 'END',
    stream: true,
    stream_options: { include_usage: true },
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
    tools: [tool, { type: 'web_search' }],
    tool_choice: { type: 'function', function: { name: 'look' } },
    logit_bias: { 1: 2 },
  })
  expect(read).toMatchObject({
    isStream: true,
    includesUsage: true,
    responseSchema: { type: 'object' },
    settings: { temperature: 0.2, maxOutputTokens: 20, stopSequences: ['END'], toolChoice: { tool: 'look' } },
  })
  expect(read.settings.topP).toBeUndefined()
  expect(read.clientTools.map(({ name, run }) => [name, run])).toEqual([['look', undefined]])
})

test.each([
  ['auto', ['look', 'other'], undefined],
  ['none', [], undefined],
  ['required', ['look', 'other'], 'required'],
  [{ type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tool] } }, ['look'], 'required'],
])('of tools with the choice %j the model sees %j', (choice, names, toolChoice) => {
  const other = { type: 'function', function: { name: 'other' } }
  const read = readChatRequest({ messages: [ask], tools: [tool, other], tool_choice: choice })
  expect(read.clientTools.map(({ name }) => name)).toEqual(names)
  expect(read.settings.toolChoice).toBe(toolChoice)
})

test('who sends nothing but a system message is answered as a user', () => {
  const read = readChatRequest({ messages: [{ role: 'system', content: 'Say hi.' }] })
  expect(read).toMatchObject({ instructions: '', messages: [{ role: 'user', parts: [{ text: 'Say hi.' }] }] })
})

describe('a request that cannot be answered names the field', () => {
  test.each([
    [{}, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'system', content: '' }] }, 'messages'],
    [{ messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] }, 'messages[0].content[0].type'],
    [{ messages: [ask], n: 2 }, 'n'],
    [{ messages: [ask], temperature: 3 }, 'temperature'],
    [{ messages: [ask], functions: [] }, 'functions'],
    [{ messages: [ask, { role: 'assistant', tool_calls: [call] }] }, 'messages'],
    [{ messages: [{ role: 'assistant', tool_calls: [call] }, ask] }, 'messages[1]'],
    [{ messages: [ask, { role: 'tool', tool_call_id: 'c9', content: 'x' }] }, 'messages[1]'],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://10.0.0.1/x.png' } }] }] },
      'messages[0].content[0].image_url.url',
    ],
    [{ messages: [ask], tools: [{ type: 'function', function: { name: 'a b' } }] }, 'tools[0].function.name'],
    [{ messages: [ask], tools: [tool, tool] }, 'tools'],
    [{ messages: [ask], tools: [tool], tool_choice: { type: 'function', function: { name: 'no' } } }, 'tool_choice'],
    [{ messages: [ask], tool_choice: 'required' }, 'tool_choice'],
    [{ messages: [ask], response_format: { type: 'xml' } }, 'response_format.type'],
  ])('%j', (body, param) => {
    expect(() => readChatRequest(body)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMS', data: { param } }))
  })
})
