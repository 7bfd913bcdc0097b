import { z } from 'zod'

export const metadata = { name: 'review', description: 'Reviews.', role: 'user' }
export const schema = { code: z.string() }
export default ({ code }: { code: string }) => `Review:\n${code}`
