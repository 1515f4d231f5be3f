/** Sends mail. Resolves when the mail is accepted for delivery. A failure or a timeout is an `UpstreamError`. */
export type MailProvider = {
  sendCode(email: string, code: string): Promise<void>
}
