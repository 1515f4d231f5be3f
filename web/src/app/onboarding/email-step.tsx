import { PurserError } from '@purser/client'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { isSandbox } from '../../lib/facts.ts'
import { hasUser, useSignedIn } from '../../lib/session.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNote } from '../../ui/states.tsx'
import { useUiText } from '../../ui/text.ts'
import { useText } from '../text.ts'

/** Confirms the email address and registers the wallet as a user. */
export function EmailStep() {
  const { onboarding: t } = useText()
  const { purser, session } = useSignedIn()
  const ui = useUiText()
  const [email, setEmail] = useState('')
  const [otp, setOtp] = useState('')
  const [sentCodes, setSentCodes] = useState(0)
  const register = useMutation({
    async mutationFn() {
      // The session has no token after a registration whose outcome is unknown. A new token tells whether the user
      // exists, and the page goes on.
      const token = session.token() ?? (await session.signIn())
      if (!hasUser(token)) await purser.user.create({ email, otp })
    },
  })
  const send = useMutation({
    mutationFn: async (address: string) => purser.user.sendEmailCode({ email: address }),
    onSuccess() {
      setSentCodes((before) => before + 1)
      setOtp('')
      register.reset()
    },
  })
  const isRegistered = register.error instanceof PurserError && register.error.code === 'WALLET_IN_USE'
  const isWrongCode = register.error instanceof PurserError && register.error.code === 'INVALID_OTP'
  // Both steps have the same head, so that screen readers announce the text that the second step adds.
  const head = (
    <div>
      <h2 className="text-lg font-semibold">{t.emailTitle}</h2>
      <p className="mt-1 text-soft wrap-anywhere" role="status">
        {sentCodes > 0 &&
          `${sentCodes === 1 ? t.codeSent(email) : t.newCodeSent(email)}${isSandbox ? ` ${t.sandboxCode}` : ''}`}
      </p>
    </div>
  )
  if (sentCodes === 0) {
    return (
      <form
        className="grid gap-5"
        onSubmit={(event) => {
          event.preventDefault()
          send.mutate(email)
        }}
      >
        {head}
        <TextField
          key="email"
          label={t.email}
          type="email"
          autoComplete="email"
          required
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        {send.error !== null && <ErrorNote error={send.error} />}
        <Button type="submit" isPending={send.isPending}>
          {t.sendCode}
        </Button>
      </form>
    )
  }
  return (
    <form
      className="grid gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        register.mutate()
      }}
    >
      {head}
      <TextField
        key="code"
        label={t.code}
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        autoFocus
        maxLength={6}
        value={otp}
        error={isWrongCode ? t.invalidOtp : null}
        onChange={(event) => setOtp(event.currentTarget.value.trim())}
        className="font-mono text-lg tracking-[0.3em]"
      />
      {register.error !== null && !isWrongCode && (
        <ErrorNote
          error={register.error}
          sentences={{ EMAIL_IN_USE: t.emailInUse, WALLET_IN_USE: t.alreadyRegistered }}
        />
      )}
      {send.error !== null && <ErrorNote error={send.error} />}
      <div className="grid gap-2">
        <Button type="submit" isPending={register.isPending}>
          {isRegistered ? ui.signIn.againAction : t.confirm}
        </Button>
        <Button look="quiet" isPending={send.isPending} onClick={() => send.mutate(email)}>
          {t.newCode}
        </Button>
        <Button
          look="quiet"
          onClick={() => {
            setSentCodes(0)
            send.reset()
          }}
        >
          {t.otherEmail}
        </Button>
      </div>
    </form>
  )
}
