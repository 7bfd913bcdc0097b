import * as zlib from 'node:zlib'
import { HubError } from '@herma/contract'

type Decoder = zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress

const decoders = new Map<string, () => Decoder>([
  ['gzip', () => zlib.createGunzip()],
  ['deflate', () => zlib.createInflate()],
  ['br', () => zlib.createBrotliDecompress()],
])
// Node 22.15 and later have it.
const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Decoder }
if (createZstdDecompress !== undefined) decoders.set('zstd', () => createZstdDecompress())

/** Codings of bodies that are read, as the value of a header. */
export const acceptedCodings = [...decoders.keys()].join(', ')

/** What unpacks a body of this Content-Encoding; null where nothing is to be unpacked. Throws for any other coding. */
export function decoderFor(contentEncoding: string | undefined): Decoder | null {
  if (contentEncoding === undefined) return null
  const coding = contentEncoding
    .trim()
    .toLowerCase()
    .replace(/^x-(?=gzip$)/, '')
  if (coding === 'identity') return null
  const create = decoders.get(coding)
  if (create !== undefined) return create()
  const what = coding.includes(',') ? 'Several codings one over the other are' : `${JSON.stringify(coding)} is`
  throw new HubError(
    'CODING_UNSUPPORTED',
    `Unsupported Content-Encoding: ${what} not read here. Send the body as it is, or as one of ${acceptedCodings}.`,
  )
}

/** For places that read no compressed body at all. */
export function refuseCompressed(contentEncoding: string | undefined): HubError | null {
  if (contentEncoding === undefined || contentEncoding.trim().toLowerCase() === 'identity') return null
  return new HubError('CODING_UNSUPPORTED', 'Unsupported Content-Encoding: send the body here as it is.')
}
