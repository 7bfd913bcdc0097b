import { HubError, type Ability, type RouteRule, type Session } from '@herma/contract'

/** A tool that answers in place of the model. */
export type RoutedTool = Exclude<RouteRule['use'], 'model'>

/** Which way a piece of work goes, and why. */
export interface RouteChoice {
  /** `openai`, `command`, `mcp:stdio` …; `own` = the hub does it itself. */
  readonly route: string
  readonly use: 'model' | 'own' | RoutedTool
  readonly because: string
}

export interface RouteQuestion {
  readonly session: Pick<Session, 'name' | 'provider' | 'routes'>
  readonly ability: Ability | 'chat'
  readonly text: string
  /** The hub can do it without a model. */
  readonly isOwn: boolean
  /** A tool that answers where no rule fits. */
  readonly otherwise?: { readonly use: RoutedTool; readonly because: string } | undefined
  /** Which way calls of a connector go. */
  routeOf(connector: string): string
}

/** The first rule that fits decides; without one the work goes to the model. */
export function chooseRoute(question: RouteQuestion): RouteChoice {
  const { session, ability, text, otherwise, routeOf } = question
  for (const [index, rule] of session.routes.entries()) {
    if (!rule.abilities.includes(ability)) continue
    const word = rule.contains.find((wanted) => holdsWord(text, wanted))
    if (rule.contains.length > 0 && word === undefined) continue
    const because = `rule ${index + 1} speaks of ${ability}${word === undefined ? '' : ` with '${word}'`}`
    if (rule.use !== 'model') return { route: routeOf(rule.use.connector), use: rule.use, because }
    return chooseUsual(question, because)
  }
  const because = session.routes.length === 0 ? 'there are no rules' : 'no rule fits'
  if (otherwise === undefined) return chooseUsual(question, because)
  return { route: routeOf(otherwise.use.connector), use: otherwise.use, because: `${because}; ${otherwise.because}` }
}

function chooseUsual({ session, ability, isOwn }: RouteQuestion, because: string): RouteChoice {
  if (isOwn) return { route: 'own', use: 'own', because: `${because}, and ${ability} needs no model` }
  if (session.provider !== 'mcp') return { route: session.provider, use: 'model', because }
  const text = `'${session.name}' has no model, and ${because}. Add a rule for ${ability} to its routes that uses a tool.`
  throw new HubError('SESSION_UNREADY', text)
}

/** Whether a word or phrase stands in a text by itself: `test` is not in `latest`. */
function holdsWord(text: string, wanted: string): boolean {
  const whole = text.toLowerCase()
  const word = wanted.toLowerCase()
  for (let at = whole.indexOf(word); at >= 0; at = whole.indexOf(word, at + 1)) {
    const end = at + word.length
    const isCutBefore = isLetter(lastOf(whole.slice(Math.max(0, at - 2), at))) && isLetter(firstOf(word))
    const isCutBehind = isLetter(firstOf(whole.slice(end, end + 2))) && isLetter(lastOf(word))
    if (!isCutBefore && !isCutBehind) return true
  }
  return false
}

function isLetter(sign: string | undefined): boolean {
  return sign !== undefined && /[\p{L}\p{N}_]/u.test(sign)
}

function firstOf(text: string): string | undefined {
  return Array.from(text)[0]
}

function lastOf(text: string): string | undefined {
  return Array.from(text).at(-1)
}
