// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Checks whether a contract wallet accepts a signature (EIP-1271), even if the wallet is not deployed yet (ERC-6492). It
/// is never deployed itself: its creation code runs in an `eth_call` without a recipient. The constructor returns the
/// magic word or zero, even if the wallet reverts, uses up its gas or returns a megabyte. Any other response is a fault
/// of the node.
contract SignatureValidator {
    /// `factory` is zero unless the signature says how to deploy the account. It is called only if the account has no code.
    constructor(address account, bytes32 hash, bytes memory signature, address factory, bytes memory making) {
        bytes memory data = abi.encodeWithSelector(0x1626ba7e, hash, signature);
        assembly ("memory-safe") {
            if and(iszero(extcodesize(account)), gt(factory, 0)) {
                // The returned data is ignored: only the account's code counts.
                pop(call(gas(), factory, 0, add(making, 32), mload(making), 0, 0))
            }
            // A 64th of the gas stays here, which suffices for the rest. Copies one word, however much is returned.
            let ok := staticcall(gas(), account, add(data, 32), mload(data), 0, 32)
            let magic := shl(224, 0x1626ba7e)
            let valid := and(and(ok, eq(returndatasize(), 32)), eq(mload(0), magic))
            mstore(0, mul(valid, magic))
            return(0, 32)
        }
    }
}
