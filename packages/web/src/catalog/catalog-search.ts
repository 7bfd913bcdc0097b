import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

/** What the address of the catalog page says. */
export interface CatalogSearch {
  readonly tab?: string
  /** The tool that is open: `server/tool`. */
  readonly tool?: string
  readonly text?: string
  /** Which tools are shown: hidden, overridden, waiting, findings. */
  readonly filter?: string
  /** The composite that is open; `new-aggregate` and `new-pipeline` begin one. */
  readonly composite?: string
}

const names = ['tab', 'tool', 'text', 'filter', 'composite'] as const

export function readCatalogSearch(search: Record<string, unknown>): CatalogSearch {
  return Object.fromEntries(
    names.flatMap((name) => (typeof search[name] === 'string' && search[name] !== '' ? [[name, search[name]]] : [])),
  )
}

type Part = { readonly [Name in keyof CatalogSearch]: string | undefined }

interface ChangeOptions {
  readonly replace?: boolean
  /** Nothing is lost: what was changed is saved or gone. */
  readonly isSure?: boolean
}

/** The address, and a way to change a part of it; undefined takes a part away. */
export function useCatalogSearch(): [CatalogSearch, (part: Part, options?: ChangeOptions) => void] {
  const search: CatalogSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const change = useCallback(
    (part: Part, { replace = false, isSure = false }: ChangeOptions = {}) =>
      void navigate({
        to: '/catalog',
        search: (last: Record<string, unknown>) => readCatalogSearch({ ...last, ...part }),
        replace,
        ignoreBlocker: isSure,
        resetScroll: false,
      }),
    [navigate],
  )
  return [search, change]
}
