import type { Machine } from '../machine/describe-machine.ts'
import type { FeatureFinding } from './probe/probe-features.ts'
import type { Hello } from './measure-hello.ts'
import type { Install } from './measure-install.ts'
import type { LoadCase, LoadTurn } from './measure-load.ts'
import type { Memory } from './measure-memory.ts'
import type { StartTurn } from './measure-start.ts'
import { median } from '../client/percentile.ts'

/** Everything that one run found out; bench/results/framework.json holds it. */
export interface FrameworkResults {
  machine: Machine
  /** Share of the machine that others used during the run. */
  otherWork: number
  rounds: number
  starts: number
  measureMs: number
  contenders: { name: string; main: string; version: string; note: string }[]
  load: LoadTurn[]
  startTurns: StartTurn[]
  hellos: Hello[]
  memories: Memory[]
  installs: Install[]
  findings: FeatureFinding[]
  /** What could not be measured, and why. */
  omissions: { contender: string; what: string; reason: string }[]
}

/** What is compared with: the official SDK. */
export const BASE = 'sdk'
export const OURS = 'herma'

/** CPU of a call, as the median of the rounds; undefined when it was not measured. */
export function cpuOf({ load }: FrameworkResults, contender: string, { way, tools }: LoadCase): number | undefined {
  const turns = load.filter((turn) => turn.contender === contender && turn.way === way && turn.tools === tools)
  return middle(turns.map((turn) => turn.cpuUsPerCall))
}

/** The median of the rounds' own ratios to the SDK, since two turns of one round have met the same machine. */
export function cpuRatio(results: FrameworkResults, contender: string, { way, tools }: LoadCase): number | undefined {
  const turns = results.load.filter((turn) => turn.way === way && turn.tools === tools)
  return pairedRatio(turns, contender, (turn) => turn.cpuUsPerCall)
}

export type StartFigure = 'wallMs' | 'cpuMs'

export function startOf({ startTurns }: FrameworkResults, contender: string, figure: StartFigure): number | undefined {
  return middle(startTurns.filter((turn) => turn.contender === contender).map((turn) => turn[figure]))
}

export function startRatio({ startTurns }: FrameworkResults, contender: string, figure: StartFigure) {
  return pairedRatio(startTurns, contender, (turn) => turn[figure])
}

function pairedRatio<Turn extends { contender: string; round: number }>(
  turns: Turn[],
  contender: string,
  pick: (turn: Turn) => number,
): number | undefined {
  const ratios = turns
    .filter((turn) => turn.contender === contender)
    .flatMap((turn) => {
      const base = turns.find((each) => each.contender === BASE && each.round === turn.round)
      return base ? [pick(turn) / pick(base)] : []
    })
  return middle(ratios)
}

const middle = (values: number[]) => (values.length > 0 ? median(values) : undefined)
