// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A token for the benchmark that makes very many transfers in one call: to the given addresses, spread among many other
/// addresses. The others get events only, so the state stays small after a million transfers.
contract Storm {
    uint8 public constant decimals = 18;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 amount);

    function blow(address[] calldata ours, uint256 others, uint256 seed) external {
        uint256 sent;
        for (uint256 i = 0; i < ours.length; i++) {
            balanceOf[ours[i]] += 1 ether;
            emit Transfer(address(0), ours[i], 1 ether);
            for (uint256 k = 0; k < others / ours.length; k++) emit Transfer(address(0), nobody(seed, sent++), 1 ether);
        }
        while (sent < others) emit Transfer(address(0), nobody(seed, sent++), 1 ether);
    }

    function nobody(uint256 seed, uint256 number) private pure returns (address) {
        return address(uint160(uint256(keccak256(abi.encode(seed, number)))));
    }
}
