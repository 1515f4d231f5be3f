// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A token that misbehaves according to its mode, for tests of payouts.
contract OddPayer {
    enum Mode {
        Honest,
        ReturnsNothing,
        ReturnsFalse,
        SaysNothing,
        TakesFee,
        Reverts,
        BurnsGas
    }

    mapping(address => uint256) public balanceOf;
    Mode public mode;
    mapping(uint256 => uint256) private burned;

    event Transfer(address indexed from, address indexed to, uint256 amount);

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function setMode(Mode mode_) external {
        mode = mode_;
    }

    function transfer(address to, uint256 amount) external {
        require(mode != Mode.Reverts, "paused");
        if (mode == Mode.ReturnsFalse) answer(false);
        if (mode == Mode.BurnsGas) for (uint256 i = 1; i < 60; i++) burned[i] = gasleft();
        uint256 fee = mode == Mode.TakesFee ? amount / 100 : 0;
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount - fee;
        if (mode != Mode.SaysNothing) emit Transfer(msg.sender, to, amount - fee);
        if (mode == Mode.ReturnsNothing) return;
        answer(true);
    }

    /// Returns data from a function that is declared without a return value.
    function answer(bool yes) private pure {
        assembly {
            mstore(0, yes)
            return(0, 32)
        }
    }
}
