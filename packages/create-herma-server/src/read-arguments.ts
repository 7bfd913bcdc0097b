import { parseArgs } from 'node:util'
import { ProjectError } from './project-error.ts'

export const templates = ['ts', 'js'] as const

export type Template = (typeof templates)[number]

export interface Arguments {
  readonly folder: string | undefined
  readonly template: Template
  readonly wants: 'project' | 'help' | 'version'
}

export function readArguments(words: readonly string[]): Arguments {
  const { values, positionals } = parse(words)
  const wants = values.help === true ? 'help' : values.version === true ? 'version' : 'project'
  if (positionals.length > 1) {
    throw new ProjectError(
      `One folder at a time: ${positionals.map((folder) => `'${folder}'`).join(' and ')} are several.`,
    )
  }
  const template = templates.find((known) => known === values.template)
  if (template === undefined) {
    throw new ProjectError(`There is no template '${values.template}'. Choose one: ${templates.join(', ')}.`)
  }
  return { folder: positionals[0], template, wants }
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        template: { type: 'string', short: 't', default: 'ts' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    })
  } catch (error) {
    throw new ProjectError(`${(error as Error).message} See: npm create herma-server -- --help`, { cause: error })
  }
}
