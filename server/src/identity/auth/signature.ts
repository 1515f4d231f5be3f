import { createRequire } from 'node:module'
import { createKeccak } from 'hash-wasm'
import type { Hex } from 'viem'
import { bytesToHex, isHex, recoverPublicKey } from 'viem/utils'

/** In WebAssembly, which is faster than JavaScript: see docs/decisions/0004-speed.md. */
const keccak = await createKeccak(256)

function keccak256(bytes: Uint8Array): Hex {
  return `0x${keccak.init().update(bytes).digest('hex')}`
}

/** Returns the hash of a text that a wallet signs (EIP-191, version 0x45). */
export function hashMessage(text: string): Hex {
  const bytes = Buffer.from(text)
  return keccak256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes]))
}

/** libsecp256k1 through the package's native binding. Throws if the signature yields no public key. */
type NativeCurve = {
  ecdsaRecover(signature: Uint8Array, recovery: number, hash: Uint8Array, compressed: boolean): Uint8Array
}

/** Loads the binding itself, since the package's main entry silently falls back to a slow curve. */
function loadNativeCurve(): NativeCurve | null {
  try {
    return createRequire(import.meta.url)('secp256k1/bindings.js')
  } catch {
    return null
  }
}

const native = loadNativeCurve()

/** The implementation in use. The native one is about twenty times faster. */
export const signatureEngine = native ? 'native libsecp256k1' : 'JavaScript (viem)'

const signatureLength = 65
/** Half of the curve's order. Only the lower of s and −s is accepted (EIP-2), so a signature has one spelling. */
const maxS = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex')
const recoveryOf: Readonly<Record<number, 0 | 1>> = { 0: 0, 1: 1, 27: 0, 28: 1 }

/**
 * Returns whether the signature has the length of one by an externally owned account. Only contracts use other lengths.
 */
export function isAccountLength(signature: string): boolean {
  return signature.length === 2 + 2 * signatureLength
}

/** Returns the lower-case address of the externally owned account that signed the hash, or null. */
export async function recoverSigner(hash: Hex, signature: string): Promise<string | null> {
  if (!isAccountLength(signature) || !isHex(signature)) return null
  const bytes = bytesOf(signature)
  const recovery = recoveryOf[bytes.readUInt8(64)]
  if (recovery === undefined || bytes.subarray(32, 64).compare(maxS) > 0) return null
  try {
    const publicKey = await recoverKey(hash, bytes.subarray(0, 64), recovery)
    // The first byte is the format. The address is the end of the hash of both coordinates.
    return `0x${keccak256(publicKey.subarray(1)).slice(-40)}`
  } catch {
    return null
  }
}

async function recoverKey(hash: Hex, compact: Uint8Array, recovery: 0 | 1): Promise<Uint8Array> {
  if (native) return native.ecdsaRecover(compact, recovery, bytesOf(hash), false)
  const [r, s] = [bytesToHex(compact.subarray(0, 32)), bytesToHex(compact.subarray(32))]
  return bytesOf(await recoverPublicKey({ hash, signature: { r, s, yParity: recovery } }))
}

function bytesOf(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}
