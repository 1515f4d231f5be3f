// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Forwarder} from "./Forwarder.sol";

/// Deploys the deposit addresses of one programme. An address is derived from this factory's address and the account's
/// salt, so it can receive funds before its contract exists. The contract is deployed once a sweep is worth the gas.
/// There is no owner: anybody may call it, but only to move deposits to the treasury.
contract ForwarderFactory {
    Forwarder public immutable implementation;

    constructor(address payable treasury_) {
        // The first contract that this one creates, so its address is derived from ours.
        implementation = new Forwarder(treasury_);
    }

    function treasury() external view returns (address payable) {
        return implementation.treasury();
    }

    function addressOf(bytes32 salt) public view returns (address payable) {
        bytes32 hash = keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, keccak256(proxyCode())));
        return payable(address(uint160(uint256(hash))));
    }

    /// Sweeps each address, and deploys its contract first if there is none. Repeatable.
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

    /// ERC-1167: ten bytes that deploy, and 45 bytes that forward every call to the implementation.
    function proxyCode() private view returns (bytes memory) {
        return abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", implementation, hex"5af43d82803e903d91602b57fd5bf3"
        );
    }
}
