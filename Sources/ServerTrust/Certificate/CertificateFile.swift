internal import ForeignText
internal import FoundationEssentials
internal import Glibc

/// Reads certificates from files and directories, in PEM or DER.
public enum CertificateFile {
    /// The maximum size of a file, in bytes.
    public static let maximumSize = 16 << 20
    private static let extensions = [".pem", ".crt", ".cer", ".der"]
    /// The label of OpenSSL's own form: a certificate, and behind it the purposes that it is trusted or rejected for.
    ///
    /// Without these, a rejected certificate would become a root.
    private static let trustedLabel = "TRUSTED CERTIFICATE"
    private static let trustedReason =
        "expected the label CERTIFICATE, got \(trustedLabel), which adds OpenSSL's trust settings; "
        + "'openssl x509' writes the certificate without them"

    /// Reads the certificates of a file, or of the files in a directory that end in `.pem`, `.crt`, `.cer` or `.der`,
    /// sorted by name.
    ///
    /// - Returns: Certificates in DER, at least one.
    /// - Throws: ``SecurityPolicyError``: a decoding error names the file and, in PEM, the block.
    public static func certificates(at path: String) throws(SecurityPolicyError) -> [[UInt8]] {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .unreadable(path: path, reason: reason(errno)) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return try certificates(decoding: try bytes(of: path), source: path)
        }
        var certificates: [[UInt8]] = []
        for name in try names(inDirectory: path).sorted()
        where extensions.contains(where: { name.lowercased().hasSuffix($0) }) {
            let file = path.hasSuffix("/") ? path + name : path + "/" + name
            certificates += try self.certificates(decoding: try bytes(of: file), source: file)
        }
        guard !certificates.isEmpty else { throw .noCertificate(source: path) }
        return certificates
    }

    /// Returns the names in a directory.
    private static func names(inDirectory path: String) throws(SecurityPolicyError) -> [String] {
        guard let stream = opendir(path) else { throw .unreadable(path: path, reason: reason(errno)) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw .unreadable(path: path, reason: reason(errno)) }
                return names
            }
            // An entry ends with its name, and is shorter than its type: a copy would read past it.
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return names }
            let name = UnsafeRawPointer(entry) + offset
            names.append(String(cString: name.assumingMemoryBound(to: CChar.self)))
        }
    }

    /// Decodes one DER certificate, or any number of them in PEM.
    ///
    /// - Parameters:
    ///   - bytes: The certificate or the certificates.
    ///   - source: The name of the source in errors.
    /// - Throws: ``SecurityPolicyError`` if there is no certificate, or one cannot be decoded.
    public static func certificates(
        decoding bytes: [UInt8],
        source: String
    ) throws(SecurityPolicyError) -> [[UInt8]] {
        let blocks: [PEMBlocks.Block]?
        do throws(PEMBlocks.Flaw) {
            blocks = try PEMBlocks.blocks(in: bytes, named: ["CERTIFICATE", "X509 CERTIFICATE", trustedLabel])
        } catch {
            throw .undecodableCertificate(source: "\(source), block \(error.block)", reason: error.description)
        }
        if let blocks {
            guard !blocks.isEmpty else { throw .noCertificate(source: source) }
            for block in blocks {
                let place = blocks.count > 1 ? "\(source), block \(block.number)" : source
                guard block.name != trustedLabel else {
                    throw .undecodableCertificate(source: place, reason: trustedReason)
                }
                try check(block.der, source: place)
            }
            return blocks.map(\.der)
        }
        guard !bytes.isEmpty else { throw .noCertificate(source: source) }
        try check(bytes, source: source)
        return [bytes]
    }

    /// Returns the certificates among PEM blocks; invalid blocks are skipped.
    package static func blocks(in bytes: [UInt8]) -> [[UInt8]] {
        PEMBlocks.lenientBlocks(in: bytes, named: "CERTIFICATE")
    }

    /// Returns the certificates of a system bundle; invalid ones are skipped, because one bad root must not remove all
    /// others.
    static func certificates(inBundle path: String) throws(SecurityPolicyError) -> [[UInt8]] {
        PEMBlocks.lenientBlocks(in: try bytes(of: path), named: "CERTIFICATE")
    }

    /// Reads a file of at most ``maximumSize``; a pipe is allowed, an endless device is an error.
    static func bytes(of path: String) throws(SecurityPolicyError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(path: path, reason: reason(errno)) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(path: path, reason: reason(errno)) }
            if count == 0 { return bytes }
            bytes += chunk.prefix(count)
            guard bytes.count <= maximumSize else {
                throw .unreadable(path: path, reason: "it is larger than \(maximumSize) bytes")
            }
        }
    }

    /// Returns the system's message for an errno value.
    static func reason(_ code: CInt) -> String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }

    private static func check(_ der: [UInt8], source: String) throws(SecurityPolicyError) {
        let certificate = DecodedCertificate(der: der, within: .unlimited())
        guard certificate.publicKey == nil || certificate.signedBytes.isEmpty else { return }
        throw .undecodableCertificate(source: source, reason: certificate.flaws.first ?? "it is not a certificate")
    }
}

