import { expect, test } from 'vitest'
import type { ChainProvider, TransferKey } from './chain.ts'

/** What every adapter of the chain port must do that watches deposits. */
export function chainContract(
  provider: () => Pick<ChainProvider, 'transferState'>,
  { finalTransfer }: { finalTransfer: () => TransferKey },
): void {
  test('a mined transfer becomes final, where the chain is asked for it', async () => {
    const { transferState } = provider()
    if (transferState !== null) expect(await transferState(finalTransfer())).toBe('final')
  })
}
