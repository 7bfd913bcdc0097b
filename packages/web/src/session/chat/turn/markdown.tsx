import { memo } from 'react'
import { CodeBox } from '../../../ui/code-box.tsx'
import { parseInline, parseMarkdown, type MarkdownBlock } from './parse-markdown.ts'

/** What a model wrote, as text with a few forms. A link shows where it leads, since its words may say otherwise. */
export const Markdown = memo(({ text }: { text: string }) => (
  <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2.5 leading-6 [overflow-wrap:anywhere]">
    {parseMarkdown(text).map((block, index) => (
      <Part key={index} block={block} />
    ))}
  </div>
))
Markdown.displayName = 'Markdown'

function Part({ block }: { block: MarkdownBlock }) {
  switch (block.type) {
    case 'code':
      return <CodeBox text={block.text} label={block.language === '' ? 'the code' : `the ${block.language} code`} />
    case 'heading':
      return (
        <p className="mt-1 font-semibold">
          <Line text={block.text} />
        </p>
      )
    case 'quote':
      return (
        <blockquote className="border-l-2 border-line-strong pl-3 whitespace-pre-wrap text-ink-2">
          <Line text={block.text} />
        </blockquote>
      )
    case 'list':
      return <Items block={block} />
    case 'paragraph':
      return (
        <p className="whitespace-pre-wrap">
          <Line text={block.text} />
        </p>
      )
  }
}

function Items({ block: { isOrdered, start, items } }: { block: Extract<MarkdownBlock, { type: 'list' }> }) {
  const entries = items.map((item, index) => (
    <li key={index} className="whitespace-pre-wrap">
      <Line text={item} />
    </li>
  ))
  if (!isOrdered) return <ul className="grid list-disc gap-1 pl-5">{entries}</ul>
  return (
    <ol start={start} className="grid list-decimal gap-1 pl-6">
      {entries}
    </ol>
  )
}

function Line({ text }: { text: string }) {
  return parseInline(text).map((piece, index) => {
    switch (piece.type) {
      case 'text':
        return piece.text
      case 'code':
        return (
          <code key={index} className="rounded-sm bg-well px-1 py-0.5 font-mono text-sm">
            {piece.text}
          </code>
        )
      case 'strong':
        return <strong key={index}>{piece.text}</strong>
      case 'emphasis':
        return <em key={index}>{piece.text}</em>
      case 'link':
        return (
          <a
            key={index}
            href={piece.href}
            title={piece.href}
            target="_blank"
            rel="noopener noreferrer nofollow"
            className="text-accent-text underline"
          >
            {piece.text}
          </a>
        )
    }
  })
}
