internal import Configuration
internal import NetlinkMonitor

/// The configuration of the C library's resolver: resolv.conf(5) and the line `hosts` of nsswitch.conf(5).
struct ResolverConfiguration: Sendable, Hashable {
    /// The maximum size of a file, in bytes.
    static let maximumBytes = 64 << 10
    /// The C library's file.
    static let file = "/etc/resolv.conf"
    /// The file with the upstream name servers of systemd-resolved.
    static let upstreamFile = "/run/systemd/resolve/resolv.conf"

    /// The name servers, as they are written.
    var nameServers: [String] = []
    /// The search domains.
    var search: [String] = []
    /// The options.
    var options: [String] = []
    /// The upstream name servers of the systemd-resolved stub; empty without it.
    var upstreams: [String] = []
    /// The sources of host names.
    var hosts: String?
    /// The reason that resolv.conf cannot be read.
    var failure: String?

    /// Reads the files; none of them is larger than 64 KiB.
    static func read() -> ResolverConfiguration {
        var configuration: ResolverConfiguration
        do throws(RegularFile.Failure) {
            configuration = ResolverConfiguration(parsing: try lines(file))
        } catch {
            configuration = ResolverConfiguration()
            configuration.failure = "\(file) \(error.description)"
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

    /// Parses the lines of resolv.conf; the last of several `search` lines applies.
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

    /// The addresses of the name servers, for looking up their routes; one with a zone is bound to its link.
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
