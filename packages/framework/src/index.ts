export { serveStdio, type StdioServer } from './serve-stdio.ts'
export type { InputSchema, Tool } from './tool.ts'
