internal import BenchmarkKit
internal import CTestbed
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Clients of a listening socket, accepted on a thread of its own.
final class ClientList: Sendable {
    private let clients = Mutex<[Int32]>([])

    /// Listens at a path.
    ///
    /// - Parameter greeting: What each client is sent when it has been accepted.
    init(at path: String, greeting: [UInt8]) throws {
        let listener = testbed_listen(path)
        guard listener >= 0 else { throw BenchmarkError("listen at \(path)", errno: errno) }
        DispatchQueue(label: "stream-load.accept").async { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                clients.withLock { $0.append(client) }
                _ = send(client, greeting, greeting.count, 0)
            }
        }
    }

    /// Those that are there.
    var descriptors: [Int32] { clients.withLock { $0 } }
}
