// The letters that are used for the trick: https://www.unicode.org/Public/security/latest/confusables.txt
const pairs: readonly (readonly [string, string])[] = [
  // Cyrillic.
  ['аеорсухіјѕһԁԛԝӏкѵ', 'aeopcyxijshdqwlkv'],
  ['АВЕЗІЈКМНОРЅТУХԌԚԜѴ', 'ABE3IJKMHOPSTYXGQWV'],
  // Greek.
  ['αγικνορτυχϲϳ', 'ayiknoptuxcj'],
  ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ', 'ABEZHIKMNOPTYXCJ'],
  // Armenian, Cherokee, and Latin letters that look like others.
  ['օոսհցզԼՕՍ', 'onuhgqLOU'],
  ['ᎪᏴᏟᎬᎻᎥᎫᏦᏞᎷᏢᎡᏚᎢᏙᏔᏃ', 'ABCEHIJKLMPRSTVWZ'],
  ['ıɩɑɡɪʏʀɴ', 'iiagiyrn'],
]

const lookAlikes: ReadonlyMap<string, string> = new Map(
  pairs.flatMap(([foreign, latin]) => Array.from(foreign, (letter, index) => [letter, latin[index]!] as const)),
)

export function isConfusable(letter: string): boolean {
  return lookAlikes.has(letter)
}

const ascii = /^[\0-\x7f]*$/
// Everything that a reader does not see, and the marks that are put above letters.
const ignorable = /[\p{Cf}\p{Mn}\u115f\u1160\u3164\uffa0\u{e0000}-\u{e01ef}]/gu

/** A text as a reader takes it: letters that look alike are one, and what does not show is gone. */
export function foldText(text: string): string {
  if (ascii.test(text)) return text
  const plain = text.normalize('NFKD').replace(ignorable, '')
  return ascii.test(plain) ? plain : Array.from(plain, (letter) => lookAlikes.get(letter) ?? letter).join('')
}

/** Names with the same skeleton are hard to tell apart. */
export function nameSkeleton(name: string): string {
  return foldText(name)
    .toLowerCase()
    .replace(/[\s_./:-]+/g, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replace(/[01|5!i]/g, (character) => ({ '0': 'o', '5': 's' })[character] ?? 'l')
}
