// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A token that misbehaves when it is swept, as its habit says.
contract SweptToken {
    enum Habit { ReturnsNothing, ReturnsFalse, Reverts, ReturnsTwo, ReturnsMegabyte, ReEnters, BalanceReverts, BalanceIsShort }

    Habit public immutable habit;
    mapping(address => uint256) public held;
    bool private isInside;

    constructor(Habit habit_) {
        habit = habit_;
    }

    function mint(address to, uint256 amount) external {
        held[to] += amount;
    }

    function balanceOf(address holder) external view returns (uint256) {
        if (habit == Habit.BalanceReverts) revert("no");
        if (habit == Habit.BalanceIsShort) {
            assembly {
                mstore(0, not(0))
                return(0, 31)
            }
        }
        return held[holder];
    }

    function transfer(address to, uint256 amount) external {
        if (habit == Habit.Reverts) revert("no");
        if (habit == Habit.ReEnters) reEnter();
        if (habit != Habit.ReturnsFalse && held[msg.sender] >= amount) {
            held[msg.sender] -= amount;
            held[to] += amount;
        }
        Habit chosen = habit;
        assembly {
            switch chosen
            case 0 { return(0, 0) }
            case 1 { return(0x60, 32) }
            case 3 {
                mstore(0, 2)
                return(0, 32)
            }
            case 4 {
                mstore(0, 1)
                return(0, 1048576)
            }
            default {
                mstore(0, 1)
                return(0, 32)
            }
        }
    }

    /// Calls the deposit address again during its sweep, for the same token and the native coin.
    function reEnter() private {
        if (isInside) return;
        isInside = true;
        address[] memory tokens = new address[](2);
        tokens[0] = address(this);
        (bool ok,) = msg.sender.call(abi.encodeWithSignature("sweep(address[])", tokens));
        require(ok, "re-entering failed");
        isInside = false;
    }
}
