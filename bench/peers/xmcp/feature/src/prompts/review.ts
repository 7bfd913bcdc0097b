import { completable } from 'xmcp'
import { z } from 'zod'

export const metadata = { name: 'review', description: 'Reviews.', role: 'user' }
export const schema = {
  language: completable(z.string(), (value) => ['python', 'perl', 'rust'].filter((each) => each.startsWith(value))),
}
export default ({ language }: { language: string }) => `Review this ${language}.`
