/** $0.0012, $0.35, $12.40; what is less than can be read is said so. */
export function formatCost(usd: number): string {
  if (usd === 0) return '$0'
  if (usd < 0.0001) return 'under $0.0001'
  return `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`
}
