export { makeVisible } from './scan/visible-text.ts'
