/** The names of the test wallets, in the order of their numbers. */
const names = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn', 'Gia', 'Hugo', 'Ines', 'Jon']

export const testWalletName = (number: number): string => names[number - 1] ?? `Wallet ${number}`
