import { type RefObject, useEffect, useRef } from 'react'

/**
 * Returns the ref of an element that replaces the focused one. It takes the focus, so that keyboards and screen readers
 * continue there. The element needs `tabIndex={-1}`.
 */
export function useArrival<Part extends HTMLElement>(): RefObject<Part | null> {
  const part = useRef<Part>(null)
  useEffect(() => part.current?.focus(), [])
  return part
}
