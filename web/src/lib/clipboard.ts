/** Copies a text, and returns whether that worked. A browser may forbid it. */
export async function copyText(text: string): Promise<boolean> {
  // Undefined on pages without https, although the type says otherwise.
  const clipboard: Clipboard | undefined = navigator.clipboard
  if (clipboard === undefined) return copyByCommand(text)
  return clipboard.writeText(text).then(
    () => true,
    () => false,
  )
}

/** Copies by the older command, which also works without https. */
function copyByCommand(text: string): boolean {
  let isCopied = false
  const put = (event: ClipboardEvent) => {
    event.preventDefault()
    event.clipboardData?.setData('text/plain', text)
    isCopied = true
  }
  document.addEventListener('copy', put)
  document.execCommand('copy')
  document.removeEventListener('copy', put)
  return isCopied
}
