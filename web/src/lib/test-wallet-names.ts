/** The names of the test wallets, in the order of their numbers. */
const names = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn', 'Gia', 'Hugo', 'Ines', 'Jon']

/** Number 0 is the operator of a sandbox. */
export const testWalletName = (number: number): string =>
  number === 0 ? 'Sandbox operator' : (names[number - 1] ?? `Wallet ${number}`)
