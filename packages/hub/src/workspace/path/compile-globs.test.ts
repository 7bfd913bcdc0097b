import picomatch from 'picomatch'
import { expect, test } from 'vitest'
import { compileGlobs } from './compile-globs.ts'

const paths = [
  'a',
  'a.ts',
  '.env',
  '.env.local',
  'src/a.ts',
  'src/.env',
  'src/deep/a.test.ts',
  'src/deep/b.tsx',
  'src',
  'node_modules/x/index.js',
  'src/[a].ts',
  'src/{a}.ts',
  'lib/a+b(c).ts',
]

test('globs mean what picomatch means by them', () => {
  const globs = [
    '**/*.ts',
    'src/**',
    'src/**/*.ts',
    'src/*.ts',
    '**/.env*',
    'src/*/[ab].*',
    'src/deep/[^a]*',
    'src/**/*.{ts,tsx}',
    '{src,lib}/*',
    'src/\\[a\\].ts',
    'src/\\{a\\}.ts',
    'lib/a+b(c).ts',
    '**/deep/**',
    'src/?.ts',
    '**',
  ]
  for (const glob of globs) {
    const ours = paths.filter(compileGlobs([glob]))
    const theirs = paths.filter((path) => picomatch(glob, { dot: true, noextglob: true })(path))
    expect({ glob, paths: ours }).toEqual({ glob, paths: theirs })
  }
})

test('a glob without a slash matches at any depth, one that begins with a slash only at the top', () => {
  expect(paths.filter(compileGlobs(['.env*']))).toEqual(['.env', '.env.local', 'src/.env'])
  expect(paths.filter(compileGlobs(['/.env*', './a.ts', 'src/deep/']))).toEqual(['a.ts', '.env', '.env.local'])
  expect(compileGlobs([])('a')).toBe(false)
  expect(paths.filter(compileGlobs(['src/deep/[!a]*']))).toEqual(['src/deep/b.tsx'])
  expect(compileGlobs(['CAFE\u0301/**'], { ignoreCase: true })('caf\u00E9/menu')).toBe(true)
  expect(compileGlobs(['*.ts'])('line\nbreak.ts')).toBe(true)
})

test('a glob made to be slow is not', () => {
  const matches = compileGlobs(['**/a/**/a/**/a/**/a/**/*a*a*a*a*b'])
  expect(matches(`${'a/'.repeat(1000)}${'a'.repeat(2000)}`)).toBe(false)
})

test('a glob that cannot be read says what is wrong with it', () => {
  expect(() => compileGlobs(['a/[b'])).toThrow("The glob 'a/[b' has a '[' without a ']'")
  expect(() => compileGlobs(['{a,b'])).toThrow("has a '{' without a '}'")
  expect(() => compileGlobs(['/'])).toThrow('matches nothing')
  expect(() => compileGlobs(['a'.repeat(1001)])).toThrow('is longer than 1000 characters')
})
