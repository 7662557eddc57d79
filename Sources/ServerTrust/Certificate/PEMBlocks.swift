internal import FoundationEssentials

/// Blocks between `-----BEGIN …-----` and `-----END …-----` (RFC 7468), with arbitrary text around them.
enum PEMBlocks {
    /// One block, and its number in the file, from 1.
    struct Block {
        let number: Int
        let der: [UInt8]
    }

    /// Returns the blocks with the given names; nil when the bytes are not PEM at all.
    ///
    /// - Throws: ``SecurityPolicyError/undecodableCertificate(source:reason:)`` for a block that is not terminated or
    ///   not Base64.
    static func blocks(
        in bytes: [UInt8],
        named names: [String],
        source: String
    ) throws(SecurityPolicyError) -> [Block]? {
        let all = scan(bytes)
        guard !all.isEmpty else { return nil }
        var blocks: [Block] = []
        for (index, item) in all.enumerated() where names.contains(item.name) {
            guard let der = item.der else {
                throw .undecodableCertificate(
                    source: "\(source), block \(index + 1)",
                    reason: "it is not closed, or no Base64"
                )
            }
            blocks.append(Block(number: index + 1, der: der))
        }
        return blocks
    }

    /// Returns the blocks of one name, skipping invalid ones.
    static func lenientBlocks(in bytes: [UInt8], named name: String) -> [[UInt8]] {
        scan(bytes).compactMap { $0.name == name ? $0.der : nil }
    }

    private static func scan(_ bytes: [UInt8]) -> [(name: String, der: [UInt8]?)] {
        let begin = Array("-----BEGIN ".utf8)
        let end = Array("-----END ".utf8)
        let dashes = Array("-----".utf8)
        var items: [(name: String, der: [UInt8]?)] = []
        var name: String?
        var body: [UInt8] = []
        for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let line = line.trimmed
            if line.starts(with: begin), line.suffix(5).elementsEqual(dashes), line.count > 16 {
                if let name { items.append((name, nil)) }
                name = String(decoding: line.dropFirst(begin.count).dropLast(5), as: UTF8.self)
                body = []
            } else if line.starts(with: end), let open = name {
                let closing = String(decoding: line.dropFirst(end.count).dropLast(5), as: UTF8.self)
                let decoded = closing == open ? Data(base64Encoded: Data(body)).map { [UInt8]($0) } : nil
                items.append((open, decoded?.isEmpty == false ? decoded : nil))
                name = nil
            } else if name != nil {
                body += line
            }
        }
        if let name { items.append((name, nil)) }
        return items
    }
}

extension ArraySlice<UInt8> {
    fileprivate var trimmed: ArraySlice<UInt8> {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        guard let last = lastIndex(where: { !isSpace($0) }) else { return [] }
        return self[...last].drop(while: isSpace)
    }
}
