import { ShapedTool } from '../../../catalog/index.ts'
import { OwnToolRun } from '../../tool/own-tool-run.ts'
import type { Exchange } from '../exchange.ts'
import type { CallContext } from './call-steps.ts'

/** Runs the tool here when it is one of Herma's own. */
export function runOwnTool(exchange: Exchange, context: CallContext): void | Promise<void> {
  const { entry } = exchange
  if (!(entry instanceof ShapedTool) || entry.own === null) return
  const { catalog, downstreams, permission } = context
  const scope = context.scopes.for(exchange.caller)
  const run = new OwnToolRun(exchange, {
    member: ({ server, tool }) => catalog.member(server, tool),
    settled: () => downstreams.allSettled(),
    exposed: (name) => scope.visible(name),
    downstream: (id) => downstreams.byId(id),
    require: (subject) => permission.require(exchange, subject),
    take: (method, isFirst) => permission.admitInside(exchange, method, isFirst),
    onStep: (step) => exchange.recorder.step(exchange, step),
    owners: (uri) => {
      const subject = { method: 'resources/read', target: uri }
      return permission.requireAny(exchange, downstreams.ownersOf(exchange, uri), subject)
    },
  })
  return run.run(entry.own)
}
