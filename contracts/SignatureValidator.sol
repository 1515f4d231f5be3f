// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Whether a contract calls a signature its own (EIP-1271), also one that is not deployed yet (ERC-6492). Never deployed
/// itself: its creation code runs in an `eth_call` without a receiver, and the word that the constructor returns is the
/// answer: the magic word, or zero. Whatever the account does, reverting, burning its gas or returning a megabyte, ends
/// in one of the two, so that any other answer is the node's fault.
contract SignatureValidator {
    /// `factory` is zero unless the signature says how the account is made. It is asked for an account without code only.
    constructor(address account, bytes32 hash, bytes memory signature, address factory, bytes memory making) {
        bytes memory question = abi.encodeWithSelector(0x1626ba7e, hash, signature);
        assembly ("memory-safe") {
            if and(iszero(extcodesize(account)), gt(factory, 0)) {
                // Nothing is copied of what it answers; whether there is an account now is all that counts.
                pop(call(gas(), factory, 0, add(making, 32), mload(making), 0, 0))
            }
            // A 64th of the gas stays here, which is plenty for the rest. One word is copied, however much is returned.
            let ok := staticcall(gas(), account, add(question, 32), mload(question), 0, 32)
            let magic := shl(224, 0x1626ba7e)
            let valid := and(and(ok, eq(returndatasize(), 32)), eq(mload(0), magic))
            mstore(0, mul(valid, magic))
            return(0, 32)
        }
    }
}
