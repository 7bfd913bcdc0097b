import { z } from 'zod'

export const metadata = { name: 'greeting', description: 'Greets.' }
export const schema = { name: z.string() }
export default ({ name }: { name: string }) => `Hello, ${name}!`
