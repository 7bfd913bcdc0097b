// oxlint-disable-next-line no-control-regex -- Control characters are what this is about.
const escapes = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-_])/g
// oxlint-disable-next-line no-control-regex -- The same.
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g

/** Takes out what a terminal would obey: text of a server must not move the cursor or forge a line. */
export function cleanText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(escapes, '').replaceAll(controls, '')
}

/** The text on one line. */
export function oneLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, ' ').trim()
}
