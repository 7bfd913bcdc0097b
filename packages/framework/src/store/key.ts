const maxKeyLength = 512

/**
 * Whether a store can keep something under this key. Others are never found: keys come from clients, and a strange one
 * must look like an unknown one.
 */
export function isKey(key: string): boolean {
  // PostgreSQL refuses U+0000, and half of a surrogate pair would be replaced, so that two keys became one.
  return key.length > 0 && key.length <= maxKeyLength && !/[\0\p{Surrogate}]/u.test(key)
}

/** Refuses a key that no store can keep, without repeating it: the id of a connection is a secret. */
export function checkKey(key: string): void {
  if (isKey(key)) return
  throw new RangeError(`A key must have 1 to ${maxKeyLength} characters, all valid Unicode and none U+0000.`)
}
