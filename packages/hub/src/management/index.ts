export { serveManagement, type ManagementEndpoint } from './serve-management.ts'
export { managementName } from './management-name.ts'
