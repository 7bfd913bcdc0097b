import { errorCodes, HubError, type Problem } from '@herma/contract'
import { z } from 'zod'

import type { ApiAnswer } from './route.ts'

/** Turns an error into the answer that a caller may see, or undefined when it is not one of ours. */
export function problemOf(error: unknown, redact = (text: string) => text): ApiAnswer | undefined {
  if (!(error instanceof HubError)) return undefined
  const issues = error.cause instanceof z.ZodError ? listIssues(error.cause) : undefined
  const shown = issues?.map(({ path, message }) => ({ path: redact(path), message: redact(message) }))
  return problem(errorCodes[error.code].http, error.code, redact(error.message), shown)
}

export function problem(status: number, code: string, message: string, issues?: Issue[]): ApiAnswer {
  const body: Problem = { error: { code, message, ...(issues === undefined ? {} : { issues }) } }
  return { status, body }
}

/** For `cause` of an error about one field: a form shows it there. */
export function issueAt(path: string, message: string): z.ZodError {
  return new z.ZodError([{ code: 'custom', path: path.split('.'), message, input: undefined }])
}

type Issue = { path: string; message: string }

/** Every issue with the path of the field that it is about. */
export function listIssues(error: z.ZodError, prefix: readonly string[] = []): Issue[] {
  return error.issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path.map(String)]
    if (issue.code !== 'unrecognized_keys') return [{ path: path.join('.'), message: issue.message }]
    // zod names the object that has the unknown field; a form needs the field itself.
    return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'This field is not known.' }))
  })
}
