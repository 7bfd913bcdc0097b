import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose'

interface SigningKey {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK
}

type Reply = (request: IncomingMessage, body: string) => { status?: number; headers?: object; body?: unknown }

/** An authorization server on a real port whose every address can be changed while it runs. */
export class TestIssuer implements AsyncDisposable {
  /** What to answer by path; strings are sent as they are, all else as JSON. */
  readonly replies = new Map<string, Reply>()
  /** The path of each request that came. */
  readonly requests: string[] = []
  isDown = false
  keys: SigningKey[] = []
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  static async start(path = ''): Promise<TestIssuer> {
    const issuer = new TestIssuer(path)
    await new Promise<void>((resolve) => issuer.#server.listen(0, '127.0.0.1', resolve))
    await issuer.rotate()
    const metadata = `/.well-known/oauth-authorization-server${path}`
    issuer.replies.set(metadata, () => ({ body: { issuer: issuer.url, jwks_uri: `${issuer.origin}/jwks` } }))
    issuer.replies.set('/jwks', () => ({ body: { keys: issuer.keys.map(({ publicJwk }) => publicJwk) } }))
    return issuer
  }

  private constructor(readonly path: string) {}

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get url(): string {
    return `${this.origin}${this.path}`
  }

  countOf(path: string): number {
    return this.requests.filter((each) => each === path).length
  }

  /** From now on another key signs, and the old one is not published any more. */
  async rotate(): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const kid = crypto.randomUUID()
    this.keys = [{ kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } }]
  }

  /** A token for `audience` that is good for an hour unless the claims say otherwise. */
  async sign(audience: string, claims: JWTPayload = {}, header: Record<string, unknown> = {}): Promise<string> {
    const [key] = this.keys
    if (key === undefined) throw new Error('The issuer has no key.')
    const now = Math.floor(Date.now() / 1000)
    return new SignJWT({ iss: this.url, aud: audience, sub: 'ada', iat: now, exp: now + 3600, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: key.kid, ...header })
      .sign(key.privateKey)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', this.origin).pathname
    this.requests.push(path)
    if (this.isDown) return void request.socket.destroy()
    const body = Buffer.concat(await request.toArray()).toString()
    const reply = this.replies.get(path)?.(request, body) ?? { status: 404, body: '' }
    response.writeHead(reply.status ?? 200, { connection: 'close', ...reply.headers })
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }
}
