import { z } from 'zod'

export const metadata = { name: 'measure', description: 'Measures.' }
export const outputSchema = { sum: z.number() }
export default () => ({ content: [{ type: 'text', text: '{"sum":3}' }], structuredContent: { sum: 3 } })
