/**
 * Cuts text into the words that it is found by: split at punctuation and camelCase, without accents, case and common
 * endings, so that `listPullRequests` and "listing a pull request" meet. Words of no meaning are left out.
 */
export function searchWords(text: string): string[] {
  const words: string[] = []
  for (const [run] of withoutAccents(text).matchAll(wordRuns)) {
    if (isUnspaced.test(run)) words.push(...characterPairs(run))
    else for (const word of splitCase(run)) if (!emptyWords.has(word)) words.push(stem(word.slice(0, maxWordLength)))
  }
  return words
}

/** Longer runs are hashes and encoded data, which nobody looks for. */
const maxWordLength = 40
const wordRuns = /[\p{L}\p{N}]+/gu
const isUnspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

const emptyWords = new Set(
  (
    'a an and any are as at be by can do does for from has have how i if in into is it its me my of on or our please ' +
    'so some that the their them then there these this those to use used uses using want was we what when which will ' +
    'with would you your'
  ).split(' '),
)

function withoutAccents(text: string): string {
  // oxlint-disable-next-line no-control-regex -- Most text is ASCII, and needs no second look.
  return /^[\x00-\x7f]*$/.test(text) ? text : text.normalize('NFKD').replace(/\p{M}/gu, '')
}

// GitHub and JavaScript are also looked for as one word; getFile is not.
function splitCase(run: string): string[] {
  const parts = run
    .replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3 $2$4')
    .toLowerCase()
    .split(' ')
  return parts.length === 2 && /^[A-Z]/.test(run) ? [...parts, parts.join('')] : parts
}

// Scripts without spaces are found by any two characters that stand together.
function characterPairs(run: string): string[] {
  const characters = Array.from(run)
  if (characters.length === 1) return characters
  return characters.slice(1).map((character, index) => characters[index]! + character)
}

// Light on purpose: an ending goes only when enough of the word stays, and two words that meet by mistake do less harm
// than the same word missed. The last e goes too, since "creating" has lost it.
function stem(word: string): string {
  if (word.length < 4) return word
  let stemmed = word
  if (/[^s]ies$/.test(stemmed)) stemmed = `${stemmed.slice(0, -3)}y`
  else if (/(ss|x|ch|sh)es$/.test(stemmed)) stemmed = stemmed.slice(0, -2)
  else if (/[^sui]s$/.test(stemmed)) stemmed = stemmed.slice(0, -1)
  const root = /^(.*[aeiouy].*)(?:ing|ed)$/.exec(stemmed)?.[1]
  if (root !== undefined && root.length >= 3) stemmed = /([^aeioulsz])\1$/.test(root) ? root.slice(0, -1) : root
  return stemmed.length > 3 && stemmed.endsWith('e') ? stemmed.slice(0, -1) : stemmed
}
