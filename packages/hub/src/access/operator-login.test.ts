import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { OperatorLogin } from './operator-login.ts'

const token = `ho_${'t'.repeat(43)}`
const sealer = {
  seal: (text: string) => Buffer.from(`key ${text}`).toString('base64url'),
  open: (sealed: string) => /^key (.*)$/.exec(Buffer.from(sealed, 'base64url').toString())?.[1] ?? null,
}

function open(operatorLogin: OperatorLogin, path: string, method = 'GET') {
  const request = Object.assign(new IncomingMessage(new Socket()), { url: path, method })
  const response = new ServerResponse(request)
  let body = ''
  response.end = (chunk?: unknown) => {
    body = String(chunk ?? '')
    return response
  }
  operatorLogin.redeem(request, response)
  const cookie = String(response.getHeader('set-cookie') ?? '')
  return { status: response.statusCode, cookie, proof: /data-proof="([^"]*)"/.exec(body)?.[1] ?? '' }
}

function carries(operatorLogin: OperatorLogin, cookie: string, proof: string): boolean {
  const headers = { cookie: `other=1; ${cookie.split(';')[0]}`, 'herma-proof': proof }
  return operatorLogin.hasProof(Object.assign(new IncomingMessage(new Socket()), { headers }))
}

test('only the token itself is the token', () => {
  const operatorLogin = new OperatorLogin({ token, sealer })
  expect(operatorLogin.isToken(token)).toBe(true)
  for (const other of ['', 'ho_', token.slice(0, -1), `${token}t`, token.toUpperCase()])
    expect(operatorLogin.isToken(other)).toBe(false)
})

test('a link lets one browser in, once and within a minute', () => {
  let now = 1000
  const operatorLogin = new OperatorLogin({ token, sealer, now: () => now })
  const { path } = operatorLogin.createTicket()
  expect(path).not.toContain(token)
  expect(open(operatorLogin, path, 'HEAD').status).toBe(405)
  const { status, cookie, proof } = open(operatorLogin, path)
  expect(status).toBe(200)
  expect(cookie).toMatch(/HttpOnly; SameSite=Strict/)
  expect(carries(operatorLogin, cookie, proof)).toBe(true)
  expect(open(operatorLogin, path)).toEqual({ status: 403, cookie: '', proof: '' })
  const late = operatorLogin.createTicket()
  now += 60_001
  expect(open(operatorLogin, late.path).status).toBe(403)
  expect(open(operatorLogin, '/open?ticket=').status).toBe(403)
})

test('a cookie ends with the token that it was given for', () => {
  const operatorLogin = new OperatorLogin({ token, sealer })
  const { cookie, proof } = open(operatorLogin, operatorLogin.createTicket().path)
  expect(carries(new OperatorLogin({ token, sealer }), cookie, proof)).toBe(true)
  expect(carries(new OperatorLogin({ token: `ho_${'u'.repeat(43)}`, sealer }), cookie, proof)).toBe(false)
  expect(carries(operatorLogin, 'herma_operator=forged', proof)).toBe(false)
})

test('a cookie counts with the proof of its own login only, and the proof is not in it', () => {
  const operatorLogin = new OperatorLogin({ token, sealer })
  const [one, other] = [1, 2].map(() => open(operatorLogin, operatorLogin.createTicket().path))
  expect(carries(operatorLogin, one!.cookie, other!.proof)).toBe(false)
  for (const proof of ['', 'x', one!.proof.slice(1)]) expect(carries(operatorLogin, one!.cookie, proof)).toBe(false)
  expect(Buffer.from(one!.cookie, 'base64url').toString('latin1') + one!.cookie).not.toContain(one!.proof)
})

test('links that nobody opens do not pile up', () => {
  const operatorLogin = new OperatorLogin({ token, sealer })
  const paths = Array.from({ length: 150 }, () => operatorLogin.createTicket().path)
  expect(open(operatorLogin, paths[0]!).status).toBe(403)
  expect(open(operatorLogin, paths[149]!).status).toBe(200)
})
