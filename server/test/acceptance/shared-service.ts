/**
 * Test workers ask for the run's shared service on this channel. The run and its workers are threads of one process.
 */
export const sharedServiceChannel = 'purser-shared-service'

export type Found = { url: string; sandboxPassword: string } | { failure: string }

/** Returns the service that the run starts for all black-box tests. */
export async function findSharedService(): Promise<{ url: string; sandboxPassword: string }> {
  const channel = new BroadcastChannel(sharedServiceChannel)
  try {
    const found = await new Promise<Found>((resolve) => {
      // Requests of other workers arrive here, too.
      channel.onmessage = ({ data }: { data: Found | null }) => data !== null && resolve(data)
      channel.postMessage(null)
    })
    if ('failure' in found) throw new Error(found.failure)
    return found
  } finally {
    channel.close()
  }
}
