import type { CustomTool } from '@herma/contract'
import { namesInBraces, homePlaceholders } from './expand-homes.ts'

export interface CustomToolProblem {
  /** Where in the tool: `['args', 1]`, `['env', 'TOKEN']`. */
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** What the schema of the file cannot see: texts that no command can get, and placeholders that nothing replaces. */
export function findCustomToolProblems(tool: CustomTool): CustomToolProblem[] {
  const texts: [path: CustomToolProblem['path'], text: string][] = [
    [['command'], tool.command],
    ...tool.args.map((arg, index): [[string, number], string] => [['args', index], arg]),
    [['cwd'], tool.cwd ?? ''],
    ...Object.entries(tool.env).map(([name, value]): [string[], string] => [['env', name], value]),
  ]
  return [
    ...texts.flatMap(([path, text]) => findTextProblems(text).map((message) => ({ path, message }))),
    ...Object.keys(tool.env)
      .filter((name) => name === '' || /[=\0]/.test(name))
      .map((name) => ({ path: ['env', name], message: 'The name of a variable is not empty and has no "=".' })),
    ...findTypeProblems(tool.inputSchema),
  ]
}

function findTextProblems(text: string): string[] {
  const problems = namesInBraces(text).flatMap((name) => {
    if (/^(arguments?|args|input)\b/.test(name)) {
      return [
        `{{${name}}} is not replaced: what a client sends never becomes part of a command line, where it could pass ` +
          'for an option. Let the command read its arguments as JSON from standard input.',
      ]
    }
    if (!/^(HERMA|STELAE)_/.test(name) || homePlaceholders.includes(name)) return []
    return [`{{${name}}} is not known. There are ${homePlaceholders.map((home) => `{{${home}}}`).join(' and ')}.`]
  })
  return text.includes('\0') ? [...problems, 'A text for a command cannot hold the character U+0000.'] : problems
}

function findTypeProblems({ type = 'object' }: CustomTool['inputSchema']): CustomToolProblem[] {
  if (type === 'object') return []
  return [{ path: ['inputSchema', 'type'], message: 'Arguments are always an object: "type" can only be "object".' }]
}
