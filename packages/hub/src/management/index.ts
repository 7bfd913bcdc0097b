export { serveManagement, type ManagementEndpoint } from './serve-management.ts'
export { managementName, managementToolCount } from './management-name.ts'
