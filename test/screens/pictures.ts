import type { Page } from 'playwright-core'

export interface Picture {
  readonly name: string
  readonly path: string
  /** What is done before the picture is taken; it ends when the page shows what it should. */
  readonly prepare: (page: Page) => Promise<unknown>
}

const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name, level: 1 }).waitFor()

/** One picture for each page, and for what a page opens. */
export const pictures: readonly Picture[] = [
  { name: 'hub', path: '/', prepare: (page) => page.getByRole('heading', { name: /Needs you/ }).waitFor() },
  { name: 'connectors', path: '/connectors', prepare: (page) => page.getByText('warehouse').first().waitFor() },
  { name: 'connector-new', path: '/connectors/new', prepare: heading(/./) },
  {
    name: 'connector',
    path: '/connectors/everything',
    async prepare(page) {
      await page.getByRole('button', { name: /^Test/ }).first().click()
      await page
        .getByText(/Connected|tools/i)
        .first()
        .waitFor()
    },
  },
  { name: 'bindings', path: '/bindings', prepare: (page) => page.getByText('planner').first().waitFor() },
  { name: 'sessions', path: '/sessions', prepare: (page) => page.getByText('planner').first().waitFor() },
  { name: 'session-edit', path: '/sessions/coder/edit', prepare: heading(/./) },
  {
    name: 'chat',
    path: '/sessions/coder',
    async prepare(page) {
      const thread = page.getByText('Where is the plan?').first()
      if (!(await thread.isVisible().catch(() => false)))
        await page
          .getByRole('button', { name: /threads/i })
          .first()
          .click()
      await thread.click()
      await page.getByText('Ship the web UI.').first().waitFor()
    },
  },
  { name: 'servers', path: '/servers', prepare: (page) => page.getByText('alpha').first().waitFor() },
  { name: 'server-new', path: '/servers/new', prepare: heading(/./) },
  {
    name: 'server-members',
    path: '/servers/alpha?tab=members',
    prepare: (page) => page.getByText('planner').first().waitFor(),
  },
  { name: 'server-diagnostics', path: '/servers/alpha?tab=diagnostics', prepare: heading(/alpha/) },
  { name: 'catalog', path: '/catalog', prepare: (page) => page.getByText('everything').first().waitFor() },
  {
    name: 'catalog-tool',
    path: '/catalog?tool=everything/echo',
    prepare: (page) => page.getByRole('dialog').waitFor(),
  },
  { name: 'discover', path: '/discover?tab=bundles', prepare: heading('Discover') },
  {
    name: 'traces',
    path: '/traces',
    async prepare(page) {
      await page.getByText('everything__echo').first().click()
      await page.waitForURL(/trace=/)
    },
  },
  { name: 'settings', path: '/settings', prepare: heading('Settings') },
]
