/** A free user name for somebody who is known by an address only. */
export async function nameOfEmail(email: string, isTaken: (name: string) => Promise<boolean>): Promise<string> {
  const local = email.toLowerCase().split('@', 1)[0] ?? ''
  const base =
    local
      .replaceAll(/[^a-z0-9._-]/g, '-')
      .replace(/^[^a-z0-9]+/, '')
      .slice(0, 50) || 'user'
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`
    if (!(await isTaken(name))) return name
  }
}
