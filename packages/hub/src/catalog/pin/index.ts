export { makeVisible } from './visible-text.ts'
