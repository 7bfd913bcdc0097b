// The parrot as a command. It was told its secrets by arguments and environment, and writes them to its log in pieces.
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { answer, spellings } from './parrot.mjs'

const heard = [process.env.PARROT_TOKEN, process.env.PARROT_PERSONAL, ...process.argv.slice(2)].filter(Boolean)
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line), heard, send))
process.stdout.write(`no message but ${heard.join(' ')}\n`)
for (const secret of heard) {
  for (const text of spellings(secret)) {
    const middle = Math.floor(text.length / 2)
    process.stderr.write(`told ${text.slice(0, middle)}`)
    await sleep(5)
    process.stderr.write(`${text.slice(middle)} and so on\n`)
  }
}
