// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Forwarder} from "./Forwarder.sol";

/// Makes the deposit addresses of one programme. An address is known before anything stands there: it follows from this
/// factory's address and the account's salt alone, so that money can arrive first and the contract is made when it is
/// worth the gas. There is no owner; what anybody can do is to move deposits to the treasury.
contract ForwarderFactory {
    Forwarder public immutable implementation;

    constructor(address payable treasury_) {
        // The first contract that this one creates, so that its address follows from ours.
        implementation = new Forwarder(treasury_);
    }

    function treasury() external view returns (address payable) {
        return implementation.treasury();
    }

    function addressOf(bytes32 salt) public view returns (address payable) {
        bytes32 hash = keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, keccak256(proxyCode())));
        return payable(address(uint160(uint256(hash))));
    }

    /// Makes the contract of each address that has none yet, and empties all of them. Repeatable.
    function sweep(bytes32[] calldata salts, address[] calldata tokens) external {
        for (uint256 i = 0; i < salts.length; i++) {
            address payable forwarder = addressOf(salts[i]);
            if (forwarder.code.length == 0) create(salts[i]);
            Forwarder(forwarder).sweep(tokens);
        }
    }

    function create(bytes32 salt) private {
        bytes memory code = proxyCode();
        address made;
        assembly ("memory-safe") {
            made := create2(0, add(code, 32), mload(code), salt)
        }
        require(made != address(0), "not created");
    }

    /// ERC-1167: 45 bytes that hand every call to the implementation, behind the ten that deploy them.
    function proxyCode() private view returns (bytes memory) {
        return abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", implementation, hex"5af43d82803e903d91602b57fd5bf3"
        );
    }
}
