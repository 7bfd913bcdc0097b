import type { FragmentContent, ToolSelector, View } from '@herma/contract'
import { count } from '../ui/format.ts'

/** What a file brings: 3 overrides, 1 aggregate. */
export function describeContent(content: FragmentContent): string {
  const parts = [
    [content.overrides, 'override'],
    [content.hidden, 'hidden tool'],
    [content.aggregates, 'aggregate'],
    [content.pipelines, 'pipeline'],
    [content.customTools, 'custom tool'],
    [content.views, 'view'],
  ] as const
  const given = parts.filter(([number]) => number > 0).map(([number, noun]) => count(number, noun))
  return given.length === 0 ? 'nothing' : given.join(', ')
}

/** What a view shows, and to whom. */
export function describeView({ include, exclude, for: whom }: View): string {
  const shows = include.length === 0 ? 'all tools' : include.map(describeSelector).join(' or ')
  const without = exclude.length === 0 ? '' : `, without ${exclude.map(describeSelector).join(' or ')}`
  const parts = Object.entries(whom ?? {}).map(([kind, names]) => `${kind} ${names.join(', ')}`)
  return `Shows ${shows}${without}. For ${parts.length === 0 ? 'servers that name it' : parts.join(' and ')}.`
}

function describeSelector(selector: ToolSelector): string {
  const parts = Object.entries(selector).map(([field, value]) => `${field} ${String(value)}`)
  return parts.length === 0 ? 'all tools' : parts.join(', ')
}
