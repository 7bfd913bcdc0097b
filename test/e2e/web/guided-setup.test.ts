import type { BindingView, SessionView, TeamView } from '@herma/contract'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FakeRequest, Reply } from '../../fixtures/fake-llm/fake-llm.ts'
import { startTeamHub, succeed, type TeamHub } from '../agents/start-team-hub.ts'
import { serverProgram } from '../start-test-hub.ts'
import { buildPages } from './build-pages.ts'
import { hasChromium, openBrowser, openView, type View } from './open-browser.ts'

// Sessions as teams, from an empty hub to a call that is found in its trace, without leaving the pages.
describe.skipIf(!hasChromium)('the guided set-up', () => {
  let place: TeamHub
  let browser: Browser
  let view: View

  beforeAll(async () => {
    place = await startTeamHub({ webFolder: await buildPages() })
    place.llm.script = plan
    browser = await openBrowser()
    view = await openView(browser, place.hub)
  })
  afterAll(async () => {
    await browser?.close()
    await place?.[Symbol.asyncDispose]()
  })

  test('before it: two servers are pasted, and three sessions made', async () => {
    const { page } = view
    const servers = Object.fromEntries(
      (['everything', 'memory'] as const).map((name) => [
        name,
        { command: process.execPath, args: [serverProgram(name)] },
      ]),
    )
    await page.getByLabel('Paste anything').fill(JSON.stringify({ mcpServers: servers }))
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('Nothing needs you.').waitFor()

    for (const [name, provider] of [
      ['coder', 'openai'],
      ['tester', 'anthropic'],
      ['planner', 'google'],
    ] as const) {
      await page.getByRole('link', { name: 'Sessions', exact: false }).first().click()
      await page
        .getByRole('link', { name: /New session|provider’s key/ })
        .first()
        .click()
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
      await page.getByRole('combobox', { name: 'Provider' }).selectOption(provider)
      await page.getByRole('combobox', { name: 'Model' }).fill(`${provider}-model`)
      await page.getByLabel('Address').fill(place.llm.baseUrl(provider))
      await page.getByRole('textbox', { name: /^Working directory/ }).fill(place.workspace)
      await page.getByRole('button', { name: 'Create session' }).click()
      await page.getByText('All changes saved').waitFor()
    }
    const { sessions } = await succeed<{ sessions: SessionView[] }>(place.hub, 'GET', '/api/sessions')
    expect(sessions.map(({ name }) => name).toSorted()).toEqual(['coder', 'planner', 'tester'])
  })

  test('A. a team is made that is hosted here', async () => {
    const { page } = view
    await page.getByRole('link', { name: 'Hub', exact: true }).click()
    await page.getByRole('link', { name: 'Manage servers' }).click()
    await page.getByRole('link', { name: 'New server' }).click()
    await page.getByLabel('Name').fill('team-alpha')
    expect(await page.getByLabel('Kind').inputValue()).toBe('team')
    await page.getByText('/api/mcp/servers/team-alpha/stream').first().waitFor()
    await page.getByLabel('Hop limit').fill('3')
    await page.getByRole('switch', { name: 'Enable path policy' }).check()
    await page.getByLabel('Allowed roots').fill(place.workspace)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL('**/servers/team-alpha**')
  })

  test('B. sessions become members, with roles and in an order', async () => {
    const { page } = view
    await page.getByRole('tab', { name: 'Routing & Members' }).click()
    for (const [session, role] of [
      ['coder', 'code'],
      ['tester', 'test'],
      ['planner', 'planner'],
    ] as const) {
      await page.getByLabel('Add existing session').selectOption(session)
      await page.getByLabel('Role', { exact: true }).selectOption(role)
      await page.getByRole('button', { name: 'Add member' }).last().click()
      await page.getByRole('button', { name: `Remove ${session} from the team` }).waitFor()
    }
    await page.getByRole('button', { name: 'Move planner up' }).click()
    await page.getByText('planner is now 2 of 3.').waitFor()
    expect(view.complaints).toEqual([])
  })

  test('C. rules say who is preferred and who falls in, and the page says who would answer', async () => {
    const { page } = view
    await page.getByLabel('Add to prefer for team.generate_code').selectOption('openai')
    await page.getByLabel('Add to fall back to for team.generate_code').selectOption('anthropic')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('All changes saved').waitFor()
    const decision = page.getByRole('region', { name: 'Who would answer team.generate_code now' })
    await decision.getByText("preferred as 'openai'").waitFor()
    const { routing, members } = await succeed<TeamView>(place.hub, 'GET', '/api/teams/team-alpha')
    expect(routing).toEqual({ 'team.generate_code': { prefer: ['openai'], fallback: ['anthropic'] } })
    expect(members.map(({ session }) => session).toSorted()).toEqual(['coder', 'planner', 'tester'])
    await view.expectSound('guided-routing')
  })

  test('D. a test shows initialize, the tools, and a sample call in a folder', async () => {
    const { page } = view
    await page.getByRole('button', { name: 'Test connection' }).first().click()
    await page.getByRole('heading', { name: /^Connected in/ }).waitFor()
    await page.getByText('What the server said').click()
    await page.getByText('"supportedVersions"').waitFor()
    await page.getByRole('tab', { name: 'tools/list' }).click()
    await page.getByText('"team.plan_task"').first().waitFor()
    await page.getByLabel('Tool', { exact: true }).selectOption('team.plan_task')
    await page.getByLabel(/^goal/).fill('Add two numbers')
    await page.getByLabel(/Working directory \(cwd\)/).fill(`${place.workspace}/src`)
    await page.getByRole('button', { name: 'Call team.plan_task' }).click()
    await page.getByText('Write it, then test it.').first().waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download JSON trace' }).click()
    expect((await download).suggestedFilename()).toMatch(/\.json$/)
  })

  test('E. a connector is bound to a session with an override', async () => {
    const { page } = view
    await page.getByRole('link', { name: 'Hub', exact: true }).click()
    await page.getByRole('link', { name: 'Manage bindings' }).click()
    await page.getByRole('button', { name: 'coder and everything: Not attached' }).click()
    const drawer = page.getByRole('dialog', { name: 'everything for coder' })
    await drawer.getByRole('button', { name: 'Add variable' }).click()
    await page.keyboard.type('LOG_LEVEL')
    await page.keyboard.press('Tab')
    await page.keyboard.type('debug')
    await drawer.getByRole('button', { name: 'Attach' }).click()
    await drawer.getByText('Saved', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'coder and everything: 1 override' }).waitFor()
    const { bindings } = await succeed<{ bindings: BindingView[] }>(place.hub, 'GET', '/api/bindings')
    expect(bindings).toMatchObject([{ session: 'coder', connector: 'everything' }])
  })

  test('F. a client calls the team, and its call is found with who answered', async () => {
    const { page } = view
    const client = await place.connect('/api/mcp/servers/team-alpha/stream', 'auto')
    const { structuredContent } = await client.callTool({ name: 'team.plan_task', arguments: { goal: 'Ship it' } })
    expect(structuredContent).toMatchObject({ summary: 'Write it, then test it.' })
    await page.getByRole('link', { name: 'Hub', exact: true }).click()
    await page
      .getByRole('link', { name: /team\.plan_task/ })
      .first()
      .click()
    await page.waitForURL(/\/traces\?trace=/)
    await page.getByText('planner').first().waitFor()
    await view.expectSound('guided-trace')
  })
})

function plan({ messages }: FakeRequest): Reply {
  const isTest = messages.length > 0 && /OK/.test(messages.at(-1)?.text ?? '')
  if (isTest) return { text: 'OK' }
  const steps = [{ title: 'Write', detail: 'Write add.', role: 'code', depends_on: [] }]
  return { text: JSON.stringify({ summary: 'Write it, then test it.', steps, risks: [] }) }
}
