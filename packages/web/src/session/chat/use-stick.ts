import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'

interface Stick {
  readonly area: RefObject<HTMLDivElement | null>
  readonly content: RefObject<HTMLDivElement | null>
  /** False once somebody has scrolled up. */
  readonly isStuck: boolean
  readonly jump: () => void
}

const nearPx = 48

/** Keeps the end of a growing text in sight, unless somebody scrolled up to read. */
export function useStick(): Stick {
  const area = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const wants = useRef(true)
  const [isStuck, setStuck] = useState(true)

  const jump = useCallback(() => {
    wants.current = true
    setStuck(true)
    area.current?.scrollTo({ top: area.current.scrollHeight })
  }, [])
  useEffect(() => {
    const [box, text] = [area.current, content.current]
    if (box === null || text === null) return
    const isNear = () => box.scrollHeight - box.scrollTop - box.clientHeight < nearPx
    let last = box.scrollTop
    const onScroll = () => {
      // Text that grows moves nothing up: only a person does.
      if (isNear()) wants.current = true
      else if (box.scrollTop < last) wants.current = false
      last = box.scrollTop
      setStuck(wants.current)
    }
    const observer = new ResizeObserver(() => {
      if (wants.current) box.scrollTop = box.scrollHeight
      else setStuck(isNear())
    })
    observer.observe(text)
    observer.observe(box)
    box.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', onScroll)
    }
  }, [])
  return { area, content, isStuck, jump }
}
