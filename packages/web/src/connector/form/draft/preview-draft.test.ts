import { expect, test } from 'vitest'
import { type ConnectorDraft, emptyDraft } from './connector-draft.ts'
import { listChanges } from './list-changes.ts'
import { effectiveJson, previewRun } from './preview-draft.ts'

const canary = 'canary-93f1'
const stdio: ConnectorDraft = {
  ...emptyDraft,
  name: 'files',
  transport: 'stdio',
  cmd: 'npx',
  args: ['-y', '@scope/server', '/srv/team docs'],
  workingDir: '/srv/hub',
  env: [
    { name: 'LOG', value: 'info', secret: false },
    { name: 'API_KEY', value: canary, secret: true },
    { name: 'OTHER_TOKEN', secret: true, stored: true },
    { name: 'REF_TOKEN', value: '{secret:REF}', secret: true },
  ],
}
const stream: ConnectorDraft = {
  ...emptyDraft,
  name: 'web',
  baseUrl: 'https://mcp.example.com/',
  endpointPath: 'mcp',
  headers: [{ name: 'Authorization', value: `Bearer ${canary}`, secret: true }],
  oauth: { ...emptyDraft.oauth, isOn: true, clientId: 'me', clientSecret: canary },
}

test('a command is shown as it will run, with its secrets masked', () => {
  expect(previewRun(stdio)).toBe(
    "cd /srv/hub && LOG=info API_KEY=•••• OTHER_TOKEN=•••• REF_TOKEN={secret:REF} npx -y @scope/server '/srv/team docs'",
  )
})

test('a request is shown with its address and its headers, secrets masked', () => {
  expect(previewRun(stream)).toBe('POST https://mcp.example.com/mcp\nAuthorization: ••••')
})

test('no secret is in what is shown of a draft', () => {
  const shown = [stdio, stream].map((draft) =>
    JSON.stringify([previewRun(draft), effectiveJson(draft), listChanges(emptyDraft, draft)]),
  )

  expect(shown.join('')).not.toContain(canary)
})

test('the effective configuration has every default and every name', () => {
  expect(effectiveJson(stdio)).toMatchObject({
    options: { requestTimeoutMs: 600_000 },
    env: [{ value: 'info' }, { value: '••••' }, { value: '••••' }, { value: '{secret:REF}' }],
  })
})

test('changes name the field, what it was and what it will be', () => {
  const draft = {
    ...stdio,
    enabled: false,
    workingDir: '',
    env: [stdio.env[0]!, { ...stdio.env[2]!, value: canary }],
    options: { ...stdio.options, maxRestarts: '9' },
  }

  expect(listChanges(stdio, draft)).toEqual([
    { field: 'Enabled', before: 'true', after: 'false' },
    { field: 'Working directory', before: '/srv/hub', after: null },
    { field: 'API_KEY (variable)', before: '••••', after: null },
    { field: 'OTHER_TOKEN (variable)', before: '••••', after: 'a new secret' },
    { field: 'REF_TOKEN (variable)', before: '••••', after: null },
    { field: 'Restarts', before: '5', after: '9' },
  ])
  expect(listChanges(stdio, stdio)).toEqual([])
})
