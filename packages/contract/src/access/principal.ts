import { z } from 'zod'

export const Role = z
  .enum(['owner', 'admin', 'member', 'viewer'])
  .describe(
    'owner = everything; admin = manages what owners have set up or allowed; member = uses servers; viewer = looks.',
  )
export type Role = z.infer<typeof Role>

/** Who is asking. */
export const Principal = z.object({
  id: z
    .string()
    .describe('operator, user:NAME, key:NAME or client:ID. What is kept for one principal never reaches another.'),
  kind: z
    .enum(['operator', 'user', 'key', 'client'])
    .describe('operator = whoever owns the hub of this machine; client = a program that acts for nobody known here.'),
  name: z.string().describe('For people.'),
  role: Role,
  scopes: z.array(z.string()).readonly().nullable().describe('null = nothing narrows what the role may do.'),
  servers: z.array(z.string()).readonly().nullable().describe('Served servers that it is for; null = all.'),
  clientId: z.string().optional().describe('The OAuth client through which it asks.'),
})
export type Principal = z.infer<typeof Principal>
