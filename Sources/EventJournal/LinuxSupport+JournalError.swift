internal import LinuxSupport

extension NamedThread {
    /// Starts a thread; where there is none left, says so as the journal does.
    static func startOrThrow(
        _ name: StaticString,
        _ body: @escaping @Sendable () -> Void
    ) throws(JournalError) {
        do throws(SystemError) {
            try start(name, body)
        } catch {
            throw JournalError(operation: "start a thread for", path: "the journal", cause: .errno(error.errno))
        }
    }
}
