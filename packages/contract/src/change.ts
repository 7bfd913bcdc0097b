import { z } from 'zod'

/** What a page may show, and so have to ask again. */
export const ChangeTopic = z.enum([
  'connectors',
  'servers',
  'sessions',
  'teams',
  'bindings',
  'threads',
  'catalog',
  'traces',
  'access',
  'secrets',
  'settings',
])
export type ChangeTopic = z.infer<typeof ChangeTopic>

/** Says that something of these topics is not as it was; what it is now, everybody asks as far as they may. */
export const ChangeNotice = z.object({ topics: z.array(ChangeTopic).min(1) })
export type ChangeNotice = z.infer<typeof ChangeNotice>
