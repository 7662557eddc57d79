internal import CNettle

/// The hash functions of the SHA-2 family (FIPS 180-4), with HMAC (RFC 2104) and HKDF (RFC 5869) on them.
package enum SHA2: String, Sendable, Hashable, CaseIterable {
    case sha256 = "SHA-256"
    case sha384 = "SHA-384"
    case sha512 = "SHA-512"

    private var function: nettle_hash {
        switch self {
        case .sha256: nettle_sha256
        case .sha384: nettle_sha384
        case .sha512: nettle_sha512
        }
    }

    /// The size of a hash, in bytes.
    package var byteCount: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// Returns the hash of `bytes`.
    package func hash(_ bytes: [UInt8]) -> [UInt8] { hash { $0(bytes) } }

    /// Returns one hash of several byte strings, each behind its length: other boundaries give another hash.
    package func hash(each strings: some Sequence<[UInt8]>) -> [UInt8] {
        hash { update in
            for string in strings {
                withUnsafeBytes(of: UInt64(string.count).littleEndian) { update(Array($0)) }
                update(string)
            }
        }
    }

    private func hash(_ feed: (_ update: ([UInt8]) -> Void) -> Void) -> [UInt8] {
        let function = function
        return withUnsafeTemporaryAllocation(byteCount: Int(function.context_size), alignment: 16) { context in
            function.`init`(context.baseAddress)
            feed { function.update(context.baseAddress, $0.count, $0) }
            return [UInt8](unsafeUninitializedCapacity: byteCount) { hash, count in
                function.digest(context.baseAddress, byteCount, hash.baseAddress)
                count = byteCount
            }
        }
    }

    /// Returns the HMAC of a message.
    package func authenticationCode(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        withUnsafePointer(to: function) { function in
            let size = Int(function.pointee.context_size)
            // One after the other: the hash of the key's outer and inner padding, and the state.
            return withUnsafeTemporaryAllocation(byteCount: 3 * size, alignment: 16) { contexts in
                let outer = contexts.baseAddress
                let (inner, state) = (outer.map { $0 + size }, outer.map { $0 + 2 * size })
                nettle_hmac_set_key(outer, inner, state, function, key.count, key)
                nettle_hmac_update(state, function, message.count, message)
                return [UInt8](unsafeUninitializedCapacity: byteCount) { code, count in
                    nettle_hmac_digest(outer, inner, state, function, byteCount, code.baseAddress)
                    count = byteCount
                }
            }
        }
    }

    /// Expands a pseudorandom key by HKDF-Expand.
    ///
    /// - Parameters:
    ///   - key: The pseudorandom key.
    ///   - info: The context.
    ///   - count: The number of bytes to return, at most 255 times that of a hash.
    package func expand(_ key: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
        precondition(count <= 255 * byteCount, "HKDF cannot expand to \(count) bytes")
        var expanded: [UInt8] = []
        var block: [UInt8] = []
        var number: UInt8 = 0
        while expanded.count < count {
            number += 1
            block = authenticationCode(for: block + info + [number], key: key)
            expanded += block
        }
        return Array(expanded.prefix(count))
    }
}
