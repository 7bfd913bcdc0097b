const maxFields = 100

/** Paths of the texts that hold a mask, such as `arguments.headers[0].value`. */
export function findMasked(value: unknown, mask: string): string[] {
  const found: string[] = []
  const look = (each: unknown, path: string): void => {
    if (found.length >= maxFields) return
    if (typeof each === 'string') {
      if (each.includes(mask)) found.push(path)
    } else if (Array.isArray(each)) each.forEach((item, index) => look(item, `${path}[${index}]`))
    else if (typeof each === 'object' && each !== null)
      for (const [name, field] of Object.entries(each)) look(field, path === '' ? name : `${path}.${name}`)
  }
  look(value, '')
  return found
}
