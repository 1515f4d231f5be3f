import { type ErrorComponentProps, lazyRouteComponent, useRouter } from '@tanstack/react-router'
import { ErrorNote } from './states.tsx'
import { useUiText } from './text.ts'

const notLoaded = 'page_not_loaded'

const isReachable = () =>
  fetch(location.href, { method: 'HEAD' }).then(
    ({ ok }) => ok,
    () => false,
  )

/**
 * Loads a page when it is opened. The router reloads the document if a file is missing, as after a deployment. Without
 * a connection, a reload would lose the session and show the browser's own error page. The error with the code
 * `page_not_loaded` prevents the reload.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch(async (cause) => {
        if (await isReachable()) throw cause
        throw Object.assign(new Error('the page was not loaded', { cause }), { code: notLoaded })
      }),
    name,
  )

/** Shown in place of a page that cannot be loaded or has a fault. */
export function PageError({ error }: ErrorComponentProps) {
  const ui = useUiText()
  const router = useRouter()
  return (
    <ErrorNote error={error} onRetry={() => void router.invalidate()} sentences={{ [notLoaded]: ui.networkError }} />
  )
}
