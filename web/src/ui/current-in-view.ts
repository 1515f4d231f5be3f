import { useLocation } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'

/**
 * Returns a ref for an element that scrolls its links, and keeps the link of the current page in view. When `labels`
 * change, it scrolls to that link again, because the labels of another language have other lengths.
 */
export function useCurrentInView<Part extends HTMLElement>(labels: string): RefObject<Part | null> {
  const part = useRef<Part>(null)
  const { pathname } = useLocation()
  useEffect(() => {
    const link = part.current?.querySelector<HTMLElement>('[aria-current=page]')
    if (!part.current || !link) return
    // `scrollIntoView` would scroll the page, too.
    part.current.scrollLeft = link.offsetLeft - (part.current.clientWidth - link.offsetWidth) / 2
    part.current.scrollTop = link.offsetTop - (part.current.clientHeight - link.offsetHeight) / 2
  }, [pathname, labels])
  return part
}
