/** Whether a text is a URL that keys and secrets may travel to: https, or http that does not leave this machine. */
export function isSecure(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

function isLoopback(hostname: string): boolean {
  return /^127(\.\d+){3}$/.test(hostname) || /^(\[::1\]|(.+\.)?localhost)$/.test(hostname)
}
