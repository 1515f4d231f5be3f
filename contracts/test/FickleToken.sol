// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A token for tests of deposits. Its events may claim other amounts than it moves.
contract FickleToken {
    uint8 public immutable decimals;
    string public symbol;
    mapping(address => uint256) private held;
    uint256 private mood;

    event Transfer(address indexed from, address indexed to, uint256 amount);

    constructor(string memory symbol_, uint8 decimals_) {
        symbol = symbol_;
        decimals = decimals_;
    }

    function mint(address to, uint256 amount) external {
        moveFrom(address(0), to, amount, amount);
    }

    /// The event claims `claimed`, and the balance grows by `arrives`. The difference is a fee or a lie.
    function moveFrom(address from, address to, uint256 claimed, uint256 arrives) public {
        held[to] += arrives;
        emit Transfer(from, to, claimed);
    }

    function moveTwice(address to, uint256 claimed, uint256 arrives) external {
        moveFrom(address(0), to, claimed, arrives);
        moveFrom(address(0), to, claimed, arrives);
    }

    /// Moves the amount in and out again; both events are true.
    function moveThrough(address to, address onward, uint256 amount) external {
        moveFrom(address(0), to, amount, amount);
        held[to] -= amount;
        held[onward] += amount;
        emit Transfer(to, onward, amount);
    }

    /// Emits a transfer from an address to itself.
    function moveRound(address to, uint256 amount) external {
        emit Transfer(to, to, amount);
    }

    /// Moves an amount that depends on the number of the block.
    function moveByBlock(address to) external {
        moveFrom(address(0), to, block.number * 1 ether, block.number * 1 ether);
    }

    function moveAfterNoise(address to, uint256 amount) external {
        emit Transfer(address(1), address(2), 3);
        moveFrom(address(0), to, amount, amount);
    }

    /// Emits the transfer event of a non-fungible token, which has the same name and one more topic.
    function moveUnique(address to) external {
        assembly {
            log4(0, 0, 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef, 0, to, 7)
        }
    }

    /// 1: `balanceOf` reverts, 2: uses up its gas, 3: returns no data, 4: returns a megabyte.
    function setMood(uint256 mood_) external {
        mood = mood_;
    }

    function balanceOf(address account) external view returns (uint256) {
        if (mood == 1) revert("no");
        if (mood == 2) while (true) {}
        assembly {
            if eq(sload(mood.slot), 3) { return(0, 0) }
            if eq(sload(mood.slot), 4) { return(0, 1048576) }
        }
        return held[account];
    }
}
