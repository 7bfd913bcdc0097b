import { z } from 'zod'

export const metadata = { name: 'add', description: 'Adds.' }
export const schema = { a: z.number(), b: z.number() }
export default ({ a, b }: { a: number; b: number }) => String(a + b)
