// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Never deployed: run as the creation code of an `eth_call`, it answers many accounts' balances of a token at once, each as
/// two words, whether it is known and what it is. A token that reverts, answers too little or burns its share of gas leaves
/// that one balance unknown.
contract BalanceReader {
    constructor(address token, address[] memory accounts) {
        uint256[] memory answers = new uint256[](2 * accounts.length);
        for (uint256 i = 0; i < accounts.length; i++) {
            bytes memory question = abi.encodeWithSignature("balanceOf(address)", accounts[i]);
            bool known;
            uint256 held;
            assembly {
                // Whatever the token returns, only one word of it is taken.
                known := staticcall(100000, token, add(question, 32), mload(question), 0, 32)
                known := and(known, gt(returndatasize(), 31))
                if known { held := mload(0) }
            }
            answers[2 * i] = known ? 1 : 0;
            answers[2 * i + 1] = held;
        }
        assembly {
            return(add(answers, 32), mul(32, mload(answers)))
        }
    }
}
