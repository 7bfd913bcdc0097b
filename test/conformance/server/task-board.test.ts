import { expect, test } from 'vitest'
import { textResult } from './content.ts'
import { createTaskBoard } from './task-board.ts'

const question = { method: 'roots/list' as const }

test('a task waits until every question is answered', async () => {
  const board = createTaskBoard()
  const { taskId } = board.start(async ({ ask }) => textResult(JSON.stringify(await ask({ a: question, b: question }))))
  board.answer(taskId, { a: 1, unknown: 2 })
  expect(board.get(taskId)).toMatchObject({ status: 'input_required', inputRequests: { b: question } })
  board.answer(taskId, { b: 3 })
  await settle()
  expect(board.get(taskId)).toMatchObject({ status: 'completed', result: textResult('{"a":1,"b":3}') })
})

test('a job that ends after its task was cancelled changes nothing', async () => {
  const board = createTaskBoard()
  let finish = () => {}
  const { taskId } = board.start(async () => {
    await new Promise<void>((resolve) => (finish = resolve))
    return textResult('too late')
  })
  board.cancel(taskId)
  finish()
  await settle()
  expect(board.get(taskId)).toMatchObject({ status: 'cancelled' })
  expect(board.get(taskId)).not.toHaveProperty('result')
})

test('a job that throws makes a failed task with the error', async () => {
  const board = createTaskBoard()
  const { taskId } = board.start(() => Promise.reject(new Error('broken')))
  await settle()
  expect(board.get(taskId)).toMatchObject({ status: 'failed', error: { code: -32603, message: 'broken' } })
})

test('a task that nobody knows is an error', () => {
  expect(() => createTaskBoard().get('nobody')).toThrow('Task nobody is unknown')
})

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
