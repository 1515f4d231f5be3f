import { expect, test } from 'vitest'
import type { ChainProvider, TransferKey } from './chain.ts'

/** What every adapter of the chain port must do that watches deposits. */
export function chainContract(
  provider: () => Pick<ChainProvider, 'transferState'>,
  { finalTransfer }: { finalTransfer: () => TransferKey },
): void {
  test('a mined transfer becomes final', async () => {
    expect(await provider().transferState(finalTransfer())).toBe('final')
  })
}
