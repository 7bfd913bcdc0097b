import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { looksSecret } from './looks-secret.ts'

// Put together here, so that nobody takes this file for one with secrets in it.
const random = (length: number) => 'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8bC0fL'.repeat(3).slice(0, length)

test.each([
  `sk-${random(24)}`,
  `sk-ant-api03-${random(30)}`,
  `sk_live_${random(24)}`,
  `ghp_${random(36)}`,
  `github_pat_${random(40)}`,
  `xoxb-${random(30)}`,
  `AKIA${'ABCD2345'.repeat(2)}`,
  `AIza${random(35)}`,
  `eyJ${random(20)}.eyJ${random(30)}.${random(20)}`,
  `-----BEGIN RSA PRIVATE KEY-----\nMIIE`,
  `--token=glpat-${random(20)}`,
  `Authorization: Bearer ${random(20)}`,
  `https://a.example/hook/${random(32)}`,
  randomBytes(32).toString('base64url'),
  randomBytes(24).toString('hex'),
])('%j looks like a secret', (text) => {
  expect(looksSecret(text)).toBe(true)
})

test.each([
  '',
  'npx',
  '@modelcontextprotocol/server-filesystem',
  '/srv/projects/some-long-folder-name/with/parts',
  'https://mcp.example.com/mcp?version=2026-07-28',
  'application/json, text/event-stream',
  '123e4567-e89b-12d3-a456-426614174000',
  'sk-learn',
  'internationalization-and-localization-handbook',
  '{secret:GITHUB}',
  'It reads the notes of the team. Ask Ada before you change anything; she knows the configuration.',
  '--max-old-space-size=4096',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
])('%j does not', (text) => {
  expect(looksSecret(text)).toBe(false)
})
