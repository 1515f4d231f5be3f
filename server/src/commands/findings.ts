/** The result of one check of an installation. Each problem says what is wrong, then how to fix it. */
export type Finding = { readonly check: string; readonly problems: readonly string[] }

/** Prints findings, one line each or as JSON, and sets the exit code: 0 without problems, else 1. */
export function reportFindings(findings: readonly Finding[], isJson: boolean): void {
  const isReady = findings.every(({ problems }) => problems.length === 0)
  const lines = findings.flatMap(({ check, problems }) =>
    problems.length === 0 ? [`ok       ${check}`] : problems.map((problem) => `problem  ${check}: ${problem}`),
  )
  process.stdout.write(isJson ? `${JSON.stringify({ isReady, findings })}\n` : `${lines.join('\n')}\n`)
  process.exitCode = isReady ? 0 : 1
}

/** Prints the sentence of a problem to standard error, as JSON if the result would be JSON. */
export function reportProblem(sentence: string, isJson: boolean): void {
  process.stderr.write(isJson ? `${JSON.stringify({ error: sentence })}\n` : `${sentence}\n`)
}

/** Returns whether `parseArgs` rejected the options of a command. */
export function isWrongOption(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}

export function messageOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const message = cause instanceof Error ? cause.message || Object(cause).code : String(cause)
  return String(message).replace(/\.$/, '')
}
