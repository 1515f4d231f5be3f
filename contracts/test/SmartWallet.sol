// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A contract wallet with several owners, each of whom can sign alone. For tests only.
contract SmartWallet {
    mapping(address => bool) public isOwner;

    constructor(address[] memory owners) {
        for (uint256 i = 0; i < owners.length; i++) isOwner[owners[i]] = true;
    }

    function replaceOwner(address old, address next) external {
        isOwner[old] = false;
        isOwner[next] = true;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        address signer = ecrecover(hash, uint8(signature[64]), r, s);
        return signer != address(0) && isOwner[signer] ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

/// Deploys wallets at predictable addresses.
contract SmartWalletFactory {
    function make(bytes32 salt, address[] calldata owners) external returns (address) {
        return address(new SmartWallet{salt: salt}(owners));
    }
}
