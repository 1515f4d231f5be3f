import { createHook } from 'node:async_hooks'

/**
 * Node makes an object for each call of `process.nextTick`, four a request. V8 forgets their shape in a collection of
 * garbage that meets none of them, and from then on makes each by a call into its runtime, which takes five times as
 * long. One that is kept keeps the shape. To be loaded before the first collection: see docs/decisions/0022.
 *
 * Promises are not to be seen by the hook: V8 keeps those made after it has seen one for longer, also once the hook is gone.
 */
const hook = createHook({
  trackPromises: false,
  init(_id, type, _trigger, resource) {
    if (type === 'TickObject') Reflect.set(process, Symbol('kept tick'), resource)
  },
})
hook.enable()
process.nextTick(() => {})
hook.disable()
