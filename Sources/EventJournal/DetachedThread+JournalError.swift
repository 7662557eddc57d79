internal import DetachedThread

extension DetachedThread {
    /// Starts a thread; where there is none left, says so as the journal does.
    static func startOrThrow(_ body: @escaping @Sendable () -> Void) throws(JournalError) {
        do throws(Refusal) {
            try start(body)
        } catch {
            throw JournalError(operation: "start a thread for", path: "the journal", cause: .errno(error.errno))
        }
    }
}
