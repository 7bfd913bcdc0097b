import { describe, expect, test } from 'vitest'
import { alternativeName, exposedName, maxNameLength } from './exposed-name.ts'

describe('the name that clients see', () => {
  test.each([
    ['files', 'read', 'files__read'],
    ['', 'read', 'read'],
    ['my-files_2', 'read-file', 'my-files_2__read-file'],
    ['files', 'read.file', 'files__read_file'],
    ['files', 'a b/c:d', 'files__a_b_c_d'],
    ['', 'größe', 'gr__e'],
    ['', '😀', '__'],
    ['', '__proto__', '__proto__'],
    ['', 'constructor', 'constructor'],
    ['a', 'x'.repeat(maxNameLength - 3), `a__${'x'.repeat(maxNameLength - 3)}`],
  ])('of prefix %j and tool %j is %j', (prefix, original, name) => {
    expect(exposedName(prefix, original)).toBe(name)
  })

  test.each([
    ['a', 'x'.repeat(maxNameLength - 2)],
    ['p'.repeat(40), 'a tool with a very long name'],
    ['', '日本語の道具'.repeat(30)],
    ['', 'x'.repeat(10_000)],
  ])('of a long name is legal and stays the same', (prefix, original) => {
    const name = exposedName(prefix, original)
    expect(name).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(name).toHaveLength(maxNameLength)
    expect(exposedName(prefix, original)).toBe(name)
  })

  test('of long names that differ only at the end or in an illegal character stays apart', () => {
    const long = 'x'.repeat(100)
    const names = [`${long}a`, `${long}b`, `${long}.`, `${long}:`].map((original) => exposedName('p', original))
    expect(new Set(names).size).toBe(4)
  })

  test('leaves room for the longest prefix of a client', () => {
    expect(`mcp__herma__${exposedName('p', 'x'.repeat(200))}`.length).toBeLessThanOrEqual(64)
  })
})

describe('an alternative name', () => {
  test('has the name of the connector in front when that is free', () => {
    expect(alternativeName('files', 'read', () => false)).toBe('files__read')
  })

  test('is found however many are taken, and the same one every time', () => {
    const find = () => {
      const taken = new Set<string>(['files__read'])
      return Array.from({ length: 20 }, () => {
        const name = alternativeName('files', 'read', (each) => taken.has(each))
        taken.add(name)
        return name
      })
    }
    const names = find()
    expect(new Set(names).size).toBe(20)
    for (const name of names) expect(name).toMatch(/^files__read_[0-9a-f]{6}$/)
    expect(find()).toEqual(names)
  })
})
