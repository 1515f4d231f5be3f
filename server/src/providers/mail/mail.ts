/** Sends mail. Returns when it was accepted for delivery; a failure, or no answer in time, is an `UpstreamError`. */
export type MailProvider = {
  sendCode(email: string, code: string): Promise<void>
}
