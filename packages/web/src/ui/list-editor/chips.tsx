import { splitWords } from '@herma/contract'
import { useLayoutEffect, useRef, useState } from 'react'
import { ChipItem } from './chip-item.tsx'
import { moveItem, useReorder } from './use-reorder.ts'

interface ChipsProps {
  /** The path of the field in its form: `args`; that of the box to add one. */
  readonly id: string
  /** What one chip is: 'argument', 'folder'. */
  readonly noun: string
  readonly values: readonly string[]
  readonly onChange: (values: string[]) => void
  /** False for sets, such as globs: they cannot be moved, and pasted text is split at lines and commas. */
  readonly isOrdered?: boolean
  /** Placeholders that can be put in, and what becomes of each. */
  readonly tokens?: readonly ChipToken[]
  readonly placeholder?: string
  /** What is wrong at a path such as `args.0`. */
  readonly problem?: (path: string) => string | undefined
  readonly describedBy?: string
  readonly isInvalid?: boolean
}

/**
 * A list of words, each in a box that can be edited in place. Ordered ones are moved by dragging, with Space and the arrow
 * keys on their handle, with Alt and the arrow keys, or with the buttons that appear while one is edited.
 */
export function Chips(props: ChipsProps) {
  const {
    id,
    noun,
    values,
    onChange,
    isOrdered = true,
    tokens = [],
    placeholder,
    problem,
    describedBy,
    isInvalid,
  } = props
  const [text, setText] = useState('')
  const [spoken, setSpoken] = useState('')
  const box = useRef<HTMLInputElement>(null)
  const wanted = useRef<string | null>(null)
  // Before the next key arrives.
  useLayoutEffect(() => {
    if (wanted.current !== null) document.getElementById(wanted.current)?.focus()
    wanted.current = null
  })
  const keys = values.map((_, index) => `${id}.${index}`)
  const names = values.map((value) => value || `empty ${noun}`)
  const reorder = useReorder({ names, say: setSpoken, onMove: (from, to) => move(from, to, '-handle') })

  function add(words: readonly string[]) {
    const fresh = isOrdered ? words : words.filter((word) => word !== '' && !values.includes(word))
    if (fresh.length > 0) {
      onChange([...values, ...fresh])
      setSpoken(`Added ${fresh.join(', ')}.`)
    }
    setText('')
  }
  function move(from: number, to: number, part: string) {
    if (to < 0 || to >= values.length) return
    wanted.current = `${id}.${to}${part}`
    onChange(moveItem(values, from, to))
    setSpoken(`${names[from]} is now ${to + 1} of ${values.length}.`)
  }
  function remove(index: number) {
    setSpoken(`Removed ${names[index]}.`)
    wanted.current = values.length === 1 ? id : `${id}.${Math.min(index, values.length - 2)}`
    onChange(values.filter((_, at) => at !== index))
  }
  // Pasted text is a command line. What somebody types is one word, spaces and all; quotes around it are none of it.
  const typed = (raw: string) => {
    const words = split(raw)
    return isOrdered && words.length > 1 ? [raw.trim()] : words
  }
  const split = (raw: string) => (isOrdered ? splitWords(raw) : raw.split(/[\n,]/).map((word) => word.trim()))
  const problems = values.flatMap((_, index) => problem?.(`${id}.${index}`) ?? [])

  const list = values.length > 0 && (
    <ul className="contents" aria-label={`Every ${noun}`}>
      {values.map((value, index) => (
        <ChipItem
          // Chips have no identity besides their place.
          key={index}
          id={keys[index]!}
          value={value}
          noun={noun}
          place={index + 1}
          total={values.length}
          reorder={isOrdered ? reorder : null}
          isInvalid={problem?.(`${id}.${index}`) !== undefined}
          onEdit={(next) => {
            if (next === '' && !isOrdered) remove(index)
            else onChange(values.map((each, at) => (at === index ? next : each)))
          }}
          onMove={(by) => move(index, index + by, '')}
          onRemove={() => remove(index)}
        />
      ))}
    </ul>
  )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
      <div
        className="field-box flex flex-wrap items-center gap-1.5 p-1.5"
        data-invalid={isInvalid === true || problems.length > 0}
      >
        {list}
        <input
          ref={box}
          id={id}
          value={text}
          aria-describedby={describedBy}
          aria-invalid={isInvalid === true || undefined}
          placeholder={values.length === 0 && placeholder !== undefined ? placeholder : `Add ${noun}`}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
          onBlur={() => text.trim() !== '' && add(typed(text))}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData('text').trim()
            const words = split(text + pasted)
            if (words.length < 2) return
            event.preventDefault()
            add(words)
          }}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return
            if (event.key === 'Enter' && text.trim() !== '') add(typed(text))
            else if (event.key === 'Backspace' && text === '') document.getElementById(keys.at(-1) ?? '')?.focus()
            else if (event.key !== 'Enter') return
            event.preventDefault()
          }}
          className="h-7 min-w-32 flex-1 bg-transparent px-1.5 font-mono text-sm outline-none placeholder:font-sans placeholder:text-ink-3 pointer-coarse:h-11"
        />
        <output className="sr-only">{spoken}</output>
      </div>
      {problems.map((each) => (
        <p key={each} className="text-sm text-bad">
          {each}
        </p>
      ))}
      {tokens.length > 0 && (
        <ChipTokens
          tokens={tokens}
          onInsert={(token) => {
            setText((last) => last + token)
            box.current?.focus()
          }}
        />
      )}
    </div>
  )
}

interface ChipToken {
  /** As it is written: `{cwd}`. */
  readonly token: string
  /** What stands in its place when it runs. */
  readonly meaning: string
}

/** Buttons that put placeholders in, and what becomes of each. */
function ChipTokens({ tokens, onInsert }: { tokens: readonly ChipToken[]; onInsert: (token: string) => void }) {
  return (
    <div className="flex flex-wrap items-start gap-1.5 text-sm text-ink-3">
      <span className="leading-5.5">Insert</span>
      {tokens.map(({ token, meaning }) => (
        <button
          key={token}
          type="button"
          title={meaning}
          aria-label={`Insert ${token}: ${meaning}`}
          // Whoever clicks it while typing goes on typing.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onInsert(token)}
          className="h-6 rounded-sm border border-line bg-well px-1.5 font-mono text-xs text-ink-2 hover:border-line-strong hover:text-ink pointer-coarse:h-11"
        >
          {token}
        </button>
      ))}
      <details className="open:basis-full">
        <summary className="rounded-sm leading-6 underline decoration-line-strong underline-offset-4 pointer-coarse:leading-11">
          What these mean
        </summary>
        <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1">
          {tokens.map(({ token, meaning }) => (
            <div key={token} className="contents">
              <dt className="font-mono text-xs leading-4.5 text-ink-2">{token}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  )
}
