// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// The deposit address of one account. Whatever arrives can go to one place only, the treasury, and anybody may send it
/// there. There is no owner, no storage, no upgrade and no way to call anything else: nothing to take over, and nothing
/// that a token which calls back could disturb. Each account's own contract is a minimal proxy (ERC-1167) of this one.
contract Forwarder {
    /// Part of the code, so that every proxy has the same one and none can change it.
    address payable public immutable treasury;

    event Swept(address indexed token, uint256 amount);
    /// The token refused, or answered nonsense: its coins stay, the other tokens go on.
    event NotSwept(address indexed token, uint256 amount);

    constructor(address payable treasury_) {
        require(treasury_ != address(0), "no treasury");
        treasury = treasury_;
    }

    receive() external payable {}

    /// Moves all that this address holds of each token; the zero address stands for the chain's own coin.
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

    /// Zero where there is no such contract, or no sensible answer. Copies 32 bytes, however much is returned.
    function balanceOf(address token) private view returns (uint256 amount) {
        bytes memory call_ = abi.encodeWithSignature("balanceOf(address)", address(this));
        assembly ("memory-safe") {
            let ok := staticcall(gas(), token, add(call_, 32), mload(call_), 0, 32)
            if and(ok, gt(returndatasize(), 31)) {
                amount := mload(0)
            }
        }
    }

    /// A token may return true, or nothing at all; false, anything else and a revert all mean that it did not move.
    function sendToken(address token, uint256 amount) private returns (bool moved) {
        bytes memory call_ = abi.encodeWithSignature("transfer(address,uint256)", treasury, amount);
        assembly ("memory-safe") {
            mstore(0, 0)
            let ok := call(gas(), token, 0, add(call_, 32), mload(call_), 0, 32)
            let said := or(iszero(returndatasize()), and(gt(returndatasize(), 31), eq(mload(0), 1)))
            moved := and(ok, said)
        }
    }

    function sendCoin(uint256 amount) private returns (bool moved) {
        address to = treasury;
        assembly ("memory-safe") {
            moved := call(gas(), to, amount, 0, 0, 0, 0)
        }
    }
}