/// Blocks between `-----BEGIN …-----` and `-----END …-----` (RFC 7468), with arbitrary text around them.
enum PEMBlocks {
    /// One block, and its number in the file, from 1.
    struct Block {
        let number: Int
        let name: String
        let der: [UInt8]
    }

    /// A block that lacks its BEGIN or END line or is not Base64.
    struct Flaw: Error, CustomStringConvertible {
        /// The number of the block in the file, from 1.
        let block: Int
        let description = "expected a BEGIN line, Base64 and the END line of the same name"
    }

    /// Returns the blocks with the given names; nil when the bytes are not PEM at all.
    ///
    /// - Throws: The first flaw of a block with one of the names.
    static func blocks(in bytes: [UInt8], named names: [String]) throws(Flaw) -> [Block]? {
        let all = scan(bytes)
        guard !all.isEmpty else { return nil }
        var blocks: [Block] = []
        for (index, item) in all.enumerated() where names.contains(item.name) {
            guard let der = item.der else { throw Flaw(block: index + 1) }
            blocks.append(Block(number: index + 1, name: item.name, der: der))
        }
        return blocks
    }

    /// Returns the blocks of one name, skipping invalid ones.
    static func lenientBlocks(in bytes: [UInt8], named name: String) -> [[UInt8]] {
        scan(bytes).compactMap { $0.name == name ? $0.der : nil }
    }

    /// Returns the names and contents of the blocks; an invalid block and a stray END line have no content.
    private static func scan(_ bytes: [UInt8]) -> [(name: String, der: [UInt8]?)] {
        let begin = Array("-----BEGIN ".utf8)
        let end = Array("-----END ".utf8)
        let dashes = Array("-----".utf8)
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var items: [(name: String, der: [UInt8]?)] = []
        var name: String?
        var body: [UInt8] = []
        for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            // Editors on Windows begin a file with a mark, and a concatenated file has it in the middle.
            let line = (line.starts(with: byteOrderMark) ? line.dropFirst(byteOrderMark.count) : line).trimmed
            if line.starts(with: begin), line.suffix(5).elementsEqual(dashes), line.count > 16 {
                if let name { items.append((name, nil)) }
                name = String(decoding: line.dropFirst(begin.count).dropLast(5), as: UTF8.self)
                body = []
            } else if line.starts(with: end) {
                let closing = String(decoding: line.dropFirst(end.count).dropLast(5), as: UTF8.self)
                let decoded = closing == name ? Data(base64Encoded: Data(body)).map { [UInt8]($0) } : nil
                items.append((name ?? closing, decoded?.isEmpty == false ? decoded : nil))
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
