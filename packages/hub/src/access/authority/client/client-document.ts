import { z } from 'zod'
import { DocumentRefused } from './fetch-document.ts'

const Address = z.url({ protocol: /^https?$/ }).max(2048)

/** What we read of a client metadata document; unknown fields are left aside. */
const ClientDocument = z.object({
  client_id: z.string(),
  client_name: z.string().trim().min(1).max(200),
  redirect_uris: z.array(z.string().max(2048)).min(1).max(50),
  client_uri: Address.optional(),
  logo_uri: Address.optional(),
  tos_uri: Address.optional(),
  policy_uri: Address.optional(),
  grant_types: z.array(z.string().max(200)).max(20).default(['authorization_code', 'refresh_token']),
  response_types: z.array(z.string().max(50)).max(20).default(['code']),
  token_endpoint_auth_method: z.enum(['none', 'private_key_jwt']).default('none'),
  jwks: z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(20) }).optional(),
  jwks_uri: Address.optional(),
  application_type: z.enum(['web', 'native']).optional(),
})
export type ClientDocument = z.infer<typeof ClientDocument>

/** Whether a client id is the address of a document, as the draft wants it spelt. */
export function isDocumentUrl(clientId: string): boolean {
  if (!clientId.startsWith('https://') || clientId.length > 1024 || !URL.canParse(clientId)) return false
  const { username, password, hash, pathname, href } = new URL(clientId)
  if (username !== '' || password !== '' || hash !== '' || pathname === '/') return false
  // Dot segments, upper-case hosts and default ports are spelt differently by the parser: the id must be what is fetched.
  return href === clientId
}

/** Reads a document that was fetched from its client id. Throws `DocumentRefused`, naming the field. */
export function parseClientDocument(text: string, clientId: string): ClientDocument {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new DocumentRefused('The document is not JSON.')
  }
  if (typeof value === 'object' && value !== null && 'client_secret' in value)
    throw new DocumentRefused('A public document must not hold a client_secret.')
  const parsed = ClientDocument.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new DocumentRefused(`${issue?.path.join('.')}: ${issue?.message}`)
  }
  if (parsed.data.client_id !== clientId)
    throw new DocumentRefused('client_id: It is not the address that the document was fetched from.')
  return parsed.data
}
