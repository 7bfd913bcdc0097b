import type { PinApproval, PinReview, PinView, ToolFinding } from '@herma/contract'
import { pinOperations } from '@herma/contract/api'
import { type Route, serve } from '../../platform/http/index.ts'

/** What routes need of the pins. */
export interface PinService {
  pins(filter: { server?: string | undefined; pending?: boolean | undefined }): PinView[]
  reviewPin(server: string, tool: string): Promise<PinReview>
  approvePins(server: string, reviewed: readonly PinApproval[]): Promise<PinView[]>
  dropAbsentPins(server: string): string[]
  findings(): ToolFinding[]
}

export function pinApi(pins: PinService): Route[] {
  return serve(pinOperations, {
    listPins: ({ query }) => ({ pins: pins.pins(query) }),
    reviewPin: ({ params: { server, tool } }) => pins.reviewPin(server, tool),
    approvePins: async ({ params: { server }, body }) => ({ pins: await pins.approvePins(server, body.tools) }),
    dropAbsentPins: ({ params: { server } }) => ({ tools: pins.dropAbsentPins(server) }),
    scanCatalog: () => ({ findings: pins.findings() }),
  })
}
