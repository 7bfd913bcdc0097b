import { ToolPolicy } from '@herma/contract'
import { expect, test } from 'vitest'
import { compileToolPolicy } from './tool-policy.ts'

const tool = { name: 'github__delete_repo', tool: 'delete_repo', connector: 'github', isReadOnly: false }

test.each([
  [{}, true],
  [{ allow: [] }, false],
  [{ allow: ['delete_repo'] }, true],
  [{ allow: ['github/*'] }, true],
  [{ allow: ['github__*'] }, true],
  [{ allow: ['gitlab/*', 'delete'] }, false],
  [{ deny: ['*delete*'] }, false],
  [{ allow: ['*'], deny: ['github/delete_repo'] }, false],
  [{ deny: ['delete_rep?'] }, false],
  [{ deny: ['DELETE_REPO'] }, true],
])('with %j it may be used: %s', (policy, expected) => {
  expect(compileToolPolicy(ToolPolicy.parse(policy)).mayUse(tool)).toBe(expected)
})

test.each([
  ['never', false, false],
  ['writes', true, false],
  ['always', true, true],
] as const)('approval %s: asked for a write %s, for a read %s', (approval, forWrite, forRead) => {
  const { needsApproval } = compileToolPolicy(ToolPolicy.parse({ approval }))
  expect(needsApproval(tool)).toBe(forWrite)
  expect(needsApproval({ ...tool, isReadOnly: true })).toBe(forRead)
})

test('what a person has approved for good is not asked again', () => {
  const { needsApproval } = compileToolPolicy(
    ToolPolicy.parse({ approval: 'always', approved: ['github__delete_repo'] }),
  )
  expect(needsApproval(tool)).toBe(false)
})
