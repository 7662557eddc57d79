internal import Synchronization

/// One step of a ``ScriptedServer`` on a connection; a script is a list of steps.
///
/// A server with a ``ServerTLS`` does its handshake before the first step. Anything before or instead of a handshake is
/// scripted on a server without one, which reads and sends plain bytes. After its last step the connection stays open
/// and silent until the peer closes it.
public enum ServerStep: Sendable {
    /// Waits for a number of bytes, and drops them.
    case receive(Int)
    /// Waits for the first TLS record, which contains the ClientHello, and drops it.
    case receiveClientHello
    /// Waits for an HTTP/2 frame of this type (RFC 9113, section 6), and drops it and those before it; the client's preface
    /// has 24 bytes.
    case receiveFrame(UInt8)
    /// Waits for a complete HTTP/1 request and records it.
    case receiveRequest
    /// Sends bytes, and waits until the kernel has accepted them.
    case send([UInt8])
    /// Sends bytes in pieces of `piece` bytes, one each `interval`.
    case sendSlowly([UInt8], piece: Int, interval: Duration)
    /// Sends the same bytes repeatedly, as fast as the peer reads, until the connection ends.
    case sendEndlessly([UInt8])
    /// Sends bytes as they are on a connection with TLS, in place of a record.
    case sendUnencrypted([UInt8])
    /// Stops reading; for example, the peer's closure alert stays unread and unanswered.
    case stopReading
    /// Waits until the test opens the gate.
    case wait(ServerGate)
    /// Answers requests by their path, including the query, until the peer closes; `*` stands for every other path.
    ///
    /// Uses HTTP/2 if ALPN selected `h2`; a path without an entry is answered with 404.
    case serve([String: ScriptedResponse])
    /// Answers every HTTP/2 stream with these steps, if ALPN selected `h2`.
    case http2([HTTP2Step])
    /// Closes in an orderly way: with TLS, after a closure alert.
    case close
    /// Closes the TCP connection (FIN) without TLS's closure alert.
    case drop
    /// Resets the TCP connection (RST).
    case reset
    /// Reads all input, and never does anything else.
    case silence
}

extension ServerStep {
    /// Sends text as UTF-8.
    public static func send(_ text: String) -> ServerStep { .send(Array(text.utf8)) }

    /// Sends a well-formed response.
    public static func respond(_ response: ScriptedResponse) -> ServerStep { .send(response.bytes) }

    /// Answers every request with the same response.
    public static func serve(_ response: ScriptedResponse) -> ServerStep { .serve(["*": response]) }

    /// Sends a fatal TLS alert in plain text: 40 is handshake_failure, 70 protocol_version (RFC 8446, section 6).
    public static func alert(_ code: UInt8) -> ServerStep { .send([21, 3, 3, 0, 2, 2, code]) }

    /// Sends header lines endlessly.
    public static func sendEndlessHeader(_ line: String = "X-Filler: filler") -> ServerStep {
        .sendEndlessly(Array(String(repeating: line + "\r\n", count: 64).utf8))
    }

    /// Sends chunks of 1 KiB endlessly; the head must have been sent before.
    public static func sendEndlessChunks() -> ServerStep {
        .sendEndlessly(Array(("400\r\n" + String(repeating: "x", count: 0x400) + "\r\n").utf8))
    }
}

/// One step of a ``ScriptedServer`` on an HTTP/2 stream after it received the request.
public enum HTTP2Step: Sendable {
    /// Sends a well-formed response and ends the stream.
    case respond(ScriptedResponse)
    /// Sends the response's header and body, without ending the stream.
    case begin(ScriptedResponse)
    /// Sends DATA frames repeatedly, as fast as the peer reads.
    case sendEndlessly([UInt8])
    /// Waits until the test opens the gate.
    case wait(ServerGate)
    /// Sends RST_STREAM with an error code (RFC 9113, section 7).
    case resetStream(UInt32)
    /// Sends GOAWAY with an error code, declaring that no stream was processed.
    case goAway(UInt32)
    /// Closes the TCP connection (FIN) without TLS's closure alert.
    case drop
    /// Resets the TCP connection (RST).
    case reset
    /// Does nothing more on this stream.
    case silence
}

/// A gate in a script: the server waits at it until the test opens it.
///
/// With gates a test determines the order of events, without a clock. A gate stays open.
public final class ServerGate: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isOpen = false
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
    }

    /// Creates a closed gate.
    public init() {}

    /// Opens the gate for all current and later waiters.
    public func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until the gate is open, or the task is cancelled.
    public func passed() async {
        let number = state.withLock { state in
            defer { state.nextWaiter += 1 }
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    if state.isOpen || Task.isCancelled { return true }
                    state.waiters[number] = continuation
                    return false
                }
                if isFree { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }
}
