// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// The deposit address of one account. Funds can leave it for the treasury only, and anybody may send them there. It has
/// no owner, no storage, no upgrade and no other function, so nothing can be taken over and reentrancy does no harm.
/// The contract of each account is a minimal proxy (ERC-1167) of this one.
contract Forwarder {
    /// Part of the code, so it is the same for every proxy and cannot change.
    address payable public immutable treasury;

    event Swept(address indexed token, uint256 amount);
    /// The transfer failed. The tokens stay here, and the sweep continues with the next token.
    event NotSwept(address indexed token, uint256 amount);

    constructor(address payable treasury_) {
        require(treasury_ != address(0), "no treasury");
        treasury = treasury_;
    }

    receive() external payable {}

    /// Moves the whole balance of each token to the treasury. The zero address stands for the chain's native coin.
    function sweep(address[] calldata tokens) external {
        for (uint256 i = 0; i < tokens.length; i++) {
            address token = tokens[i];
            uint256 amount = token == address(0) ? address(this).balance : balanceOf(token);
            if (amount == 0) continue;
            bool moved = token == address(0) ? sendCoin(amount) : sendToken(token, amount);
            if (moved) emit Swept(token, amount);
            else emit NotSwept(token, amount);
        }
    }

    /// Returns zero if the token is no contract or its response is invalid. Copies 32 bytes, however much is returned.
    function balanceOf(address token) private view returns (uint256 amount) {
        bytes memory call_ = abi.encodeWithSignature("balanceOf(address)", address(this));
        assembly ("memory-safe") {
            let ok := staticcall(gas(), token, add(call_, 32), mload(call_), 0, 32)
            if and(ok, gt(returndatasize(), 31)) {
                amount := mload(0)
            }
        }
    }

    /// A transfer succeeded if the token returned true or no data. Any other data and a revert mean that it failed.
    function sendToken(address token, uint256 amount) private returns (bool moved) {
        bytes memory call_ = abi.encodeWithSignature("transfer(address,uint256)", treasury, amount);
        assembly ("memory-safe") {
            mstore(0, 0)
            let ok := call(gas(), token, 0, add(call_, 32), mload(call_), 0, 32)
            let accepted := or(iszero(returndatasize()), and(gt(returndatasize(), 31), eq(mload(0), 1)))
            moved := and(ok, accepted)
        }
    }

    function sendCoin(uint256 amount) private returns (bool moved) {
        address to = treasury;
        assembly ("memory-safe") {
            moved := call(gas(), to, amount, 0, 0, 0, 0)
        }
    }
}
