import { mask } from './mask.ts'
import { redactValue } from './redact-value.ts'
import { secretForms } from './secret-forms.ts'
import { SecretMatcher } from './secret-matcher.ts'
import { StreamRedactor } from './stream-redactor.ts'

/** Masks every known secret value in text, in one pass whose time grows with the text and not with the secrets. */
export class Redactor {
  readonly #formsOf = new Map<string, string[]>()
  #matcher: SecretMatcher | undefined

  /** Replaces the secret values of one owner. */
  set(owner: string, values: Iterable<string>): void {
    const forms = [...new Set(values)].flatMap(secretForms)
    if (forms.length === 0) return this.remove(owner)
    this.#formsOf.set(owner, forms)
    this.#matcher = undefined
  }

  remove(owner: string): void {
    if (this.#formsOf.delete(owner)) this.#matcher = undefined
  }

  redact(text: string): string {
    const ranges = this.#current().findRanges(text)
    if (ranges.length === 0) return text
    let result = ''
    let end = 0
    for (const range of ranges) {
      result += text.slice(end, range.start) + mask
      end = range.end
    }
    return result + text.slice(end)
  }

  /** A copy without secrets, of whatever depth and size: by known values, and unless told otherwise by names of fields. */
  redactValue(value: unknown, options?: { byName: boolean }): unknown {
    return redactValue(value, { redact: (text) => this.redact(text), byName: options?.byName ?? true })
  }

  /** For text that comes in pieces, which may end in the middle of a secret. */
  createStream(): StreamRedactor {
    return new StreamRedactor(() => this.#current())
  }

  #current(): SecretMatcher {
    return (this.#matcher ??= new SecretMatcher([...new Set([...this.#formsOf.values()].flat())]))
  }
}
