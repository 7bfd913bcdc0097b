import { describeStore } from './store.contract.ts'

describeStore('external')
