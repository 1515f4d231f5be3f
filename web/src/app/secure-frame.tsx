import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useLanguage } from '../lib/language.tsx'
import { useSignedIn } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/states.tsx'
import { useUiText } from '../ui/text.ts'
import { useText } from './text.ts'

export type CardView = 'view-details' | 'view-pin'

type FrameMessage = {
  readonly type: 'ready' | 'refused' | 'height' | 'hidden' | 'ended'
  readonly height?: number
}

/**
 * Shows card data in a frame of another origin. The owner signs each view. No script of this page can read the data.
 */
export function SecureFrame({ cardId, view, onClose }: { cardId: string; view: CardView | null; onClose: () => void }) {
  const { cards: t } = useText()
  const ui = useUiText()
  const { language } = useLanguage()
  const { purser, wallet } = useSignedIn()
  const [height, setHeight] = useState(96)
  const [isRefused, setRefused] = useState(false)
  const frame = useRef<HTMLIFrameElement>(null)
  const open = useMutation({
    async mutationFn(action: CardView) {
      setRefused(false)
      const challenge = await purser.cardViews.getChallenge(cardId, { action })
      const signature = await wallet.adapter.signTypedData?.(challenge)
      if (signature === undefined) throw new TypeError('the wallet cannot sign typed data')
      return purser.cardViews.create(cardId, { action, nonce: challenge.message.nonce, signature })
    },
  })
  const { data, mutate, reset } = open
  useEffect(() => {
    if (view !== null) mutate(view)
    else reset()
  }, [view, mutate, reset])
  useEffect(() => {
    function listen({ source, origin, data: message }: MessageEvent<FrameMessage>) {
      if (data === undefined || source !== frame.current?.contentWindow || origin !== new URL(data.frameUrl).origin)
        return
      if (message.type === 'height' && message.height !== undefined) setHeight(Math.min(message.height, 400))
      if (message.type === 'refused') setRefused(true)
      if (message.type === 'ended') onClose()
    }
    addEventListener('message', listen)
    return () => removeEventListener('message', listen)
  }, [data, onClose])

  return (
    <Dialog
      isOpen={view !== null}
      onClose={onClose}
      title={t.showTitle}
      text={t.showText}
      actions={
        <>
          <Button look="secondary" onClick={onClose}>
            {ui.close}
          </Button>
          {isRefused && view !== null && <Button onClick={() => mutate(view)}>{ui.retry}</Button>}
        </>
      }
    >
      {open.isPending && (
        <p role="status" className="text-soft">
          {ui.signIn.signing}…
        </p>
      )}
      {open.error !== null && <ErrorNote error={open.error} onRetry={() => view !== null && mutate(view)} />}
      {data !== undefined && (
        <iframe
          ref={frame}
          title={t.showTitle}
          src={inLanguage(data.frameUrl, language)}
          height={height}
          sandbox="allow-scripts allow-forms allow-same-origin"
          // In some browsers, the frame finds the receiver of its messages only in the referrer.
          referrerPolicy="origin"
          className="w-full rounded-lg border border-line"
        />
      )}
    </Dialog>
  )
}

function inLanguage(frameUrl: string, language: string): string {
  const url = new URL(frameUrl)
  url.searchParams.set('lang', language)
  return url.href
}
