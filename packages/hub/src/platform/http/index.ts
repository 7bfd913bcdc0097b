export { createApi } from './create-api.ts'
export { createOpenApi } from './open-api.ts'
export { type ApiAnswer, type ApiRequest, defineRoute, type Route } from './route.ts'
