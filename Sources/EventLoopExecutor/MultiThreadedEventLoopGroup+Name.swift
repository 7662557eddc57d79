internal import LinuxSupport
internal import NIOCore
package import NIOPosix

extension MultiThreadedEventLoopGroup {
    /// A group whose threads have a name; NIO's own names tell no group from another.
    ///
    /// - Parameter name: At most 15 bytes count.
    package convenience init(named name: StaticString, numberOfThreads: Int = 1) {
        self.init(numberOfThreads: numberOfThreads)
        for loop in makeIterator() { loop.execute { NamedThread.nameCurrent(name) } }
    }
}
