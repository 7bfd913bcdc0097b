import type { Plugin } from '../server/app.ts'
import { uiExtension, uiMimeType } from './supports-ui.ts'
import type { UiResource } from './ui-resource.ts'

/**
 * MCP Apps: declares the extension and serves the views, each made with `uiResource`.
 * Link a tool to its view with `withUi`; a link to a view that is not served here stays dead.
 */
export function apps(...views: readonly UiResource[]): Plugin {
  return {
    name: 'apps',
    install: (app) => {
      app.extension(uiExtension, { mimeTypes: [uiMimeType] })
      for (const view of views) app.resource(view.uri, view.definition, (_, context) => view.read(context))
    },
  }
}
