internal import AgentEvents
internal import ForeignText
internal import LinuxSupport
internal import NIOCore
internal import Probes

/// The hook directories, which are read for each event on a thread of their own.
extension HookEngine {
    typealias WaitingEvents = DirectoryQueue<(event: HookEvent, delivered: Instant)>

    /// Starts to read the directories, if events wait for that and no reading is in progress.
    func readDirectories() {
        guard !isStopping, directoryReading == nil, directoryQueue.beginReading() else { return }
        lastReading &+= 1
        let timeout = settings.directoryTimeout
        let names = directoryNames
        directoryReading = DirectoryReading(
            number: lastReading,
            holdUp: loop.scheduleTask(in: TimeAmount(Self.longestHoldUp)) { [self] in
                offer(directoryQueue.passOver())
                begin()
            },
            patience: loop.scheduleTask(in: TimeAmount(timeout)) { [self] in
                noticed("no file in \(names) runs: the directories could not be read within \(timeout.secondsText)")
            }
        )
        startReading()
    }

    private var directoryNames: String { settings.directories.map(ShellWord.quoted).joined(separator: ", ") }

    /// Starts the thread of the current reading; at once, unless an abandoned one hangs in one of its directories.
    private func startReading() {
        guard !isStopping, let reading = directoryReading, !reading.isStarted,
            !abandonedReadings.delay(settings.directories)
        else { return }
        let (number, position, gate) = (reading.number, reading.position, gate)
        let (directories, occasions) = (HookDirectories(settings.directories), Set(HookOccasion.allCases))
        do throws(SystemError) {
            try NamedThread.start("hook-list") { [self] in
                let found = directories.contents(for: occasions, entering: position.enter)
                gate.execute { self.directoriesRead(number, found) }
            }
            directoryReading?.isStarted = true
        } catch {
            noticed("no file in \(directoryNames) runs: no thread could be started (errno \(error.errno))")
            retryReading(number)
        }
    }

    /// Repeats a reading without a thread, after a pause: events are not lost in a shortage, but wait for its end.
    private func retryReading(_ number: UInt64) {
        loop.scheduleTask(in: Self.pauseInShortage) { [self] in
            guard directoryReading?.number == number, directoryReading?.isStarted == false else { return }
            abandonReading()
            readDirectories()
        }
    }

    private func directoriesRead(_ number: UInt64, _ contents: HookDirectories.Contents) {
        if abandonedReadings.remove(number) { return startReading() }
        guard !isStopping, let reading = directoryReading, reading.number == number else { return }
        report(contents.refusals)
        guard contents.refusals.allSatisfy({ $0.shortage == nil }) else {
            directoryReading?.isStarted = false
            return retryReading(number)
        }
        reading.end()
        directoryReading = nil
        offer(directoryQueue.endReading(), contents.hooks)
        readDirectories()
        yieldPlaces()
    }

    /// Reports directories that could not be read, unless the reading before had the same reason.
    private func report(_ refusals: [HookRefusal]) {
        defer { lastRefusals = refusals }
        for refusal in refusals where !lastRefusals.contains(refusal) {
            // The subdirectories of a refused directory add nothing.
            guard !refusals.contains(where: { refusal.path.utf8.starts(with: "\($0.path)/".utf8) }) else { continue }
            noticed("a directory that cannot be read hides all later ones: \(refusal)")
        }
    }

    /// Ignores the reading in progress, whose thread ends by itself.
    func abandonReading() {
        if let reading = directoryReading, reading.isStarted { abandonedReadings.add(reading.number, reading.position) }
        directoryReading?.end()
        directoryReading = nil
        directoryQueue.restart()
    }

    /// Offers events that no longer wait.
    ///
    /// - Parameter found: The hooks in the directories; needed only after a reading.
    func offer(_ offers: [WaitingEvents.Offer], _ found: [DirectoryHook] = []) {
        for offer in offers {
            switch offer {
            case .toFiles(let (event, delivered)): self.offer(event, to: found, at: delivered)
            case .toConfigured(let (event, delivered)):
                // Not before: a webhook that waits to be online would run with an event that this one supersedes.
                if event.type == .reachabilityChanged { networkChanged(event.to.network) }
                for state in configured where state.definition?.matches(event) == .matches {
                    state.offer(HookOffer(event), at: delivered)
                }
            case .lost(let (event, _)):
                for state in files { state.countLost([event.type: 1]) }
            }
        }
    }

    /// Offers an event to the hooks of the directories that run for it.
    private func offer(_ event: HookEvent, to found: [DirectoryHook], at delivered: Instant) {
        let occasions = HookOccasion.occasions(of: event)
        var known: [ForeignText: HookState] = [:]
        for state in files + leaving where state.key.isFile { known[state.key.name] = state }
        var present: [HookState] = []
        for file in found {
            let isConcerned = occasions.contains(file.occasion)
            let name = ForeignText(file.name)
            guard isConcerned || known[name] != nil else { continue }
            let hook = RunnableHook(file: file.path, name: file.name, timeout: settings.directoryTimeout)
            let state = known.removeValue(forKey: name) ?? HookState(file: hook, on: file.occasion)
            if state.take(file: hook) { endFormerRuns(of: state) }
            if isConcerned { state.offer(HookOffer(event), at: delivered) }
            present.append(state)
        }
        files = present
        leaving.removeAll { state in present.contains { $0 === state } }
        for state in known.values where !state.isGone { leave(state) }
    }

    /// Removes the files that are in none of these directories; those that still exist are read for the next event.
    func leaveFiles(outside directories: HookDirectories) {
        let gone = files.filter { !$0.isFile(in: directories) }
        files.removeAll { state in gone.contains { $0 === state } }
        for state in gone { leave(state) }
    }
}

/// A reading of the hook directories in progress.
struct DirectoryReading {
    /// The number by which the result is recognized.
    let number: UInt64
    /// The directory in which its thread is.
    let position = DirectoryPosition()
    /// `true` if the thread has been started.
    var isStarted = false
    /// The end of the time for which the configured hooks wait.
    let holdUp: Scheduled<Void>
    /// The end of the time after which the reading is reported.
    let patience: Scheduled<Void>

    /// Cancels the timers.
    func end() {
        holdUp.cancel()
        patience.cancel()
    }
}
