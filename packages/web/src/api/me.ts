import type { Role } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { api } from './client.ts'

const order: readonly Role[] = ['viewer', 'member', 'admin', 'owner']

export function useMe() {
  return useQuery({ queryKey: ['access', 'me'], queryFn: ({ signal }) => api.whoAmI({}, { signal }) })
}

/** Whether the one who looks has at least this role. What they may not do is not offered. */
export function useMay(role: Role): boolean {
  const { data } = useMe()
  return data !== undefined && order.indexOf(data.role) >= order.indexOf(role)
}
