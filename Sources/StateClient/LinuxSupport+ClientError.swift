internal import LinuxSupport

extension NamedThread {
    /// Starts a thread; where there is none left, says so as the client does.
    static func startOrThrow(
        _ name: StaticString,
        _ body: @escaping @Sendable () -> Void
    ) throws(ClientError) {
        do throws(SystemError) {
            try start(name, body)
        } catch {
            throw .system(operation: "start a thread", errno: error.errno)
        }
    }
}

extension Wakeup {
    /// A wake-up; where there is no descriptor left, says so as the client does.
    static func make() throws(ClientError) -> Wakeup {
        do throws(SystemError) {
            return try Wakeup()
        } catch {
            throw .system(operation: "make a descriptor to wake a thread with", errno: error.errno)
        }
    }
}
