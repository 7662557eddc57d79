internal import CheckResults

extension HTTPURL {
    /// Parses an absolute URL.
    ///
    /// A fragment is dropped, dot segments are removed, and characters not allowed in a path or a query (a space, a
    /// backslash, letters beyond ASCII, a stray percent sign) are percent-encoded.
    /// - Throws: ``HTTPURLError`` for anything else, including a user name or a password; it never shows a password.
    public init(parsing text: String) throws(HTTPURLError) {
        try Self.refuseControlCharacters(text)
        let reference = URLReference(text)
        guard let name = reference.scheme else { throw .notAbsolute }
        let scheme = try Self.scheme(name)
        guard let authority = reference.authority else { throw .notAbsolute }
        do throws(HTTPURLError) {
            try self.init(scheme: scheme, authority: authority, path: reference.path, query: reference.query)
        } catch {
            switch error {
            case .invalidHost, .invalidPort:
                // A slash, '?' or '#' in a password ends the authority before the `@`, and its beginning looks like a
                // port, or after a bracket like a host.
                throw text.utf8.contains(UInt8(ascii: "@")) ? .userInformation : error
            default: throw error
            }
        }
    }

    /// Resolves a reference, such as the value of a Location field, against this URL (RFC 3986, section 5).
    ///
    /// - Throws: ``HTTPURLError`` when ``init(parsing:)`` would not accept the result.
    public func resolving(reference text: String) throws(HTTPURLError) -> HTTPURL {
        try Self.refuseControlCharacters(text)
        let reference = URLReference(text)
        if let name = reference.scheme {
            let scheme = try Self.scheme(name)
            guard let authority = reference.authority else { throw .notAbsolute }
            return try HTTPURL(scheme: scheme, authority: authority, path: reference.path, query: reference.query)
        }
        if let authority = reference.authority {
            return try HTTPURL(scheme: scheme, authority: authority, path: reference.path, query: reference.query)
        }
        let isSameDocument = reference.path.isEmpty
        let newPath =
            if isSameDocument {
                path
            } else if reference.path.utf8.first == UInt8(ascii: "/") {
                Self.normalizedPath(reference.path)
            } else {
                Self.normalizedPath(path[...(path.lastIndex(of: "/") ?? path.startIndex)] + reference.path)
            }
        let newQuery = reference.query.map { PercentEncoding.normalized($0, allowing: .query) }
        return try HTTPURL(
            scheme: scheme,
            host: host,
            port: port,
            path: newPath,
            query: newQuery ?? (isSameDocument ? query : nil)
        )
    }

    static func refuseControlCharacters(_ text: String) throws(HTTPURLError) {
        guard text.utf8.count <= maximumLength else { throw .tooLong }
        if let byte = text.utf8.first(where: { $0 < 0x20 || $0 == 0x7F }) { throw .controlCharacter(UInt32(byte)) }
    }

    private init(scheme: Scheme, authority: String, path: String, query: String?) throws(HTTPURLError) {
        guard !authority.utf8.contains(UInt8(ascii: "@")) else { throw .userInformation }
        let (hostText, portText) = try Self.split(authority: authority)
        try self.init(
            scheme: scheme,
            host: Self.host(hostText),
            port: Self.port(portText) ?? scheme.defaultPort,
            path: Self.normalizedPath(path),
            query: query.map { PercentEncoding.normalized($0, allowing: .query) }
        )
    }

    private static func scheme(_ name: String) throws(HTTPURLError) -> Scheme {
        guard let scheme = Scheme(rawValue: name.lowercased()) else { throw .unsupportedScheme(name) }
        return scheme
    }

    /// Splits an authority into the host with its brackets and the text after the colon that follows it.
    private static func split(authority: String) throws(HTTPURLError) -> (host: String, port: String) {
        let bytes = Array(authority.utf8)
        guard IPAddressText.bytes(of: authority)?.count != 16 else {
            throw .invalidHost(authority, reason: "is an IPv6 address without brackets")
        }
        let hostEnd: Int
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else {
                throw .invalidHost(authority, reason: "has no closing bracket")
            }
            hostEnd = bracket + 1
        } else {
            hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        }
        let host = String(decoding: bytes[..<hostEnd], as: UTF8.self)
        guard hostEnd < bytes.endIndex else { return (host, "") }
        guard bytes[hostEnd] == UInt8(ascii: ":") else {
            throw .invalidHost(authority, reason: "continues after its closing bracket")
        }
        return (host, String(decoding: bytes[(hostEnd + 1)...], as: UTF8.self))
    }

    /// Parses a port; nil for an empty string, which RFC 3986, section 3.2.3, allows.
    private static func port(_ text: String) throws(HTTPURLError) -> Int? {
        guard !text.isEmpty else { return nil }
        let isNumber = text.utf8.count <= 5 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard isNumber, let port = Int(text), (1...65535).contains(port) else { throw .invalidPort(text) }
        return port
    }

    /// Returns the path with only allowed characters and without dot segments, beginning with a slash.
    private static func normalizedPath(_ text: some StringProtocol) -> String {
        let segments = PercentEncoding.normalized(String(text), allowing: .path)
            .split(separator: "/", omittingEmptySubsequences: false)
        var kept: [Substring] = []
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment.lowercased().replacingEncodedDots {
            case ".":
                if isLast { kept.append("") }
            case "..":
                // The first element is the empty string before the first slash; it stays.
                if kept.count > 1 { kept.removeLast() }
                if isLast { kept.append("") }
            default:
                kept.append(segment)
            }
        }
        let path = kept.joined(separator: "/")
        return path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
    }
}

extension String {
    /// The segment in lower case with `%2e` decoded: by RFC 3986, section 6.2.2.2, it is equivalent to a dot.
    fileprivate var replacingEncodedDots: String {
        switch self {
        case "%2e": "."
        case "%2e.", ".%2e", "%2e%2e": ".."
        default: self
        }
    }
}

/// The parts of a URI reference (RFC 3986, appendix B), without its fragment.
private struct URLReference {
    /// The text before the first colon, if it is a scheme.
    let scheme: String?
    /// The text between `//` and the path; nil without `//`.
    let authority: String?
    /// The path, not decoded; may be empty.
    let path: String
    /// The text after the question mark; nil without one.
    let query: String?

    /// Splits a string whose length and characters were checked.
    init(_ text: String) {
        var rest = Array(text.utf8)[...]
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = String(decoding: rest[mark...].dropFirst(), as: UTF8.self)
            rest = rest[..<mark]
        } else {
            query = nil
        }
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
            scheme = String(decoding: rest[..<colon], as: UTF8.self)
            rest = rest[colon...].dropFirst()
        } else {
            scheme = nil
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[end...]
        } else {
            authority = nil
        }
        path = String(decoding: rest, as: UTF8.self)
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, isLetter(first) else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
            default: isLetter(byte)
            }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
