internal import DetachedThread

extension DetachedThread {
    /// Starts a thread; where there is none left, says so as the client does.
    static func startOrThrow(_ body: @escaping @Sendable () -> Void) throws(ClientError) {
        do throws(Refusal) {
            try start(body)
        } catch {
            throw .system(operation: "start a thread", errno: error.errno)
        }
    }
}
