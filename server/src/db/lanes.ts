import { type Awaitable, type Loaded, loaded } from '../lib/awaitable.ts'
import type { Lane } from './lane.ts'

export type Lanes = {
  /** Without a promise of its own while the lane is open: each such hop costs a short read as much as one of its rows. */
  send<T>(act: (lane: Lane) => Promise<T>): Promise<T>
  end(): Promise<void>
}

const mostLanes = 2

/**
 * One lane takes all statements: what is sent together costs least, and a second one is one more process that wakes up
 * for them. Only while the first is held up do they go to the next. Each is opened when first needed, and again after it
 * ended.
 */
export function openLanes(open: (onEnd: () => void) => Promise<Lane>): Lanes {
  const lanes = new Map<number, Loaded<Lane>>()

  function lane(place: number): Awaitable<Lane> {
    const known = lanes.get(place)
    if (known) return known.value
    const forget = () => {
      if (lanes.get(place) === opened) lanes.delete(place)
    }
    const opened = loaded(open(forget), forget)
    lanes.set(place, opened)
    return opened.value
  }

  function free(place = 0): Awaitable<Lane> {
    const one = lane(place)
    const isHeldUp = !(one instanceof Promise) && one.isHeldUp()
    return isHeldUp && place + 1 < mostLanes ? free(place + 1) : one
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
