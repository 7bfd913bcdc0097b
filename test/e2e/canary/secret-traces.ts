/** What would give a secret away, if it were found somewhere. */
export function tracesOf(secret: string): string[] {
  // Only the random part: signs around it are spelt in many ways, these letters and digits are not.
  const [core = ''] = (secret.match(/[\w-]+/g) ?? []).toSorted((a, b) => b.length - a.length)
  if (core.length < 8) throw new Error(`'${secret}' has too few letters to be found again.`)
  const aligned = ['', 'x', 'xx'].map((before) => {
    const text = Buffer.from(before + core).toString('base64url')
    const first = Math.ceil((before.length * 8) / 6)
    return text.slice(first, Math.floor(((before.length + core.length) * 8) / 6))
  })
  const hex = Buffer.from(core).toString('hex')
  // Of a secret that was cut in half either half would still be one.
  const halves = [core.slice(0, 12), core.slice(-12)]
  return [...halves, ...aligned, ...aligned.map(toPlainBase64), hex.slice(0, 24), hex.slice(0, 24).toUpperCase()]
}

function toPlainBase64(text: string): string {
  return text.replaceAll('-', '+').replaceAll('_', '/')
}
