import type { PinReview } from '@herma/contract'
import { Command } from 'commander'

import { oneLine } from '../../clean-text.ts'
import { type Cli, connectHub } from '../../cli.ts'
import { quote } from '../../describe-place.ts'
import { describeReview } from './describe-review.ts'
import { findToolPlace, toolPath } from './tool-place.ts'

export function reviewCommand(cli: Cli): Command {
  return new Command('review')
    .description('show how a tool differs from what was approved, and what the scan finds in it')
    .usage('SERVER TOOL [options]\n       herma catalog review NAME [options]')
    .argument('<server>', 'name of its connector, or the name that clients see')
    .argument('[tool]', 'its own name')
    .action(async (server: string, tool: string | undefined) => {
      const hub = await connectHub(cli)
      const place = await findToolPlace(hub, server, tool)
      const review = await hub.send<PinReview>('GET', toolPath('pins', place))
      cli.terminal.answer(review, () => {
        const text = describeReview(review, cli.terminal)
        if (review.reason === null) return text
        return `${text}\n\nApprove it: herma catalog approve ${review.connector} ${quote(oneLine(review.tool))} --hash ${review.hash}`
      })
    })
}
