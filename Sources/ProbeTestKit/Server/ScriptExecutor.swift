internal import EventLoopExecutor
internal import NIOCore
internal import NIOPosix

/// The executors of the servers' event loops.
///
/// Scripts run there: on Swift's shared threads, which are few, they would queue behind whatever the tests compute, and a
/// client's deadline would pass meanwhile.
enum ScriptExecutor {
    private static let executors = Dictionary(
        MultiThreadedEventLoopGroup.singleton.makeIterator().map { (ObjectIdentifier($0), EventLoopTaskExecutor($0)) },
        uniquingKeysWith: { first, _ in first }
    )

    /// The executor of a channel's event loop.
    static func of(_ channel: any Channel) -> EventLoopTaskExecutor? {
        executors[ObjectIdentifier(channel.eventLoop)]
    }
}
