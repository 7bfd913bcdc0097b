import { createContext } from 'react'

/** Where a section says whether it has changes that were not saved. */
export const DirtySections = createContext<(id: string, isDirty: boolean) => void>(() => {})
