/** Guesses from the name of a header or variable whether its value is a secret. Case, `-` and `_` do not matter. */
export function isSecretName(name: string): boolean {
  const known = guesses.get(name)
  if (known !== undefined) return known
  const guess = guessSecret(name)
  if (guesses.size >= maxGuesses) guesses.clear()
  guesses.set(name, guess)
  return guess
}

// The same names come with every event.
const guesses = new Map<string, boolean>()
const maxGuesses = 2000

function guessSecret(name: string): boolean {
  // MCP calls so what a client makes up to tell its requests apart.
  if (name === 'progressToken') return false
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  const last = words.at(-1)
  if (last === undefined) return false
  // The variable PWD alone is the working directory.
  const isEnding = secretEndings.has(last) || (last === 'pwd' && words.length > 1)
  return isEnding || words.some((word) => secretWords.has(word)) || gluedSecret.test(words.join(''))
}

// At the end of a name they say what the value is: GITHUB_TOKEN, but not TOKEN_URL or MAX_TOKENS.
const secretEndings = new Set(['key', 'token', 'secret', 'secrets', 'cookie', 'cookies', 'pass', 'pat', 'jwt'])

// Anywhere in a name they mean a secret.
const secretWords = new Set(['authorization', 'credential', 'credentials', 'passphrase', 'passwd', 'password'])

// Variants written as one word, or with something behind them: x-apikey, APIKEY_PROD, PRIVATE_KEY_PEM, GITHUBTOKEN.
const gluedSecret =
  /apikey|privatekey|secretkey|accesskey|authtoken|accesstoken|clientsecret|(?:token|secret|passw(?:or)?d)$/
