import { type Awaitable, type Loaded, loaded } from '../../cache/awaitable.ts'
import type { Lane } from './pipeline.ts'

export type Lanes = {
  /** Without a promise of its own while the lane is open: each such hop costs a short read as much as one of its rows. */
  send<T>(act: (lane: Lane) => Promise<T>): Promise<T>
  end(): Promise<void>
}

type Place = 'first' | 'second'

/**
 * One lane takes all statements: what is sent together costs least, and a second one is one more process that wakes up
 * for them. Only while the first is held up do they go to the second. Each is opened when first needed, and again after it
 * ended.
 */
export function openLanes(open: (onEnd: () => void) => Promise<Lane>): Lanes {
  const lanes = new Map<Place, Loaded<Lane>>()

  function lane(place: Place): Awaitable<Lane> {
    const known = lanes.get(place)
    if (known) return known.value
    const forget = () => {
      if (lanes.get(place) === opened) lanes.delete(place)
    }
    const opened = loaded(open(forget), forget)
    lanes.set(place, opened)
    return opened.value
  }

  function free(): Awaitable<Lane> {
    const first = lane('first')
    return !(first instanceof Promise) && first.isHeldUp() ? lane('second') : first
  }

  return {
    send(act) {
      const one = free()
      return one instanceof Promise ? one.then(act) : act(one)
    },
    async end() {
      await Promise.allSettled([...lanes.values()].map(async ({ value }) => (await value).end()))
    },
  }
}
