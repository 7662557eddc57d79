internal import BenchmarkKit
internal import Glibc

/// The hook: a compiled program that reads the clock before anything else, and records the time.
///
/// It is linked statically where the C library allows it, so that its first instruction is not the dynamic linker's.
struct HookProgram {
    /// The environment variable that holds the path of the FIFO.
    static let variable = "HOOK_BENCH_FIFO"

    let path: String
    /// The FIFO that receives a record of each run: CLOCK_MONOTONIC in nanoseconds, and whether the edge went up.
    let fifo: String

    init(in directory: TemporaryDirectory) throws(BenchmarkError) {
        guard let compiler = Executable.find("cc") ?? Executable.find("gcc") ?? Executable.find("clang") else {
            throw BenchmarkError("compile the hook", cause: "there is no C compiler (apt-get install gcc libc6-dev)")
        }
        path = directory.path(of: "hook")
        fifo = directory.path(of: "runs")
        let source = try directory.write(Self.source, to: "hook.c")
        let words = ["-O2", "-Wall", "-Werror", "-o", path, source]
        if try Executable.run(compiler, ["-static"] + words).status != 0 {
            let (status, text) = try Executable.run(compiler, words)
            guard status == 0 else { throw BenchmarkError("compile the hook", cause: text) }
        }
        guard mkfifo(fifo, 0o600) == 0 else { throw BenchmarkError("make the FIFO \(fifo)", errno: errno) }
        setenv(Self.variable, fifo, 1)
    }

    /// The source of the program, in C.
    ///
    /// The edge's direction is the last argument, `up` or `down`; without arguments it follows from `REACH_TO_VIA`,
    /// which the agent sets for its hooks.
    private static let source = """
        #include <fcntl.h>
        #include <stdint.h>
        #include <stdlib.h>
        #include <string.h>
        #include <time.h>
        #include <unistd.h>

        int main(int count, char **arguments) {
            struct timespec now;
            clock_gettime(CLOCK_MONOTONIC, &now);
            const char *via = getenv("REACH_TO_VIA");
            const char *path = getenv("\(variable)");
            if (path == NULL || (count < 2 && via == NULL)) {
                return 64;
            }
            int up = count > 1 ? strcmp(arguments[count - 1], "up") == 0 : strcmp(via, "none") != 0;
            uint64_t record[2] = { (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec, (uint64_t)up };
            int fd = open(path, O_WRONLY | O_NONBLOCK);
            return fd >= 0 && write(fd, record, sizeof record) == sizeof record ? 0 : 74;
        }

        """
}
