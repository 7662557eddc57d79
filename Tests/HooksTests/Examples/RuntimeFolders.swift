import Foundation
import Glibc

/// What stands for /run/user: folders of users with the socket of each one's bus, at which nobody listens.
final class RuntimeFolders {
    /// Why there is no socket.
    struct Failure: Error {
        let code: Int32
    }

    let path: String
    private var descriptors: [Int32] = []

    init(_ users: [String]) throws {
        path = "/tmp/reachagent-buses-\(UUID().uuidString.prefix(8))"
        for user in users {
            try add(user)
            descriptors.append(try Self.socket(at: bus(user)))
        }
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a user's bus.
    func bus(_ user: String) -> String { "\(path)/\(user)/bus" }

    /// Makes a user's folder, without a bus.
    func add(_ user: String) throws {
        try FileManager.default.createDirectory(atPath: "\(path)/\(user)", withIntermediateDirectories: true)
    }

    private static func socket(at path: String) throws -> Int32 {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard descriptor >= 0, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Failure(code: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        guard result == 0 else { throw Failure(code: errno) }
        return descriptor
    }
}
