import { readFile } from 'node:fs/promises'
import type { ReadResourceResult } from '@modelcontextprotocol/server'
import type { Awaitable, Common, ResourceDefinition } from '../component/define.ts'
import type { Context } from '../context/context.ts'
import { ConfigError } from '../protocol/errors.ts'
import { uiMimeType } from './supports-ui.ts'

/** The origins that a view may reach besides its own; the host blocks every other. */
export interface UiContentPolicy {
  /** For `fetch` and WebSocket. */
  readonly connectDomains?: readonly string[]
  /** For scripts, styles, images, fonts and media. */
  readonly resourceDomains?: readonly string[]
  /** For frames within the view. */
  readonly frameDomains?: readonly string[]
  readonly baseUriDomains?: readonly string[]
}

/** What a view may ask the browser for, if the host agrees. */
export type UiPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite'

interface UiSettings extends Common {
  readonly name?: string
  readonly csp?: UiContentPolicy
  readonly permissions?: readonly UiPermission[]
  /** Whether the host should draw a border and a background; it decides when absent. */
  readonly prefersBorder?: boolean
  /** An origin of its own for the view, in the form that the host documents. */
  readonly domain?: string
}

/** The document comes as text, from a function that runs for each read, or from a file that is read each time. */
export type UiOptions = UiSettings &
  (
    | { readonly html: string | ((context: Context) => Awaitable<string>); readonly file?: undefined }
    | { readonly file: string | URL; readonly html?: undefined }
  )

/** A view, ready for `apps()`. */
export interface UiResource {
  readonly uri: string
  readonly definition: ResourceDefinition
  read(context: Context): Promise<ReadResourceResult>
}

/**
 * A view that hosts show in a sandboxed frame, under a `ui://` URI.
 * Origins that are not listed in `csp` are out of its reach, so bundle scripts and styles into the document.
 */
export function uiResource(uri: string, options: UiOptions): UiResource {
  requireUiUri(uri)
  if ((options.html === undefined) === (options.file === undefined)) {
    throw new ConfigError(`The view '${uri}' needs one document.`, 'Give it either html or file.')
  }
  const { name, title, description, icons, tags, meta, scopes, visible } = options
  const settings = describeSettings(options)
  const ui = Object.keys(settings).length > 0 ? { ui: settings } : undefined
  const common = { name, title, description, icons, tags, scopes, visible }
  return {
    uri,
    // Hosts look for the settings on the contents first and in the list second, so both carry them.
    definition: { ...common, mimeType: uiMimeType, meta: { ...meta, ...ui } },
    read: async (context) => ({
      contents: [
        { uri, mimeType: uiMimeType, text: await documentOf(options, context), ...(ui !== undefined && { _meta: ui }) },
      ],
    }),
  }
}

export function requireUiUri(uri: string): void {
  if (!/^ui:\/\/[^\s{}]+$/.test(uri)) {
    throw new ConfigError(`'${uri}' cannot name a view.`, "Begin it with ui://, for example 'ui://clock/view.html'.")
  }
}

function describeSettings({ csp, permissions, prefersBorder, domain }: UiOptions) {
  return {
    ...(csp !== undefined && { csp }),
    ...(permissions !== undefined && { permissions: Object.fromEntries(permissions.map((one) => [one, {}])) }),
    ...(prefersBorder !== undefined && { prefersBorder }),
    ...(domain !== undefined && { domain }),
  }
}

async function documentOf({ html, file }: UiOptions, context: Context): Promise<string> {
  if (file !== undefined) return readFile(file, 'utf8')
  return typeof html === 'function' ? html(context) : html
}
