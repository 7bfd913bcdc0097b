import { createHash, timingSafeEqual } from 'node:crypto'
import { loginProof } from '@herma/contract'

// Constant, so that the policy of a page can name them by their hash and allow nothing else.
const keepScript = `localStorage.setItem('${loginProof.storageKey}',document.getElementById('proof').dataset.proof)`
const showScript = `const form=document.getElementById('prove');form.elements.proof.value=localStorage.getItem('${loginProof.storageKey}')??'';form.submit()`

/** For `script-src` of a page that keeps or shows a proof. */
export const proofScripts = [keepScript, showScript]
  .map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`)
  .join(' ')

/** HTML that puts a proof into the storage of the page's origin, where pages of other ports do not reach. */
export function keepProof(proof: string): string {
  if (!/^[\w-]+$/.test(proof)) throw new Error('A proof has letters and digits only.')
  return `<div id="proof" data-proof="${proof}" hidden></div><script>${keepScript}</script>`
}

/** HTML that sends the form `prove` of the page, its field `proof` filled from the storage. */
export const showProof = `<script>${showScript}</script>`

export function isSameProof(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
