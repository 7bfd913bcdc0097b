import { describe, expect, test } from 'vitest'
import { alternativeName, exposedName, exposedNames, legalName, maxNameLength } from './exposed-name.ts'

describe('the name that clients see', () => {
  test.each([
    ['files', 'read', 'files__read'],
    ['', 'read', 'read'],
    ['my-files_2', 'read-file', 'my-files_2__read-file'],
    ['files', 'read.file', 'files__read_file'],
    ['files', 'a b/c:d', 'files__a_b_c_d'],
    ['files', 'größe', 'files__gr__e'],
    ['', 'read.file', 'read.file'],
    ['', 'größe', 'größe'],
    ['', '😀', '😀'],
    ['', 'x'.repeat(200), 'x'.repeat(200)],
    ['files', '__', 'files____'],
    ['', '__proto__', '__proto__'],
    ['', 'constructor', 'constructor'],
    ['a', 'x'.repeat(maxNameLength - 3), `a__${'x'.repeat(maxNameLength - 3)}`],
  ])('of prefix %j and tool %j is %j', (prefix, original, name) => {
    expect(exposedName(prefix, original)).toBe(name)
  })

  test.each([
    ['a', 'x'.repeat(maxNameLength - 2)],
    ['p'.repeat(40), 'a tool with a very long name'],
    ['p', `a${'日本語の道具'.repeat(30)}`],
    ['p', 'x'.repeat(10_000)],
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

  test('of what has no letter that clients take is made of a digest, for each another one', () => {
    const names = ['日本', '中国', '😀', '...'].map((original) => exposedName('p', original))
    expect(new Set(names).size).toBe(4)
    for (const name of names) expect(name).toMatch(/^p__[0-9a-f]{6}$/)
  })

  test('leaves room for the longest prefix of a client', () => {
    expect(`mcp__herma__${exposedName('p', 'x'.repeat(200))}`.length).toBeLessThanOrEqual(64)
  })
})

describe('the names of one server', () => {
  const originals = ['a.b', 'a_b', 'a b', 'c.d', '日本', '中国']
  const named = (list: readonly string[]) =>
    Object.fromEntries(exposedNames('p', list).map((name, index) => [list[index]!, name]))

  test('stay apart where they would become equal: what needs no change stays, the others get a digest', () => {
    const names = named(originals)
    expect(new Set(Object.values(names)).size).toBe(originals.length)
    expect(names).toMatchObject({ a_b: 'p__a_b', 'c.d': 'p__c_d' })
    for (const original of ['a.b', 'a b']) expect(names[original]).toMatch(/^p__a_b_[0-9a-f]{6}$/)
  })

  test('do not depend on their order, nor does a digest on who else is there', () => {
    expect(named(originals.toReversed())).toEqual(named(originals))
    const [first] = exposedNames('p', ['a.b', 'a:b'])
    expect(first).toBe(named(originals)['a.b'])
  })

  test("are just the server's without a prefix", () => {
    expect(exposedNames('', originals)).toEqual(originals)
  })

  test('may come twice', () => {
    expect(exposedNames('p', ['a.b', 'a.b'])).toEqual(['p__a_b', 'p__a_b'])
  })
})

test('any name can be made legal', () => {
  expect([legalName('a.b'), legalName('a_b')]).toEqual(['a_b', 'a_b'])
  expect(legalName('x.'.repeat(100))).toHaveLength(maxNameLength)
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
