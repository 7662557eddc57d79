internal import AgentEvents
internal import ArgumentParser
internal import Configuration
internal import FoundationEssentials
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// The format in which events are printed.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case json, human, none
}

/// The parsers of argument values; their errors name the mistake and the accepted values.
enum Arguments {
    /// An address whose path is looked up.
    static func address(_ text: String) throws -> IPAddress {
        guard let address = IPAddress(text)?.unmapped else {
            throw ValidationError(
                "'\(text)' is not a valid IP address; accepted are forms like 192.0.2.7 and 2001:db8::7"
            )
        }
        if address.needsInterface { throw ValidationError(address.missingInterface) }
        return address
    }

    static func kindOverride(_ text: String) throws -> KindOverride {
        do {
            return try KindOverride(parsing: text)
        } catch {
            throw ValidationError(error.description)
        }
    }

    static func target(_ text: String) throws -> Target {
        guard let separator = text.firstIndex(of: "=") else {
            throw ValidationError("'\(text)' is not of the form NAME=ADDRESS, such as 'office=192.0.2.7'")
        }
        let name = String(text[..<separator])
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isPlain, (1...64).contains(name.utf8.count) else {
            throw ValidationError("target name '\(name)' must be 1 to 64 letters, digits, '-', '_' or '.'")
        }
        guard ![AgentEvent.defaultSubject, AgentEvent.agentSubject].contains(name) else {
            throw ValidationError("target name '\(name)' is taken by the agent's own events; choose another")
        }
        return Target(name: name, address: try address(String(text[text.index(after: separator)...])))
    }

    /// A duration of at most an hour; see ``duration(_:atMost:)``.
    static func duration(_ text: String) throws -> Duration { try duration(text, atMost: ("1h", .seconds(3600))) }

    /// A duration of at most a hundred years; see ``duration(_:atMost:)``.
    static func longDuration(_ text: String) throws -> Duration {
        try duration(text, atMost: ("36500d", .seconds(36_500 * 86_400)))
    }

    /// A duration in the syntax of the whole command line: `500ms`, `1m30s`, `2h`, `3d`; a bare number is seconds.
    private static func duration(_ text: String, atMost limit: (text: String, duration: Duration)) throws -> Duration {
        let isBare = text.utf8.last.map { $0 &- UInt8(ascii: "0") < 10 } ?? false
        guard let duration = Quantity.duration(isBare ? "\(text)s" : text) else {
            throw ValidationError("expected a duration such as 500ms, 5s, 1m30s, 2h or 3d, got '\(text)'")
        }
        guard duration <= limit.duration else {
            throw ValidationError("expected a duration of at most \(limit.text), got '\(text)'")
        }
        return duration
    }

    /// A number of bytes in the syntax of the whole command line: `4096`, `512K`, `8M`, `2G` (powers of 1024).
    static func byteCount(_ text: String) throws -> Int {
        guard let bytes = Quantity.bytes(text) else {
            throw ValidationError("expected a size of at most 1024G, such as 512K, 8M or 2G, got '\(text)'")
        }
        return bytes
    }

    /// Permission bits in octal: `0660`.
    static func mode(_ text: String) throws -> UInt32 {
        guard text.count <= 4, let mode = UInt32(text, radix: 8), mode <= 0o777 else {
            throw ValidationError("'\(text)' is not a valid mode; accepted are octal permission bits such as 0660")
        }
        return mode
    }
}

extension Arguments {
    static func headerField(_ text: String) throws -> HeaderField {
        guard let colon = text.firstIndex(of: ":") else {
            throw ValidationError("a '--header' has no colon; accepted are forms like 'Accept: text/plain'")
        }
        return HeaderField(name: String(text[..<colon]), value: String(text[text.index(after: colon)...]))
    }

    static func parameter(_ text: String) throws -> Parameter {
        guard let separator = text.firstIndex(of: "="), separator != text.startIndex else {
            throw ValidationError("'\(text)' is not of the form NAME=VALUE")
        }
        return Parameter(
            name: String(text[..<separator]),
            value: String(text[text.index(after: separator)...])
        )
    }

    static func probeTarget(_ text: String) throws -> ProbeTarget {
        do {
            return try ProbeTarget(parsing: text)
        } catch {
            throw ValidationError(error.description)
        }
    }

    /// `HOST:PORT`, with an IPv6 address in brackets.
    static func endpoint(_ text: String) throws -> Probe.Endpoint {
        guard case .tcp(let host, let port)? = try? ProbeTarget(parsing: "tcp://\(text)") else {
            throw ValidationError("'\(text)' is not of the form HOST:PORT, such as 'host.example:443' or '[::1]:443'")
        }
        return Probe.Endpoint(host: host, port: port)
    }

    static func tlsVersion(_ text: String) throws -> TLSOptions.Version {
        guard let version = TLSOptions.Version(rawValue: text) else {
            throw ValidationError("'\(text)' is not a supported TLS version; accepted are 1.2 and 1.3")
        }
        return version
    }

    static func statusCodes(_ text: String) throws -> StatusCodes {
        try expectation { () throws(ExpectationError) in try StatusCodes(parsing: text) }
    }

    static func mediaType(_ text: String) throws -> String {
        try expectation { () throws(ExpectationError) in try MediaType.accepted(parsing: text) }
    }

    static func bodyMatches(_ text: String) throws -> BodyExpectation {
        try expectation { () throws(ExpectationError) in .matches(try BodyPattern(parsing: text)) }
    }

    static func jsonExpectation(_ text: String) throws -> BodyExpectation {
        try expectation { () throws(ExpectationError) in .json(try JSONExpectation(parsing: text)) }
    }

    private static func expectation<Value>(_ make: () throws(ExpectationError) -> Value) throws -> Value {
        do {
            return try make()
        } catch {
            throw ValidationError(error.description)
        }
    }
}

/// Absolute paths, which do not depend on the working directory.
enum AbsolutePath {
    /// Returns the absolute path; a relative one is resolved against the working directory.
    static func of(_ path: String) -> String {
        if path.utf8.first == UInt8(ascii: "/") { return path }
        let current = FileManager.default.currentDirectoryPath
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }.drop { $0 == "." }
        return parts.reduce(current == "/" ? "" : current) { "\($0)/\($1)" }
    }

    /// Returns the directory in a variable; relative ones are ignored, as the XDG Base Directory Specification requires.
    static func named(_ variable: String, in environment: [String: String]) -> String? {
        guard let value = environment[variable], value.hasPrefix("/") else { return nil }
        return value
    }
}

extension IPAddress {
    /// `true` for a link-local address of IPv6, for which the kernel would answer with the route of any link.
    var needsInterface: Bool { family == .ipv6 && isLinkLocal }

    /// The error for a link-local address of IPv6.
    var missingInterface: String {
        "'\(self)' is link-local, and has no path without an interface; use a global or unique local address"
    }
}
