/**
 * What a signed-in page shows besides its cookie. Browsers send a cookie to every port of a host; the proof stays in the
 * storage of the one origin that signed in.
 */
export const loginProof = {
  /** The header that carries it, in lower case. */
  header: 'herma-proof',
  /** Its name in the storage of the page. */
  storageKey: 'herma.proof',
} as const
