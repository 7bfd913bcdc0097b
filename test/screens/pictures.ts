import type { Page } from 'playwright-core'

export interface Picture {
  readonly name: string
  readonly path: string
  /** What is done before the picture is taken; it ends when the page shows what it should. */
  readonly prepare: (page: Page) => Promise<unknown>
}

const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name, level: 1 }).waitFor()
const text = (words: string | RegExp) => (page: Page) => seen(page, words).waitFor()
/** The first that can be seen: on a phone other parts of a page are shown. */
const seen = (page: Page, words: string | RegExp) => page.getByText(words).filter({ visible: true }).first()

/** One picture for each page, and for what a page opens. */
export const pictures: readonly Picture[] = [
  { name: 'hub', path: '/', prepare: (page) => page.getByRole('heading', { name: /Needs you/ }).waitFor() },
  {
    name: 'palette',
    path: '/',
    async prepare(page) {
      await heading('Hub')(page)
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('echo')
      await page.getByRole('option', { name: /echo/ }).first().waitFor()
    },
  },
  { name: 'connectors', path: '/connectors', prepare: text('warehouse') },
  { name: 'connector-new', path: '/connectors/new', prepare: heading('New connector') },
  {
    name: 'connector',
    path: '/connectors/everything',
    async prepare(page) {
      await page.getByRole('button', { name: /^Test/ }).filter({ visible: true }).first().click()
      await page.getByRole('heading', { name: /^Connected in/ }).waitFor()
    },
  },
  {
    name: 'connector-failed',
    path: '/connectors/warehouse',
    async prepare(page) {
      await page.getByRole('button', { name: /^Test/ }).filter({ visible: true }).first().click()
      await text(/no program/)(page)
    },
  },
  { name: 'bindings', path: '/bindings', prepare: text('planner') },
  {
    name: 'binding',
    path: '/bindings',
    async prepare(page) {
      await page
        .getByRole('button', { name: /everything.*2 overrides/ })
        .filter({ visible: true })
        .first()
        .click()
      await page.getByRole('dialog').getByText('LOG_LEVEL').first().waitFor()
    },
  },
  { name: 'sessions', path: '/sessions', prepare: text('planner') },
  { name: 'session-edit', path: '/sessions/coder/edit', prepare: heading('coder') },
  {
    name: 'chat',
    path: '/sessions/coder',
    async prepare(page) {
      await heading('coder')(page)
      const threads = page.getByRole('button', { name: 'Threads', exact: true })
      await threads.or(page.getByLabel('Search threads')).filter({ visible: true }).first().waitFor()
      if (await threads.isVisible()) await threads.click()
      await seen(page, 'Where is the plan?').click()
      await text('The plan has one line:')(page)
    },
  },
  { name: 'servers', path: '/servers', prepare: text('alpha') },
  { name: 'server-new', path: '/servers/new', prepare: heading('New server') },
  { name: 'server', path: '/servers/alpha', prepare: heading(/alpha/) },
  { name: 'server-routing', path: '/servers/alpha?tab=routing', prepare: text(/preferred as/) },
  { name: 'server-paths', path: '/servers/alpha?tab=security', prepare: text('dist/**') },
  {
    name: 'server-diagnostics',
    path: '/servers/alpha?tab=diagnostics',
    async prepare(page) {
      await page.getByRole('button', { name: 'Test connection' }).first().click()
      await page.getByRole('heading', { name: /^Connected in/ }).waitFor()
    },
  },
  { name: 'server-access', path: '/servers/alpha?tab=access', prepare: heading(/alpha/) },
  { name: 'server-tools', path: '/servers/alpha?tab=tools', prepare: text('team.generate_code') },
  { name: 'catalog', path: '/catalog', prepare: text('files__read_file') },
  {
    name: 'catalog-tool',
    path: '/catalog?tool=everything/echo',
    prepare: (page) => page.getByRole('dialog').waitFor(),
  },
  { name: 'catalog-composite', path: '/catalog?tab=composites&composite=desk', prepare: text('Dry run') },
  {
    name: 'catalog-drift',
    path: '/catalog?tab=drift',
    async prepare(page) {
      await page.getByRole('button', { name: 'Review send' }).click()
      await page
        .getByRole('dialog')
        .getByText(/ignore all previous/)
        .first()
        .waitFor()
    },
  },
  { name: 'catalog-modes', path: '/catalog?tab=modes', prepare: heading('Catalog') },
  { name: 'discover', path: '/discover', prepare: text('Tickets') },
  {
    name: 'discover-server',
    path: '/discover?open=io.github.example/tickets',
    prepare: (page) => page.getByRole('heading', { name: 'What it needs' }).waitFor(),
  },
  {
    name: 'discover-isolation',
    path: '/discover?open=io.github.example/tickets',
    async prepare(page) {
      await page.getByLabel('Isolation').selectOption('container')
      await page.getByLabel('Mounted folders').focus()
    },
  },
  { name: 'discover-bundles', path: '/discover?tab=bundles', prepare: text('Brings these connectors') },
  { name: 'traces', path: '/traces', prepare: text('everything__echo') },
  {
    name: 'trace',
    path: '/traces?server=alpha',
    async prepare(page) {
      await seen(page, 'team.plan_task').click()
      await page.waitForURL(/trace=/)
      await text('Edit and replay')(page)
    },
  },
  { name: 'settings', path: '/settings', prepare: heading('Settings') },
  { name: 'settings-host', path: '/settings#host', prepare: text('What admins may run') },
  { name: 'settings-secrets', path: '/settings#secrets', prepare: text('OPENAI_API_KEY') },
]
