/** Returns whether the digits end with a valid check digit (Luhn, ISO/IEC 7812-1). */
export function isLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((sum, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return sum + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
