/** Returns the screen text of a command: `payouts decide again` becomes `Resolve the unpaid payout: again`. */
export function commandName(names: Readonly<Record<string, string>>, command: string): string {
  const words = command.split(' ')
  for (let length = words.length; length > 0; length--) {
    const name = names[words.slice(0, length).join(' ')]
    if (name !== undefined) return [name, words.slice(length).join(' ')].filter((part) => part !== '').join(': ')
  }
  return command
}
