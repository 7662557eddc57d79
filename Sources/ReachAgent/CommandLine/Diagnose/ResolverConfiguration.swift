internal import Configuration
internal import NetlinkMonitor

/// The configuration of the C library's resolver: resolv.conf(5) and the line `hosts` of nsswitch.conf(5).
struct ResolverConfiguration: Sendable, Hashable {
    /// The maximum size of a file, in bytes.
    private static let maximumBytes = 64 << 10
    /// The file with the name servers behind systemd-resolved's own.
    private static let upstreamFile = "/run/systemd/resolve/resolv.conf"

    /// The name servers, as they are written.
    var nameServers: [String] = []
    /// The search domains.
    var search: [String] = []
    /// The options.
    var options: [String] = []
    /// The name servers behind the stub of systemd-resolved; empty without one.
    var upstreams: [String] = []
    /// The sources of host names.
    var hosts: String?
    /// The reason that resolv.conf cannot be read.
    var failure: String?

    /// Reads the files; none of them is larger than 64 KiB.
    static func read() -> ResolverConfiguration {
        var configuration: ResolverConfiguration
        do throws(RegularFile.Failure) {
            configuration = ResolverConfiguration(parsing: try lines("/etc/resolv.conf"))
        } catch {
            configuration = ResolverConfiguration()
            configuration.failure = "/etc/resolv.conf \(error.description)"
        }
        if configuration.nameServers.contains(where: { $0.hasPrefix("127.0.0.5") }),
            let upstream = try? lines(upstreamFile)
        {
            configuration.upstreams = ResolverConfiguration(parsing: upstream).nameServers
        }
        configuration.hosts = (try? lines("/etc/nsswitch.conf")).flatMap(Self.hosts)
        return configuration
    }

    init() {}

    /// Parses the lines of resolv.conf; of several `search` lines the last one counts.
    init(parsing lines: [[Substring]]) {
        for words in lines {
            let values = words.dropFirst().map(String.init)
            switch words.first {
            case "nameserver": nameServers += values.prefix(1)
            case "search", "domain": search = values
            case "options": options += values
            default: break
            }
        }
    }

    /// The name servers' addresses, to look their routes up; one with a zone has its link's own.
    var addresses: [IPAddress] { (nameServers + upstreams).compactMap { IPAddress($0) } }

    /// The value of the line `hosts`.
    static func hosts(in lines: [[Substring]]) -> String? {
        lines.last { $0.first == "hosts:" }.map { $0.dropFirst().joined(separator: " ") }
    }

    /// The words of a text's lines, without comments.
    static func words(_ text: String) -> [[Substring]] {
        text.split(whereSeparator: \.isNewline).map { line in
            line.prefix { $0 != "#" && $0 != ";" }.split(whereSeparator: \.isWhitespace)
        }
    }

    private static func lines(_ path: String) throws(RegularFile.Failure) -> [[Substring]] {
        words(String(decoding: try RegularFile.bytes(of: path, max: maximumBytes), as: UTF8.self))
    }
}
