import type { ImagePart } from '../turn/types.ts'
import { wrongField } from './read-fields.ts'

/** An image of a data: URL. Others are not fetched: a client could make the hub ask any address for it. */
export function readImage(url: string, param: string): ImagePart {
  const comma = url.indexOf(',')
  const head = /^data:(image\/[\w.+-]+);base64$/i.exec(url.slice(0, Math.max(comma, 0)))
  if (head === null)
    throw wrongField(param, 'An image comes as a data: URL, data:image/png;base64,… Others are not fetched.')
  const data = url.slice(comma + 1)
  if (data === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) throw wrongField(param, 'The image is not in base64.')
  return { type: 'image', data, mediaType: head[1]!.toLowerCase() }
}
