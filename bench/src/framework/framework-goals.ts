import type { Goal } from '../report/judge-goals.ts'
import { cpuRatio, OURS, startRatio, type FrameworkResults } from './framework-results.ts'
import type { LoadCase } from './measure-load.ts'

/** Compares what was measured with what the framework must reach. */
export function judgeFramework(results: FrameworkResults): Goal[] {
  const cpu = (what: string, load: LoadCase, most: number) =>
    judge(what, { got: cpuRatio(results, OURS, load), most, unit: '× SDK' })
  const hello = results.hellos.find(({ contender }) => contender === OURS)
  return [
    cpu('CPU of a call over stdio, legacy client', { way: 'stdio/legacy', tools: 1 }, 1),
    cpu('CPU of a call over stdio, modern client', { way: 'stdio/modern', tools: 1 }, 1),
    cpu('CPU of a call over HTTP, 1 tool, to createMcpHandler', { way: 'http/modern', tools: 1 }, 0.6),
    cpu('CPU of a call over HTTP, 500 tools, to createMcpHandler', { way: 'http/modern', tools: 500 }, 0.1),
    judge('hello world: tool, resource template and prompt', { got: hello?.lines, most: 12, unit: 'lines' }),
    judge('cold start to the first tools/list over stdio', {
      got: startRatio(results, OURS, 'wallMs'),
      most: 1.2,
      unit: '× SDK',
    }),
  ]
}

function judge(what: string, { got, most, unit }: { got: number | undefined; most: number; unit: string }): Goal {
  const wanted = `≤ ${most} ${unit}`
  if (got === undefined) return { what, wanted, got: '–', verdict: 'not measured' }
  const shown = Number.isInteger(got) ? String(got) : got.toFixed(2)
  return { what, wanted, got: `${shown} ${unit}`, verdict: got <= most ? 'holds' : 'FAILS' }
}
