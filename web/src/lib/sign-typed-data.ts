/** A module of its own, so that pages which only sign messages do not load it. */
export { signTypedData } from 'viem/accounts'
