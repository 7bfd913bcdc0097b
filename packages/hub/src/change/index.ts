export { ChangeFeed } from './change-feed.ts'
