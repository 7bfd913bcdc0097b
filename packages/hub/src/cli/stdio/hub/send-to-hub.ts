import type { SendRequest } from '../../../mcp-client/index.ts'
import { sendRequest } from '../../hub/send-request.ts'

/** The hub shows a sign of life on every stream four times in this time. */
const silenceMs = 60_000

/** Sends a request of the bridge, which notices when the hub has fallen silent. */
export const sendToHub: SendRequest = (url, options) => sendRequest(url, { ...options, silenceMs })
