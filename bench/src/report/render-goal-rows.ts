/** A table in Markdown that says of each figure whether it is what was wanted. */
export function renderGoalRows(rows: readonly GoalRow[]): string {
  return [
    '| what | wanted | got | |',
    '|---|---|---|---|',
    ...rows.map(
      ([what, wanted, got, holds]) =>
        `| ${what} | ${wanted} | ${got} | ${wanted === '' ? '' : holds ? 'holds' : 'FAILS'} |`,
    ),
  ].join('\n')
}

/** One figure of a report; where nothing is wanted it is only told. */
export type GoalRow = [what: string, wanted: string, got: string, holds: boolean]

/** Whether a figure is not what was wanted. */
export function isMissed([, wanted, , holds]: GoalRow): boolean {
  return wanted !== '' && !holds
}
