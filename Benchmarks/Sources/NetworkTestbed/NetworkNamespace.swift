package import BenchmarkKit
internal import CTestbed
internal import Glibc

/// A network namespace of the benchmark's own.
///
/// It has no name: it lives as long as this descriptor or a process inside, so nothing has to be cleaned up.
package final class NetworkNamespace {
    package let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// A path to the namespace for other programs, as long as this process lives.
    package var path: String { "/proc/\(getpid())/fd/\(descriptor)" }

    /// Makes a fresh namespace and moves the calling thread into it.
    package static func enterFresh(inUserNamespace: Bool = false) throws(BenchmarkError) -> NetworkNamespace {
        let user = getuid()
        let group = getgid()
        let result = testbed_unshare_network(inUserNamespace)
        guard result == 0 else {
            throw BenchmarkError(
                "make a network namespace",
                cause: String(cString: strerror(result))
                    + "; run as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1)"
            )
        }
        if inUserNamespace {
            // Root in the namespace, nobody else; the kernel wants setgroups(2) given up first.
            try ProcFile.write("deny", to: "/proc/self/setgroups")
            try ProcFile.write("0 \(user) 1", to: "/proc/self/uid_map")
            try ProcFile.write("0 \(group) 1", to: "/proc/self/gid_map")
        }
        let descriptor = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BenchmarkError("open the network namespace", errno: errno) }
        return NetworkNamespace(descriptor: descriptor)
    }

    /// Moves the calling thread into this namespace.
    package func enter() throws(BenchmarkError) {
        try BenchmarkError.check(testbed_enter_network(descriptor), "enter the network namespace")
    }
}
