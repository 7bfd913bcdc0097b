/** Whether a word stands for a value that a person gives, as documents write it: `<folder>`. */
export function isLeftOpen(word: string): boolean {
  return /^<[^<>]+>$/.test(word)
}
