internal import ArgumentParser
internal import BenchmarkKit
internal import CTestbed
internal import Glibc
internal import NetworkTestbed

/// The floor: a process that reads the kernel's messages, and records the time or runs the program.
struct FloorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "floor", shouldDisplay: false)

    @Option var edge: Edge
    @Option var fifo: String
    @Option var program: String?

    func run() throws {
        let socket = testbed_open_route_socket(KernelMessage.group(for: edge))
        let output = open(fifo, O_WRONLY | O_CLOEXEC)
        guard socket >= 0, output >= 0 else { throw ExitCode(EX_OSERR) }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            let time = testbed_now()
            guard count > 0 else { continue }
            guard let isUp = buffer.withUnsafeBytes({ KernelMessage.isUp(.init(rebasing: $0[..<count]), after: edge) })
            else { continue }
            if let program {
                try start(program, isUp ? "up" : "down")
            } else {
                var record: [UInt64] = [time, isUp ? 1 : 0]
                _ = write(output, &record, MemoryLayout<UInt64>.stride * record.count)
            }
        }
    }

    private func start(_ program: String, _ word: String) throws {
        var identifier: pid_t = 0
        var arguments = [strdup(program), strdup(word), nil]
        defer { for argument in arguments { free(argument) } }
        guard posix_spawn(&identifier, program, nil, nil, &arguments, environ) == 0 else { throw ExitCode(EX_OSERR) }
        while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
    }
}

extension Edge: ExpressibleByArgument {}
