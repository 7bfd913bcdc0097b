export { type GeneratedFile, type GenerateOptions, generateSchemas } from './generate-schemas.ts'
export { GenerateError } from './source/problem.ts'
