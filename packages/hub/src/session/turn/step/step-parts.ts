import type { LanguageModelV3StreamPart, LanguageModelV3ToolCall, SharedV3ProviderMetadata } from '@ai-sdk/provider'
import { HubError } from '@herma/contract'
import type { ProviderData } from '../types.ts'

/** More than any model says in one answer; what streams on beyond it is broken. */
const maxAnswerLength = 16 * 1024 * 1024

export interface OpenPart {
  readonly type: 'text' | 'reasoning'
  text: string
  providerData: ProviderData | undefined
}

export type StepPart = OpenPart | LanguageModelV3ToolCall

/** Puts the parts of an answer together, in the order in which they began. */
export class StepParts {
  readonly list: StepPart[] = []
  readonly #open = new Map<string, OpenPart>()
  #length = 0

  take(part: LanguageModelV3StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        this.#grow('text', part)
        break
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#grow('reasoning', part)
        break
      case 'tool-input-delta':
        // Kept by the provider until the call is whole.
        this.#count(part.delta.length)
        break
      case 'tool-call':
        if (part.providerExecuted !== true) this.list.push(part)
        break
      default:
    }
  }

  text(): string {
    return this.list.map((part) => (part.type === 'text' ? part.text : '')).join('')
  }

  #grow(type: OpenPart['type'], { id, ...part }: Growth): void {
    const key = `${type} ${id}`
    let open = this.#open.get(key)
    if (open === undefined) {
      open = { type, text: '', providerData: undefined }
      this.#open.set(key, open)
      this.list.push(open)
    }
    if (part.delta !== undefined) {
      this.#count(part.delta.length)
      open.text += part.delta
    }
    // Signatures come at the end, and replace what was said at the beginning.
    if (part.providerMetadata !== undefined) open.providerData = part.providerMetadata
    if (part.type.endsWith('-end')) this.#open.delete(key)
  }

  #count(length: number): void {
    this.#length += length
    if (this.#length > maxAnswerLength) {
      throw new HubError('PROVIDER_FAILED', `The answer is longer than ${maxAnswerLength} characters and was stopped.`)
    }
  }
}

interface Growth {
  readonly type: string
  readonly id: string
  readonly delta?: string
  readonly providerMetadata?: SharedV3ProviderMetadata | undefined
}
