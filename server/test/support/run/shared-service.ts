import { type Service, startService } from '../../acceptance/service.ts'
import { type Found, sharedServiceChannel } from '../../acceptance/shared-service.ts'

/** Starts one service for all black-box tests, once the first of them asks for it, and stops it after the run. */
export default function setup(): () => Promise<void> {
  let service: Promise<Service> | null = null
  const channel = new BroadcastChannel(sharedServiceChannel)
  channel.onmessage = () => {
    service ??= startService()
    const answer = (found: Found) => channel.postMessage(found)
    service.then(
      ({ url, sandboxPassword }) => answer({ url, sandboxPassword }),
      (error: Error) => answer({ failure: error.message }),
    )
  }
  return async () => {
    channel.close()
    await (await service?.catch(() => null))?.stop()
  }
}
