/** Sends mail. A failure or a timeout is an `UpstreamError`. */
export type MailProvider = {
  /** Returns true when the mail is accepted for delivery, and false if the address has no mailbox. */
  sendCode(email: string, code: string): Promise<boolean>
}
