internal import Glibc
internal import LinuxSupport
internal import Sinks
internal import Synchronization

/// The addresses of a name, looked up on a separate thread, because getaddrinfo(3) waits for name servers.
final class NameResolution: Sendable {
    /// The maximum number of addresses of one name.
    static let maximumAddresses = 8

    private let answer = Mutex<Result<[String], TransportFailure>?>(nil)

    /// Starts to look up a name.
    ///
    /// - Parameters:
    ///   - host: The name, or an address.
    ///   - wake: Called from the other thread when ``result`` is available.
    init(_ host: String, wake: @escaping @Sendable () -> Void) {
        // An address needs neither a name server nor a thread.
        if case .success(let addresses) = Self.lookUp(host, flags: AI_NUMERICHOST) {
            finish(.success(addresses), wake)
            return
        }
        do {
            try NamedThread.start("sink-resolver") { [self] in finish(Self.lookUp(host, flags: 0), wake) }
        } catch {
            let failure = TransportFailure(code: "broker_unreachable", detail: "no thread is left to look '\(host)' up")
            finish(.failure(failure), wake)
        }
    }

    /// The addresses as text, in the order in which to try them; `nil` until they are known.
    var result: Result<[String], TransportFailure>? { answer.withLock { $0 } }

    private func finish(_ result: Result<[String], TransportFailure>, _ wake: @Sendable () -> Void) {
        answer.withLock { $0 = result }
        wake()
    }

    /// Returns the addresses of a name; blocks the calling thread.
    ///
    /// - Parameter flags: The flags of getaddrinfo(3).
    static func lookUp(_ host: String, flags: Int32) -> Result<[String], TransportFailure> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = flags
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0 else {
            let reason = message(of: status)
            return .failure(
                TransportFailure(code: "broker_unreachable", detail: "the name '\(host)' cannot be resolved: \(reason)")
            )
        }
        var addresses: [String] = []
        var next = list
        while let entry = next?.pointee, addresses.count < maximumAddresses {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let named = getnameinfo(
                entry.ai_addr,
                entry.ai_addrlen,
                &text,
                socklen_t(text.count),
                nil,
                0,
                NI_NUMERICHOST
            )
            if named == 0 {
                let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                if !addresses.contains(address) { addresses.append(address) }
            }
            next = entry.ai_next
        }
        guard !addresses.isEmpty else {
            return .failure(TransportFailure(code: "broker_unreachable", detail: "the name '\(host)' has no address"))
        }
        return .success(addresses)
    }

    /// Returns the message of a getaddrinfo(3) result, which must be requested right after the call.
    private static func message(of status: Int32) -> String {
        if status == EAI_SYSTEM { return SystemError(errno: errno).description }
        return gai_strerror(status).map { String(cString: $0) } ?? "error \(status)"
    }
}
