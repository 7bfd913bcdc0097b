import { download } from '../ui/json-box.tsx'

/** Saves an answer as a file, under the name that the hub gives it or another. A plain link would carry no proof. */
export async function saveAnswer(response: Response, name: string): Promise<string> {
  const file = /filename="?([^";]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? name
  download(file, await response.text(), response.headers.get('content-type') ?? 'application/json')
  return file
}
