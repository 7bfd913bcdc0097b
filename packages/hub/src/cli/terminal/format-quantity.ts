/** For example `1 tool`, `3 tools`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** The largest unit says enough: `45 s`, `12 min`, `3 h`, `2 d`. */
export function formatDuration(ms: number): string {
  const units: [number, string][] = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
  ]
  const [size, unit] = units.find(([each]) => ms >= each) ?? [1000, 's']
  return `${Math.max(0, Math.floor(ms / size))} ${unit}`
}
