export { createManagementServer, managementName, type ManagedHub } from './create-management-server.ts'
