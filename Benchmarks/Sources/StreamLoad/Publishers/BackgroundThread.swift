internal import Dispatch

/// A thread for work that blocks.
enum BackgroundThread {
    static func start(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "stream-load").async(execute: body)
    }
}
