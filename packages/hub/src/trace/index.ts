export { EventLog, type RecentEventsQuery } from './event-log.ts'
