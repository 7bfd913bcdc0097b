export { apps } from './apps.ts'
export { supportsUi, uiExtension, uiMimeType } from './supports-ui.ts'
export { uiResource, type UiContentPolicy, type UiOptions, type UiPermission, type UiResource } from './ui-resource.ts'
export { withUi, type UiLink } from './with-ui.ts'
