export { parseClientConfig, type ClientConfig, type ClientServer } from './client-config.ts'
export { type ConnectorAdder, ImportAnswer, importConnectors } from './import-connectors.ts'
export { parseClientText } from './parse-client-text.ts'
export { importRoutes } from './routes.ts'
