// pure
import type { FigureByMerchantType, MerchantTypes } from '../../config/card-programme.ts'

export function isOfType(mcc: string, { first, last }: MerchantTypes): boolean {
  return mcc >= first && mcc <= last
}

/** Returns the configured number for a merchant category code. */
export function figureForMerchant(table: FigureByMerchantType, mcc: string): number {
  return table.merchantTypes.find((types) => isOfType(mcc, types))?.figure ?? table.default
}
