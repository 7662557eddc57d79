import AgentTestKit
import Foundation

/// A namespace whose links lead to routers, each a namespace of its own below it, and whose name service is the test's.
final class ProbeNetwork: Sendable {
    let namespace: NetworkNamespace

    /// Makes a namespace without links; names are looked up in `hosts` first, and then by DNS.
    init(hosts: String = "") throws {
        namespace = try NetworkNamespace()
        // An empty /run hides the sockets of nscd(8) and systemd-resolved(8), and has room for ip-netns(8). The files of
        // /etc may be links into it.
        try namespace.run(
            """
            files=$(for name in hosts nsswitch.conf resolv.conf; do readlink -m /etc/$name; done)
            mount -t tmpfs tmpfs /run
            for file in $files; do
                own=/run/own-$(basename "$file"); : > "$own"
                [ -e "$file" ] || { mkdir -p "$(dirname "$file")"; : > "$file"; }
                mount --bind "$own" "$file"
            done
            echo 'hosts: files dns' > /etc/nsswitch.conf
            """
        )
        try write(hosts, to: "/etc/hosts")
    }

    /// Replaces the content of a file that the namespace has for itself.
    func write(_ text: String, to file: String) throws {
        try namespace.run("cat > $(readlink -m \(file)) <<'END'\n\(text)\nEND")
    }

    /// Makes a router, and a link to it.
    ///
    /// Addresses are given with their prefix lengths: the link's own, and the router's.
    func addRouter(_ name: String, link: String, addresses: [(own: String, router: String)]) throws {
        var script = """
            ip netns add \(name)
            ip link add \(link) type veth peer name far netns \(name)
            ip -n \(name) link set lo up
            ip netns exec \(name) sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1

            """
        for address in addresses {
            let flag = address.own.contains(":") ? "nodad" : ""
            script += """
                ip addr add \(address.own) dev \(link) \(flag)
                ip -n \(name) addr add \(address.router) dev far \(flag)

                """
        }
        script += "ip -n \(name) link set far up; ip link set \(link) up\n"
        // IPv6 sends nothing before it has noticed the carrier.
        script += "until ip -o link show \(link) | grep -q LOWER_UP; do :; done"
        try namespace.run(script)
    }

    /// Starts `far-end.py` on a router; it listens when this returns.
    func serve(_ service: String, at address: String, port: Int, on router: String) throws -> FarEnd {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "far-end.py").path()
        let command = "exec ip netns exec \(router) python3 \(script) \(service) \(address) \(port)"
        return try FarEnd(command, in: namespace)
    }

    /// Runs `reachagent probe --json` to its end, without any capability.
    func probe(_ arguments: String...) async throws -> ProbeReport { try await probe(arguments) }

    /// Runs `reachagent probe --json` to its end, without any capability.
    func probe(_ arguments: [String]) async throws -> ProbeReport {
        try await onThread { try finishedProbe(arguments) }
    }

    /// Runs it up to five times, until it has taken less than a time.
    ///
    /// A busy machine may delay it once, but what is slow by nature is so each time.
    func probe(within time: Duration, _ arguments: String...) async throws -> ProbeReport {
        var report = try await probe(arguments)
        for _ in 1..<5 where report.wallTime >= time { report = try await probe(arguments) }
        return report
    }

    private func finishedProbe(_ arguments: [String]) throws -> ProbeReport {
        let (input, output, errors) = (try NetworkNamespace.nothing, Pipe(), Pipe())
        let ends = [output.fileHandleForWriting, errors.fileHandleForWriting]
        let start = ContinuousClock.now
        let program = try namespace.start(
            "/usr/bin/setpriv",
            ["--bounding-set=-all", "--inh-caps=-all", BuiltAgent.path, "probe", "--json"] + arguments,
            descriptors: [input.fileDescriptor] + ends.map(\.fileDescriptor)
        )
        for end in ends { try end.close() }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        let status = program.wait()
        let wallTime = ContinuousClock.now - start
        guard let content = try? JSONDecoder().decode(ProbeReport.Content.self, from: data) else {
            let text = String(decoding: data + errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            let command = "probe " + arguments.joined(separator: " ")
            throw CommandFailure(command: command, status: status, output: text)
        }
        return ProbeReport(status: status, wallTime: wallTime, content: content)
    }
}

/// A server at the far end of a link.
final class FarEnd: Sendable {
    private let input: FileHandle
    private let output: FileHandle

    fileprivate init(_ command: String, in namespace: NetworkNamespace) throws {
        let (commands, answers) = (Pipe(), Pipe())
        let ends = (input: commands.fileHandleForReading, output: answers.fileHandleForWriting)
        (input, output) = (commands.fileHandleForWriting, answers.fileHandleForReading)
        let program = try namespace.start(
            "/bin/sh",
            ["-c", command],
            descriptors: [ends.input.fileDescriptor, ends.output.fileDescriptor, ends.output.fileDescriptor]
        )
        Thread.detachNewThread { program.wait() }
        try ends.input.close()
        try ends.output.close()
        let answer = String(decoding: output.availableData, as: UTF8.self)
        guard answer.hasPrefix("ready") else {
            throw CommandFailure(command: "far-end.py", status: -1, output: answer)
        }
    }

    deinit { try? input.close() }

    /// Ends the server, and tells what it was asked, in order.
    func stop() -> [String] {
        try? input.close()
        return String(decoding: output.readDataToEndOfFile(), as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
