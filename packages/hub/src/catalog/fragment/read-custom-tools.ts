import { type CustomTool, CustomTools, type FileNote } from '@herma/contract'
import { noteProblems } from './check/file-notes.ts'
import { findRepeatedNames, found, notAnObject } from './check/found-problem.ts'
import { explainIssue } from './check/explain-issue.ts'
import { isObjectSchema } from './check/object-schema.ts'
import type { JsonDocument } from './json/parse-json-file.ts'

export interface ReadCustomTools {
  /** Empty when there are errors. */
  readonly customTools: CustomTool[]
  readonly errors: FileNote[]
}

/** Reads `custom_tools.json`. */
export function readCustomTools(document: JsonDocument): ReadCustomTools {
  const parsed = CustomTools.safeParse(document.value)
  const problems = parsed.success
    ? [...findRepeatedNames(parsed.data.tools, 'tools'), ...checkSchemas(parsed.data.tools)]
    : parsed.error.issues.flatMap((issue) => explainIssue(issue, CustomTools, document.value))
  const errors = noteProblems(document, problems)
  return { customTools: parsed.success && errors.length === 0 ? parsed.data.tools : [], errors }
}

function checkSchemas(tools: readonly CustomTool[]) {
  return tools.flatMap(({ inputSchema }, index) =>
    isObjectSchema(inputSchema) ? [] : [found(['tools', index, 'inputSchema', 'type'], notAnObject)],
  )
}
