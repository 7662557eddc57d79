internal import NIOCore
internal import Synchronization

extension StateServer {
    /// Opens the sockets again whose files something has removed or replaced, such as a clean-up of their directory.
    ///
    /// Blocks briefly: must not be called on an event loop. Connected clients stay; sockets passed by the service manager
    /// are left alone. Has no effect before the start and after the end.
    ///
    /// - Returns: The paths of the sockets that were opened again.
    /// - Throws: ``StateSocketError``; nothing has changed then.
    public func restoreFiles() throws(StateSocketError) -> [String] {
        try restoration.withLock { _ throws(StateSocketError) -> [String] in
            guard let running = phase.withLock({ $0.running }), let directory = running.directory else { return [] }
            let lost = running.files.indices.filter { !running.files[$0].file.isInPlace }
            let relocked = directory.isLocked ? nil : try SocketDirectory(locking: directory.path)
            do throws(StateSocketError) {
                let names = lost.map { running.files[$0].name }
                let opened = try open(names, in: relocked ?? directory, of: running)
                replace(lost, by: opened, relocked)
            } catch {
                relocked?.unlock()
                throw error
            }
            return lost.map { "\(directory.path)/\(running.files[$0].name.fileName)" }
        }
    }

    /// Opens sockets, which accept no client yet; all of them, or none.
    private func open(
        _ names: [SocketName],
        in directory: SocketDirectory,
        of running: Running
    ) throws(StateSocketError) -> [(file: SocketFile, listener: any Channel)] {
        var opened: [(file: SocketFile, listener: any Channel)] = []
        do {
            let group = try socketGroup()
            for name in names {
                let file = try SocketFile(name, in: directory, mode: configuration.mode, group: group)
                do {
                    let listener = try Listener.open(name, file, accepting: false, hub: running.hub, on: running.group)
                    opened.append((file, listener))
                } catch {
                    // NIO has closed the socket that it could not adopt.
                    file.remove()
                    throw error
                }
            }
            return opened
        } catch {
            for (file, listener) in opened {
                file.remove()
                listener.close(promise: nil)
            }
            throw failure(error)
        }
    }

    /// Replaces the sockets at some positions, and the lock of their directory if there is another one.
    private func replace(
        _ positions: [Int],
        by opened: [(file: SocketFile, listener: any Channel)],
        _ relocked: SocketDirectory?
    ) {
        phase.withLock { phase in
            guard case .running(var running) = phase else { return }
            for (position, socket) in zip(positions, opened) {
                running.listeners[position].close(promise: nil)
                running.listeners[position] = socket.listener
                running.files[position].file = socket.file
                socket.listener.setOption(.autoRead, value: running.isAccepting).whenComplete { _ in }
            }
            if let relocked {
                running.directory?.unlock()
                running.directory = relocked
            }
            phase = .running(running)
        }
    }
}

extension StateServer.Phase {
    /// The parts of a server that runs; `nil` before and after.
    fileprivate var running: StateServer.Running? {
        guard case .running(let running) = self else { return nil }
        return running
    }
}
