package import Glibc

/// Writes a file of these bytes and this mode, which may be a program; one that is there is overwritten.
///
/// Foundation opens files without `O_CLOEXEC`: a process that another test starts meanwhile would have this one open for
/// writing, and execve(2) refuses it as long as that process runs (`ETXTBSY`).
package func writeFile(_ bytes: some Sequence<UInt8>, to path: String, mode: mode_t) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    try check(Int(descriptor), "open", path)
    defer { close(descriptor) }
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        try check(count, "write", path)
        rest = rest.dropFirst(count)
    }
    // Whatever the umask is.
    try check(Int(fchmod(descriptor, mode)), "fchmod", path)
}

/// Puts a new file in the place of one, at once; without a mode it gets that of the former, or 644.
package func replaceFile(with bytes: some Sequence<UInt8>, at path: String, mode: mode_t? = nil) throws {
    var former = stat()
    let mode = mode ?? (stat(path, &former) == 0 ? former.st_mode & 0o7777 : 0o644)
    let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let new = "\(path[..<name]).\(path[name...]).new"
    try writeFile(bytes, to: new, mode: mode)
    try check(Int(rename(new, path)), "rename", path)
}

private func check(_ result: Int, _ call: String, _ path: String) throws {
    guard result < 0 else { return }
    throw FinishedCommand.Failure(description: "\(call) of \(path): \(String(cString: strerror(errno)))")
}
