internal import AgentEvents

extension Accountant {
    /// Returns whether an uplink is accounted for, and begins its account with its first event.
    ///
    /// The outage of an uplink is evidence about the probes over it, so a report about one probe has all uplinks.
    ///
    /// - Parameters:
    ///   - isPresent: False for an uplink without a path, which makes room for another one.
    ///   - moment: The time of the event.
    mutating func accounts(forUplink name: String, isPresent: Bool, at moment: Timestamp) -> Bool {
        if case .uplink(let selected) = selection, name != selected { return false }
        if uplinkTracks[name] == nil {
            let isFull = uplinkTracks.count >= Self.maximumSubjects
            if isFull {
                if selection.includes(Subject(uplink: name)) { subjectsOmitted = true }
                guard let gone = uplinkPresence.removeLongestAbsent() else { return false }
                uplinkTracks[gone] = nil
                openUplinks[gone] = nil
            }
            uplinkTracks[name] = track(isReplacement: isFull, at: moment)
            shareOutages()
        }
        uplinkPresence.note(name, isPresent: isPresent)
        return true
    }

    /// Returns whether a probe is accounted for at a point, and begins its account with its first event.
    ///
    /// - Parameters:
    ///   - isPresent: False for a probe without a verdict, which makes room for another one.
    ///   - moment: The time of the event.
    mutating func accounts(for point: ProbePoint, isPresent: Bool, at moment: Timestamp) -> Bool {
        guard selection.includes(Subject(point)) else { return false }
        if probeTracks[point] == nil {
            let isFull = probeTracks.count >= Self.maximumSubjects
            if isFull {
                subjectsOmitted = true
                guard let gone = probePresence.removeLongestAbsent() else { return false }
                probeTracks[gone] = nil
                openProbes[gone] = nil
                checks.remove(gone)
            }
            probeTracks[point] = track(isReplacement: isFull, at: moment)
            shareOutages()
        }
        probePresence.note(point, isPresent: isPresent)
        return true
    }

    /// Returns the track of a subject before its first event.
    ///
    /// - Parameter isReplacement: True if it may have had a track that made room: nothing is known about the time before.
    private func track(isReplacement: Bool, at moment: Timestamp) -> Track {
        var track = template
        let moment = moment.microsecondsSince1970
        if isReplacement { track.obscure(from: moment, to: moment, before: 0) }
        return track
    }

    private mutating func shareOutages() {
        let subjects = 1 + uplinkTracks.count + probeTracks.count
        updateTracks { $0.shareOutages(among: subjects) }
    }
}
