import { expect, test } from 'vitest'
import type { ChainProvider, TransferKey } from './chain.ts'

/** The contract of the chain port for deposits. */
export function chainContract(
  provider: () => Pick<ChainProvider, 'transferState'>,
  { finalTransfer }: { finalTransfer: () => TransferKey },
): void {
  test('a mined transfer becomes final on a chain without a watcher', async () => {
    const { transferState } = provider()
    if (transferState !== null) expect(await transferState(finalTransfer())).toBe('final')
  })
}
