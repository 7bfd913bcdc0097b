// The load client as a process of its own, so that the bench's work never delays a call. One job at a time.
import { runLoad, type LoadJob } from './client/run-load.ts'

process.on('message', (job: LoadJob) => {
  runLoad(job).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  )
})
process.on('disconnect', () => process.exit(0))
