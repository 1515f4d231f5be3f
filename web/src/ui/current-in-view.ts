import { useLocation } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'

/**
 * Returns the reference of links that scroll. The link of the current page is always in view. `labels` are those of the
 * links, whose length differs between languages.
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
