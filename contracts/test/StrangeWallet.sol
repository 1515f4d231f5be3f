// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A contract wallet that checks signatures in a wrong way. The first byte of the signature selects which.
contract StrangeWallet {
    uint256 private writes;

    fallback() external {
        // The selector, hash, offset and length precede the signature.
        uint8 way = uint8(msg.data[100]);
        if (way == 1) revert("no");
        if (way == 2) while (true) writes++;
        if (way == 3) while (true) {}
        bytes32 magic = bytes32(bytes4(0x1626ba7e));
        assembly {
            mstore(0, magic)
            switch way
            // the magic word for any signature
            case 0 { return(0, 32) }
            // a megabyte that begins with the magic word
            case 4 { return(0, 1048576) }
            // a revert with a megabyte that begins with the magic word
            case 5 { revert(0, 1048576) }
            // only the four bytes of the magic word
            case 6 { return(0, 4) }
            // the four bytes of the magic word, followed by others
            case 7 {
                mstore(0, or(magic, 1))
                return(0, 32)
            }
            // two words
            case 8 { return(0, 64) }
            // the four bytes at the other end of the word
            case 9 {
                mstore(0, shr(224, magic))
                return(0, 32)
            }
            case 10 { return(0, 0) }
            case 11 { invalid() }
        }
    }
}
