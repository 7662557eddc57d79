import Foundation
import Glibc
import Synchronization

/// A long and lossy link to a server on the loopback: a port that forwards every byte, later.
///
///     let link = try TCPLink(to: server.port, delay: .seconds(1), loss: 0.05)
///     // … a client connects to 127.0.0.1 at link.port …
///     link.cut()
///
/// A lost segment holds back everything behind it until it comes again, which is all that a user of TCP sees of it; a
/// connection that is cut loses what is under way, in both directions. The port is closed with the last reference.
package final class TCPLink: Sendable {
    /// The port, on 127.0.0.1.
    package let port: UInt16
    private let control: TCPLinkControl

    /// Opens the link.
    ///
    /// - Parameters:
    ///   - server: The server's port on 127.0.0.1.
    ///   - delay: The time that a byte takes, in either direction.
    ///   - loss: The chance of a segment to be lost.
    ///   - seed: Chance.
    package init(to server: UInt16, delay: Duration, loss: Double = 0, seed: UInt64 = 1) throws {
        let listener = TCPLinkLoop.socket(SOCK_NONBLOCK)
        var address = TCPLinkLoop.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 ? getsockname(listener, $0, &length) : -1
            }
        }
        guard result == 0, let control = TCPLinkControl() else {
            throw FinishedCommand.Failure(description: "no link: \(String(cString: strerror(errno)))")
        }
        port = UInt16(bigEndian: address.sin_port)
        self.control = control
        Thread.detachNewThread {
            let quality = TCPLinkQuality(delay: delay, loss: loss, random: SplitMix(state: seed))
            var loop = TCPLinkLoop(listener, server, quality, control)
            loop.run()
        }
    }

    deinit { control.order { $0.isEnded = true } }

    /// The number of connections that were ever made.
    package var connectionCount: Int { control.state.withLock { $0.connections } }

    /// Resets all connections; what is under way is lost.
    package func cut() { control.order { $0.isCut = true } }
}

/// The properties of a link.
struct TCPLinkQuality {
    let delay: Duration
    let loss: Double
    var random: SplitMix

    /// The time that the next segment takes.
    mutating func travel() -> Duration {
        guard Double.random(in: 0..<1, using: &random) < loss else { return delay }
        // The sender waits for a round trip and the minimum retransmission time before it sends it again.
        return delay * 3 + .milliseconds(200)
    }
}

/// The orders to the thread of a link, and its answers.
final class TCPLinkControl: Sendable {
    struct State {
        var isCut = false
        var isEnded = false
        var connections = 0
    }

    let state = Mutex(State())
    /// Readable when there is an order.
    let descriptor: Int32
    private let bell: Int32

    init?() {
        var ends: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        guard socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else { return nil }
        (descriptor, bell) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(bell)
    }

    func order(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
        _ = write(bell, "!", 1)
    }
}
