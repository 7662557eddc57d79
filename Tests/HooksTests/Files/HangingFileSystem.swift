import Glibc

/// A file system whose files and directories block every access: nothing answers the kernel's requests (fuse(4)).
///
/// Once it is released each access fails, those in progress too.
final class HangingFileSystem: Sendable {
    /// `true` if this process may mount one.
    static let isAvailable = geteuid() == 0 && (try? HangingFileSystem()) != nil

    /// The directory on which it is mounted.
    let path: String
    private let directory: ScratchDirectory
    private let device: Int32

    init() throws {
        directory = try ScratchDirectory()
        path = try directory.directory("hanging")
        device = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        try ScratchDirectory.check("open", device)
        let options = "fd=\(device),rootmode=40000,user_id=0,group_id=0"
        try ScratchDirectory.check("mount", mount("hanging", path, "fuse", UInt(MS_NOSUID | MS_NODEV), options))
    }

    deinit {
        close(device)
        umount2(path, Int32(MNT_DETACH))
    }

    /// Takes it from its directory; what hangs in it goes on.
    func detach() throws { try ScratchDirectory.check("umount", umount2(path, Int32(MNT_DETACH))) }

    /// Ends the connection with the kernel.
    func release() throws {
        // Another file takes the number, so that it is not closed twice.
        let replacement = open("/dev/null", O_RDWR | O_CLOEXEC)
        try ScratchDirectory.check("open", replacement)
        defer { close(replacement) }
        try ScratchDirectory.check("dup2", dup2(replacement, device))
        _ = fcntl(device, F_SETFD, FD_CLOEXEC)
    }
}
