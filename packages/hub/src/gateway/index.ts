export { createGateway, type Gateway } from './create-gateway.ts'
export { createWebFiles } from './web-files.ts'
export { ServerBook } from './server-book.ts'
