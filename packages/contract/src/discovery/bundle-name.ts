import { z } from 'zod'

export const BundleName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'Use 1 to 40 small letters, digits or "-".')
