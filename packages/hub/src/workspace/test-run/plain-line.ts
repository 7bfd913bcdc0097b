// oxlint-disable-next-line no-control-regex -- Control characters are what this is about.
const escapes = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-Z\\^_])/g

/**
 * A line that a program printed, without colours. A carriage return overwrites the line on a terminal, as progress bars
 * do; what stands last is what remains.
 */
export function plainLine(line: string): string {
  const plain = line.replaceAll(escapes, '')
  let end = plain.length
  // A regular expression would look at a million of them from each of them.
  while (plain[end - 1] === '\r') end--
  return plain.slice(plain.lastIndexOf('\r', end - 1) + 1, end)
}
